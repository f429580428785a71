// The observer of one executor: counts its runs, and returns the counts as samples.
//
// The observer is always attached. While `Switch::on` is false, a hook returns after one load, and
// only set-up is recorded, besides the responses of chains if WatchedExecutor::measures_chains.
// Hooks on executor threads and `on_arrival` allocate nothing. They lock only the run's own records
// (records.hpp), the chains that the callback begins (root.hpp) and StatisticsObserver. These
// mutexes inherit priorities and are held briefly. Set-up hooks run under the executor's locks. So
// code that holds `mutex_` may call only real-time safe functions of the executor.
#ifndef TAKT_WATCH__SRC__EXECUTOR_WATCH_HPP_
#define TAKT_WATCH__SRC__EXECUTOR_WATCH_HPP_

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "records.hpp"
#include "root_ids.hpp"
#include "sample.hpp"
#include "takt_core/number_table.hpp"
#include "takt_core/observer.hpp"
#include "takt_core/statistics_observer.hpp"
#include "takt_watch/watch.hpp"
#include "wake_up.hpp"

namespace takt_watch
{

/// The state that all observers of a process share. Lives as long as the process.
struct Switch
{
  std::atomic<bool> on{false};
  /// True in a child of fork, which must not touch the state of the parent's threads.
  std::atomic<bool> abandoned{false};
  /// Returns true while the executor spins and does not end. At other times no activation of it is
  /// overdue. Tests replace this function.
  bool (*spins)(const takt_core::Executor &) = [](const takt_core::Executor & executor) {
    return executor.starts_callbacks();
  };
  WakeUp wake_up;
  RootIds roots;
};

/// Figures of a callback for documents, besides its sample.
struct CallbackFigures
{
  CallbackSample sample{};
  int priority = 0;            ///< the priority without boost
  int effective_priority = 0;  ///< the priority with boost
  std::uint32_t most_waiting = 0;
  std::uint64_t exceptions = 0;
  std::optional<double> arrival_rate{};  ///< 1/s, in the last window; also `service_rate`
  std::optional<double> service_rate{};
  std::uint64_t consecutive_misses = 0;
  std::uint64_t most_consecutive_misses = 0;
  std::vector<std::string> chains{};
};

struct ChainFigures
{
  ChainSample sample{};
  std::vector<std::string> path{};
  int priority = 0;
  std::uint64_t consecutive_misses = 0;
  std::uint64_t most_consecutive_misses = 0;
  /// Responses since counting began, from the release of the root or from the arrival of the last
  /// callback's message, as `sample.from_arrival` says. Null: the last callback never was in this
  /// executor.
  std::unique_ptr<takt_core::Distribution> responses{};
};

class ExecutorWatch final : public takt_core::Observer
{
public:
  /// `needed`: set-up hooks call it if they find a rule that needs the switch on. It may call
  /// `begin`.
  ExecutorWatch(WatchedExecutor watched, Switch & common, std::function<void()> needed);
  ~ExecutorWatch() override;

  /// The executor with its first rules; `change` does not alter these rules.
  const WatchedExecutor & watched() const noexcept { return watched_; }

  // ---- any thread; may block; allocate ----

  /// Begins counting. Call it before the switch is on. Later calls do nothing.
  void begin();
  /// Ends the watching: the watches of other executors no longer call functions of this executor's
  /// callbacks. Call it before the executor is destroyed.
  void leave();

  /// Replaces the rules of callbacks and chains; counts stay.
  void change(const WatchRules & rules);
  takt_schedule::WatchSettings settings() const;

  /// The current counts. With `window` a new window for rates and maxima begins. Call it only while
  /// the executor lives.
  ExecutorSample sample(takt_rt::Time now, bool window);
  std::vector<CallbackFigures> callbacks(takt_rt::Time now);
  std::vector<ChainFigures> chains();
  /// See Watching::chain_responses.
  std::vector<ChainResponses> chain_responses() const;
  /// The distributions of callbacks since counting began; null before.
  const takt_core::StatisticsObserver * statistics() const noexcept
  {
    return statistics_.load(std::memory_order_acquire);
  }
  /// The run in progress on the thread; absent: none.
  std::optional<RunningCallback> running(std::uint32_t thread) const;

