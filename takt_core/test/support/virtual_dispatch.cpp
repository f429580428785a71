// The threads that look for work at an instant, and their order.
#include <algorithm>

#include "virtual_executor.hpp"

namespace takt_core::test
{

using takt_rt::to_ns;

bool VirtualExecutors::wants_to_look(const Thread & thread) const
{
  return thread.woken || looks_ == Looks::every_instant || thread.wake_at <= now_;
}

// Lets the thread look for work. Returns whether it found a callback.
bool VirtualExecutors::look(Thread & thread)
{
  Seam & seam = *thread.host->seam;
  for (int tries = 0; tries < 1000; ++tries) {
    if (thread.idle) {
      seam.end_idle(thread.index);
      thread.idle = false;
    }
    thread.woken = false;
    Run run;
    if (seam.next(thread.index, now_, run)) {
      auto & callback = static_cast<VirtualCallback &>(*run.callback);
      const auto number = thread.host->first_thread + thread.index;
      starts_.push_back({to_ns(now_), callback.id(), to_ns(run.release), number});
      if (callback.on_start) {
        callback.on_start(run);
      }
      seam.taken(run);
      thread.run = run;
      thread.remaining = callback.cost;
      return true;
    }
    if (seam.begin_idle(thread.index, now_, thread.wake_at)) {
      thread.idle = true;
      return false;
    }
  }
  livelocked_ = true;
  return false;
}

void VirtualExecutors::dispatch()
{
  if (kernel_ == Kernel::fifo) {
    dispatch_fifo();
  } else {
    dispatch_shared();
  }
}

void VirtualExecutors::dispatch_shared()
{
  for (bool progress = true; progress && !livelocked_;) {
    progress = false;
    for (Thread & thread : threads_) {
      if (!thread.run && wants_to_look(thread)) {
        progress = look(thread) || progress;
      }
    }
    if (looks_ == Looks::when_woken) {
      progress = std::any_of(threads_.begin(), threads_.end(), [this](const Thread & t) {
        return !t.run && wants_to_look(t);
      });
    }
  }
}

// A thread picks only once it has a core; woken threads queue.
void VirtualExecutors::dispatch_fifo()
{
  for (Thread & thread : threads_) {
    if (thread.on_core && !thread.run) {
      thread.on_core = look(thread);
    }
  }
  for (bool progress = true; progress && !livelocked_;) {
    progress = false;
    for (std::uint32_t t = 0; t < threads_.size(); ++t) {
      Thread & thread = threads_[t];
      if (
        !thread.run && !thread.on_core && !thread.queued &&
        (thread.woken || thread.wake_at <= now_)) {
        thread.queued = true;
        run_queue_.push_back(t);
      }
    }
    const auto used =
      std::count_if(threads_.begin(), threads_.end(), [](const Thread & t) { return t.on_core; });
    if (!run_queue_.empty() && used < static_cast<std::ptrdiff_t>(cores_)) {
      Thread & thread = threads_[run_queue_.front()];
      run_queue_.pop_front();
      thread.queued = false;
      thread.on_core = look(thread);
      progress = true;
    }
  }
}

}  // namespace takt_core::test
