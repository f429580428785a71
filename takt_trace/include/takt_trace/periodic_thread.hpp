// A thread that wakes periodically; base of the stall witness and of the reference timer.
#ifndef TAKT_TRACE__PERIODIC_THREAD_HPP_
#define TAKT_TRACE__PERIODIC_THREAD_HPP_

#include <atomic>
#include <functional>
#include <thread>

#include "takt_rt/thread_attributes.hpp"
#include "takt_rt/time.hpp"

namespace takt_trace
{

/// A thread that calls a function at each wake-up.
class PeriodicThread
{
public:
  /// Called on the thread at each wake-up with the planned time and the actual time.
  using Function = std::function<void(takt_rt::Time due, takt_rt::Time now)>;

  /// Starts the thread and waits until its attributes are set. The thread wakes at `first` and then
  /// every `period`, and skips missed periods. Set-up only.
  PeriodicThread(
    const takt_rt::ThreadAttributes & attributes, takt_rt::Time first, takt_rt::Duration period,
    Function function);
  /// Ends and joins the thread; waits up to one period.
  ~PeriodicThread();
  /// Makes the thread end at its next wake-up, without waiting for it. Real-time safe; any thread.
  void ask_to_stop() noexcept { stop_.store(true, std::memory_order_relaxed); }
  PeriodicThread(const PeriodicThread &) = delete;
  PeriodicThread & operator=(const PeriodicThread &) = delete;

  /// The kernel's answers to the thread's attributes. Valid after construction; any thread.
  const takt_rt::AttributeReport & attributes() const noexcept { return report_; }

private:
  std::atomic<bool> stop_{false};
  std::atomic<bool> ready_{false};
  takt_rt::AttributeReport report_;
  std::thread thread_;
};

}  // namespace takt_trace

#endif  // TAKT_TRACE__PERIODIC_THREAD_HPP_
