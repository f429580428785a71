// Watches this process. Has the watched executors, the switch and the watch thread, and answers
// requests.
//
// Order of locks: `executors_mutex_` (shared by looks and requests, exclusive while an executor is
// added or removed), `looks_mutex_`, the locks of an executor, `switch_mutex_`, the mutex of an
// ExecutorWatch. Set-up hooks run with the executor's locks held, and take only the last two.
#ifndef TAKT_WATCH__SRC__PROCESS_WATCH_HPP_
#define TAKT_WATCH__SRC__PROCESS_WATCH_HPP_

#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "alarms/alarm_history.hpp"
#include "executor_watch.hpp"
#include "looks.hpp"
#include "takt_rt/result.hpp"

namespace takt_watch
{

class ProcessWatch
{
public:
  /// The object of this process; a child of fork gets its own object. Lives as long as the process.
  static ProcessWatch & instance();

  /// Watches the executor from now on. Set-up only.
  takt_rt::Result<std::shared_ptr<ExecutorWatch>> add(WatchedExecutor executor);
  /// Ends the watching of the executor. Must not run on the watch thread. In a child of fork it
  /// does nothing.
  void remove(const std::shared_ptr<ExecutorWatch> & watch);

  /// Replaces the executor's rules. May block as set-up of the executor does.
  void change(const std::shared_ptr<ExecutorWatch> & watch, const WatchRules & rules);

  /// Starts counts and looks, if they are off and there are watched executors. Any thread;
  /// allocates.
  void switch_on();

  /// Answer requests. Any thread; may block; allocate.
  std::string statistics();
  takt_control::SubscriptionAnswer subscription();

  bool on() const noexcept { return common_.on.load(std::memory_order_relaxed); }

private:
  class Thread;

  ProcessWatch() = default;
  static void forget_in_children();

  takt_rt::Duration period();
  void look(takt_rt::Time now, bool window);
  ExecutorWatch::Due due(takt_rt::Time now);
  takt_rt::Time next();
  void look_until(const std::atomic<bool> & ends);

  Switch common_;

  std::shared_mutex executors_mutex_;
  std::vector<std::shared_ptr<ExecutorWatch>> executors_;

  // Guards `observers_`, `thread_` and `since_`.
  std::mutex switch_mutex_;
  // The watched executors, and those that `add` is adding.
  std::vector<std::shared_ptr<ExecutorWatch>> observers_;
  std::unique_ptr<Thread> thread_;
  takt_rt::Time since_{};  // the time when watching began

  std::mutex looks_mutex_;  // locked after `executors_mutex_`
  Looks looks_;
  AlarmHistory alarms_;
};

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__PROCESS_WATCH_HPP_
