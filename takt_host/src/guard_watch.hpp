// Finds waits that keep other callbacks from running, while they last, and notes them in the
// guard's account.
//
// A thread looks four times a second at the threads that wait in a callback
// (GuardAccount::threads). Of those that have waited for half a second it notes each callback
// - that is ready, but may run only on threads that wait so, or is in the exclusive group that such
//   a run keeps busy;
// - that holds the mutex for which the thread waits.
// If the wait is for something that only such a callback can do, it is a deadlock. Whether it is,
// shows later: the wait never ends, or the other callback signals the same object when the wait has
// ended by its time.
#ifndef GUARD_WATCH_HPP_
#define GUARD_WATCH_HPP_

#include <sys/types.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "takt_core/executor.hpp"
#include "takt_rt/guard/interface.hpp"

namespace takt_host
{

class GuardWatching;

/// One object for the process, never destroyed. Set-up only; may block.
class GuardWatch
{
public:
  /// Null: the guard is not there, or does not watch executors.
  static std::unique_ptr<GuardWatching> watch(takt_core::Executor & core);

private:
  friend class GuardWatching;

  /// A thread that waits.
  struct Waiter
  {
    std::uint32_t place;  // in the account
    std::string callback;
    std::string function;  // such as "pthread_cond_wait"
    pid_t thread;
    takt_rt::Duration time;
  };

  explicit GuardWatch(const takt_rt::GuardInterface & library);
  void look_for_ever();
  void look();
  std::vector<Waiter> waiters(takt_rt::Time now) const;
  void note_lock(const Waiter & waiter);
  void note_kept(const std::vector<Waiter> & waiters, takt_core::Executor & core);
  void note(
    const Waiter & waiter, std::uint32_t awaited, const std::string & id,
    takt_rt::GuardedBlock::Why why);

  const takt_rt::GuardInterface & library_;
  std::mutex mutex_;  // guards the next one
  std::vector<takt_core::Executor *> cores_;
};

/// While it lives, the executor's callbacks are looked at. Set-up only; may block.
class GuardWatching
{
public:
  GuardWatching(GuardWatch & watch, takt_core::Executor & core);
  ~GuardWatching();
  GuardWatching(const GuardWatching &) = delete;
  GuardWatching & operator=(const GuardWatching &) = delete;

private:
  GuardWatch & watch_;
  takt_core::Executor & core_;
};

}  // namespace takt_host

#endif  // GUARD_WATCH_HPP_
