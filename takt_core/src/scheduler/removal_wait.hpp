// Who waits for the end of which callback's runs: so that nobody waits for ever.
//
// A removal waits for the runs of what it removes. Called by a callback it may wait for a run that
// is further out on its own thread's stack (callbacks can spin other executors), or for one that
// itself waits for the caller. All executors of the process share these books. Private to the core.
#ifndef TAKT_CORE__SRC__REMOVAL_WAIT_HPP_
#define TAKT_CORE__SRC__REMOVAL_WAIT_HPP_

#include "scheduler/run_frame.hpp"
#include "takt_core/callback.hpp"

namespace takt_core::detail
{

/// While it lives, the calling thread waits for the end of all runs of `callback`. May block.
class RemovalWait
{
public:
  explicit RemovalWait(const Callback & callback);
  ~RemovalWait();
  RemovalWait(const RemovalWait &) = delete;
  RemovalWait & operator=(const RemovalWait &) = delete;

  /// Whether the wait could not end: a run of the callback is on this thread's stack, or waits,
  /// directly or through others, for one that is. Of several that would wait for each other the
  /// last one is told; it must not wait then, and the others' waits end.
  bool endless() const noexcept { return endless_; }

private:
  bool leads_here(const Callback & callback) const noexcept;

  const Callback & callback_;
  const RunFrame * const stack_ = RunFrame::current();
  RemovalWait * next_ = nullptr;  // list of all that wait
  bool endless_ = false;
};

}  // namespace takt_core::detail

#endif  // TAKT_CORE__SRC__REMOVAL_WAIT_HPP_
