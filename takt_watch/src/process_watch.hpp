// The watching of this process: its executors, the switch, the watch thread and the requests.
//
// Locks, each taken before those that follow: `executors_mutex_` (shared by looks and requests, alone by executors that
// come and go), `looks_mutex_`, the locks of an executor, `switch_mutex_`, the mutex of an ExecutorWatch. Hooks of set-up
// run with the executor's locks held and take the last two only.
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
  /// Of this process; a child of fork has one of its own. Lives as long as the process.
  static ProcessWatch & instance();

  /// The executor is watched from now on. Set-up only.
  takt_rt::Result<std::shared_ptr<ExecutorWatch>> add(WatchedExecutor executor);
  /// And no longer. Not on the watch thread. In a child of fork it does nothing.
  void remove(const std::shared_ptr<ExecutorWatch> & watch);

  /// The executor is watched by these rules from now on. May block as set-up of the executor does.
  void change(const std::shared_ptr<ExecutorWatch> & watch, const WatchRules & rules);

  /// Counts and looks begin, unless they did. Nothing to do without executors. Any thread; allocates.
  void switch_on();

  /// The answers to requests. Any thread; may block; allocate.
  std::string statistics();
  std::string subscription();

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

  std::mutex switch_mutex_;                                // the three below
  std::vector<std::shared_ptr<ExecutorWatch>> observers_;  // also those that are being added
  std::unique_ptr<Thread> thread_;
  takt_rt::Time since_{};  // when watching began

  std::mutex looks_mutex_;  // after `executors_mutex_`
  Looks looks_;
  AlarmHistory alarms_;
};

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__PROCESS_WATCH_HPP_
