// The threads that wait for the end of a callback's runs, so that no wait is endless.
//
// A removal waits for the runs of its callback. A removal inside a callback may meet a run further
// out on its own thread's stack (callbacks can spin other executors), or a run that itself waits
// for the removing thread. All executors of the process share these records. Private to the core.
#ifndef TAKT_CORE__SRC__REMOVAL_WAIT_HPP_
#define TAKT_CORE__SRC__REMOVAL_WAIT_HPP_

#include "scheduler/run_frame.hpp"
#include "takt_core/callback.hpp"

namespace takt_core::detail
{

/// While the object lives, the calling thread waits for the end of all runs of `callback`. May
/// block.
class RemovalWait
{
public:
  explicit RemovalWait(const Callback & callback);
  ~RemovalWait();
  RemovalWait(const RemovalWait &) = delete;
  RemovalWait & operator=(const RemovalWait &) = delete;

  /// Whether the wait would never end: a run of the callback is on this thread's stack, or waits,
  /// directly or through other waits, for a run that is on this thread's stack. Of several removals
  /// that would wait for each other the last one gets true; it must not wait, and the others' waits
  /// end.
  bool endless() const noexcept { return endless_; }

private:
  bool leads_here(const Callback & callback) const noexcept;

  const Callback & callback_;
  const RunFrame * const stack_ = RunFrame::current();
  RemovalWait * next_ = nullptr;  // list of all waits
  bool endless_ = false;
};

}  // namespace takt_core::detail

#endif  // TAKT_CORE__SRC__REMOVAL_WAIT_HPP_
