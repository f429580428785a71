// The observer of one executor: counts its runs, and looks at what it counted.
//
// Always attached; while `Switch::on` is false a hook returns after one load, and only set-up is noted. Hooks on
// executor threads and `on_arrival` allocate nothing. They take no lock but those of a run's own records (records.hpp),
// of the chains that its callback begins (root.hpp) and of StatisticsObserver; all of these inherit priorities and are
// held for short. Set-up hooks run under the executor's locks: what holds `mutex_` does not call the executor,
// except for what is real-time safe.
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

/// What the watching of a process has in common with its hooks. Lives as long as the process.
struct Switch
{
  std::atomic<bool> on{false};
  /// In a child of fork: what the parent's threads left behind is not touched.
  std::atomic<bool> abandoned{false};
  /// Whether an executor spins: while it does not, also while it ends, nothing of it is overdue. Tests have their own.
  bool (*spins)(const takt_core::Executor &) = [](const takt_core::Executor & executor) {
    return executor.starts_callbacks();
  };
  WakeUp wake_up;
  RootIds roots;
};

/// A callback's figures besides those of its sample, for documents.
struct CallbackFigures
{
  CallbackSample sample{};
  int priority = 0;            ///< without its boost
  int effective_priority = 0;  ///< with it
  std::uint32_t most_waiting = 0;
  std::uint64_t exceptions = 0;
  std::optional<double> arrival_rate{};  ///< 1/s, in the last window
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
  /// Those that counted from the arrival of a message; null: the last callback is elsewhere.
  std::unique_ptr<takt_core::Distribution> responses_from_arrival{};
};

class ExecutorWatch final : public takt_core::Observer
{
public:
  /// `needed`: called by hooks of set-up when a rule was found that needs the switch to be on. It may call `begin`.
  ExecutorWatch(WatchedExecutor watched, Switch & common, std::function<void()> needed);
  ~ExecutorWatch() override;

  /// As it was in the beginning; for the rules of now see `change`.
  const WatchedExecutor & watched() const noexcept { return watched_; }

  // ---- any thread; may block; allocate ----

  /// Before the switch is on: counts begin here. Does nothing the second time.
  void begin();
  /// It is watched no longer: the others of the process do not ask its callbacks from now on. Before the executor is
  /// destroyed.
  void leave();

  /// Callbacks and chains have these rules from now on; what was counted stays.
  void change(const WatchRules & rules);
  takt_schedule::WatchSettings settings() const;

  /// What is there now. `window`: the figures of the last window begin anew with it. While the executor lives.
  ExecutorSample sample(takt_rt::Time now, bool window);
  std::vector<CallbackFigures> callbacks(takt_rt::Time now);
  std::vector<ChainFigures> chains();
  /// Distributions since counting began; null before.
  const takt_core::StatisticsObserver * statistics() const noexcept
  {
    return statistics_.load(std::memory_order_acquire);
  }
  /// The run of that thread; absent: none.
  std::optional<RunningCallback> running(std::uint32_t thread) const;

  struct Due
  {
    bool now = false;  ///< a limit was crossed since the last call
    takt_rt::Time next =
      takt_rt::kNever;  ///< when the next one is, if nothing is taken and nothing ends
  };
  /// The ages and stalls of its rules, and the deadlines of its chains: counts the activations that are overdue.
  Due due(takt_rt::Time now);

  // ---- Observer ----
  takt_core::ObserverInterest interest() const noexcept override;
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
  // without it
  void find_isolated();

  ThreadSlot * slot_of(const takt_core::Run & run) const noexcept
  {
    ThreadSlot * const slot = slots_by_number_.find(run.thread);
    return slot == nullptr || slot->since.load(std::memory_order_relaxed) == 0 ? nullptr : slot;
  }

  const WatchedExecutor watched_;
  Switch & common_;
  const std::function<void()> needed_;
  std::atomic<takt_core::StatisticsObserver *> statistics_{nullptr};
  takt_core::NumberTable<CallbackRecord> by_number_;
  takt_core::NumberTable<ThreadSlot, 16, 256> slots_by_number_;

  mutable std::mutex mutex_;  // all below
  WatchRules rules_;
  std::unique_ptr<takt_core::StatisticsObserver> owned_statistics_;
  std::vector<std::unique_ptr<CallbackRecord>> records_;
  std::vector<std::unique_ptr<CallbackRecord>>
    spare_;  // a late run may still count in one: never freed
  std::map<std::string, CallbackRecord *, std::less<>> by_id_;
  std::map<std::string, std::unique_ptr<ChainRecord>, std::less<>> chains_;
  std::vector<std::unique_ptr<ThreadSlot>> slots_;
  std::uint64_t added_ = 0;
  bool left_ = false;
  takt_rt::Time window_began_{};
  // Threads of isolated groups, by group.
  bool isolated_changed_ = false;
  std::map<std::string, std::vector<std::uint32_t>, std::less<>> isolated_;
};

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__EXECUTOR_WATCH_HPP_