  struct Due
  {
    bool now = false;  ///< true if a limit was crossed since the last call
    /// The time when the next limit is reached if no message arrives and no run starts or ends.
    takt_rt::Time next = takt_rt::kNever;
  };
  /// Checks ages, stalls and the deadlines of chains, and counts overdue activations.
  Due due(takt_rt::Time now);

  // ---- Observer ----
  takt_core::ObserverInterest interest() const noexcept override;
  bool watches() const noexcept override;
  void on_added(const takt_core::Callback & callback) override;
  void on_removed(const takt_core::Callback & callback) override;
  void on_chain(const takt_core::ChainOptions & chain) override;
  void on_chain_removed(std::string_view name) override;
  void on_thread(std::uint32_t thread, const takt_rt::AttributeReport & report) override;
  void on_arrival(
    const takt_core::Callback & callback, std::uint32_t count, takt_rt::Time now) noexcept override;
  void on_picked(const takt_core::Run & run) noexcept override;
  void on_start(const takt_core::Run & run, takt_rt::Time start) noexcept override;
  void on_end(const takt_core::Run & run, takt_rt::Time end) noexcept override;
  void on_empty_take(const takt_core::Run & run) noexcept override;
  void on_exception(
    const takt_core::Run & run, const std::exception_ptr & exception) noexcept override;

private:
  // executor_watch_setup.cpp, executor_watch_chains.cpp; with `mutex_` held
  CallbackRecord & record_for(const std::string & id);
  ThreadSlot & make_slot(std::uint32_t thread);
  void attach(CallbackRecord & record) const;
  bool give_rule(CallbackRecord & record) const;
  bool give_rule(ChainRecord & record) const;
  void connect(const std::string & chain_id);
  void follow(ChainRecord & chain);
  void forget_if_many();
  void make_statistics();

  // executor_watch_figures.cpp, executor_watch_looks.cpp; with `mutex_` held
  std::vector<CallbackRecord *> callbacks_there() const;
  static ChainSample sample_of(const ChainRecord & record);
  CallbackSample sample_of(const CallbackRecord & record, takt_rt::Time now) const;
  std::optional<RunningCallback> running(const ThreadSlot & slot) const;
  void judge_chains(takt_rt::Time now, Due & due);
  std::vector<std::uint32_t> threads_of(const CallbackRecord & record) const;
  bool is_isolated(const CallbackRecord & record) const;
  // Call it without the mutex held.
  void find_isolated();

  void end_while_off(const takt_core::Run & run, takt_rt::Time end) const noexcept;

  ThreadSlot * slot_of(const takt_core::Run & run) const noexcept
  {
    ThreadSlot * const slot = slots_by_number_.find(run.thread);
    return slot == nullptr || slot->since.load(std::memory_order_relaxed) == 0 ? nullptr : slot;
  }

  const WatchedExecutor watched_;
  Switch & common_;
  const std::function<void()> needed_;
  std::atomic<takt_core::StatisticsObserver *> statistics_{nullptr};
  // True once a chain ends here whose responses are measured while the switch is off, too.
  std::atomic<bool> measures_chains_{false};
  takt_core::NumberTable<CallbackRecord> by_number_;
  takt_core::NumberTable<ThreadSlot, 16, 256> slots_by_number_;

  mutable std::mutex mutex_;  // guards all members below
  WatchRules rules_;
  std::unique_ptr<takt_core::StatisticsObserver> owned_statistics_;
  std::vector<std::unique_ptr<CallbackRecord>> records_;
  // Records for further callbacks. Records of forgotten callbacks come here and are never freed,
  // because a late run may still count in one.
  std::vector<std::unique_ptr<CallbackRecord>> spare_;
  std::map<std::string, CallbackRecord *, std::less<>> by_id_;
  std::map<std::string, std::unique_ptr<ChainRecord>, std::less<>> chains_;
  std::vector<std::unique_ptr<ThreadSlot>> slots_;
  std::uint64_t added_ = 0;
  std::size_t set_ = 0;  // chains that were set
  bool left_ = false;
  takt_rt::Time window_began_{};
  // Whether the threads of isolated groups must be read again, and these threads by group.
  bool isolated_changed_ = false;
  std::map<std::string, std::vector<std::uint32_t>, std::less<>> isolated_;
};

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__EXECUTOR_WATCH_HPP_
