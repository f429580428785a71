// Drives one or more schedulers under a virtual clock: n threads, programmable costs, publishing at
// the end of a callback, exact times, no overhead.
//
// At one instant: first all completions in thread index order (each publishes, then frees its
// group), then threads pick in index order, which releases due timers. Threads are numbered over
// all executors in the order in which these were added.
#ifndef SUPPORT__VIRTUAL_EXECUTOR_HPP_
#define SUPPORT__VIRTUAL_EXECUTOR_HPP_

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "seam.hpp"

namespace takt_core::test
{

using takt_rt::now;

class VirtualExecutors;

/// A callback with a cost, which publishes to its readers when it ends.
class VirtualCallback : public Callback
{
public:
  using Callback::Callback;
  void run(const Run &) override {}

  Duration cost{};
  std::vector<VirtualCallback *> readers;
  std::size_t executor = 0;
  /// Called at the instant of the start, if set.
  std::function<void(const Run &)> on_start;
  /// Called at the instant of the end, if set.
  std::function<void(const Run &)> on_end;
};

/// How the cores are shared (takt_oracle/README.md, "Cores").
enum class Kernel
{
  own,   ///< a core for each thread
  fair,  ///< k running threads on m cores each go at min(1, m/k)
  fifo,  ///< a thread keeps its core until it finds no work; one run queue
};

/// When idle threads look for work.
enum class Looks
{
  every_instant,  ///< as the oracle's threads do
  when_woken,     ///< only if the scheduler or the time it gave has woken them
};

struct Start
{
  std::int64_t at = 0;
  std::string id;
  std::int64_t release = 0;
  std::uint32_t thread = 0;
  friend bool operator==(const Start &, const Start &) = default;
};

struct End
{
  std::int64_t at = 0;
  const VirtualCallback * callback = nullptr;
  Run run;
};

class VirtualExecutors
{
public:
  explicit VirtualExecutors(
    Kernel kernel = Kernel::own, std::uint32_t cores = 0, Looks looks = Looks::every_instant)
  : kernel_(kernel),
    cores_(cores),
    looks_(looks)
  {
  }

  /// Returns the executor's number.
  std::size_t add_executor(SchedulerOptions options, const SeamMaker & maker = plain_seam);
  Seam & seam(std::size_t executor = 0) { return *executors_[executor]->seam; }
  Scheduler & scheduler(std::size_t executor = 0) { return *executors_[executor]->scheduler; }

  Status add(const std::shared_ptr<VirtualCallback> & callback, const Binding & binding = {});

  /// Runs `action` at a point in time, before that instant's completions.
  void at(Time when, std::function<void()> action);

  /// Processes all instants before `horizon`; opens the gate first. May be called again.
  void run_until(Time horizon);

  /// Opens the gate, or goes to the next instant before `horizon`; false if there is none.
  bool step(Time horizon);

  Time now() const noexcept { return now_; }
  const std::vector<Start> & starts() const noexcept { return starts_; }
  const std::vector<End> & ends() const noexcept { return ends_; }
  /// The run in progress on a thread (numbered over all executors), or nullptr.
  const Run * running(std::uint32_t thread) const;
  std::uint32_t thread_count() const noexcept
  {
    return static_cast<std::uint32_t>(threads_.size());
  }
  /// True once a thread looked 1000 times in one instant, because it was told of work that is not
  /// there.
  bool livelocked() const noexcept { return livelocked_; }
  /// The time at which the gate opens; timers' offsets count from there.
  Time epoch{};

private:
  struct Host final : Waker
  {
    void wake(std::uint32_t thread) noexcept override;
    VirtualExecutors * world = nullptr;
    std::uint32_t first_thread = 0;
    std::unique_ptr<Seam> seam;
    std::unique_ptr<Scheduler> scheduler;
  };
  struct Thread
  {
    Host * host = nullptr;
    std::uint32_t index = 0;
    bool idle = false;  // registered as idle
    bool woken = true;  // wants to look
    bool on_core = false;
    bool queued = false;
    Time wake_at = kNever;
    std::optional<Run> run;
    Duration remaining{};
  };
  struct Action
  {
    Time when;
    std::function<void()> what;
  };

  std::optional<Time> next_instant() const;
  void advance(Time to);
  void instant();
  void finish(Thread & thread);
  void dispatch();
  void dispatch_shared();
  void dispatch_fifo();
  bool wants_to_look(const Thread & thread) const;
  bool look(Thread & thread);
  std::pair<std::int64_t, std::int64_t> rate(const Thread & thread) const;

  const Kernel kernel_;
  const std::uint32_t cores_;
  const Looks looks_;
  std::vector<std::unique_ptr<Host>> executors_;
  std::vector<Thread> threads_;
  std::deque<std::uint32_t> run_queue_;
  std::vector<Action> actions_;  // by time
  std::vector<Start> starts_;
  std::vector<End> ends_;
  Time now_{};
  bool open_ = false;
  bool livelocked_ = false;
};

}  // namespace takt_core::test

#endif  // SUPPORT__VIRTUAL_EXECUTOR_HPP_
