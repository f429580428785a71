// A bare thread that wakes at fixed times: stall witness and reference timer are made of it.
#ifndef TAKT_TRACE__PERIODIC_THREAD_HPP_
#define TAKT_TRACE__PERIODIC_THREAD_HPP_

#include <atomic>
#include <functional>
#include <thread>

#include "takt_rt/thread_attributes.hpp"
#include "takt_rt/time.hpp"

namespace takt_trace
{

class PeriodicThread
{
public:
  /// Runs on the thread at each wake-up, with the time it was due and the time it got to run.
  using Function = std::function<void(takt_rt::Time due, takt_rt::Time now)>;

  /// Starts the thread and waits until it has its attributes. Wakes at `first` and every `period`
  /// after; periods it has missed are skipped. Set-up only.
  PeriodicThread(
    const takt_rt::ThreadAttributes & attributes, takt_rt::Time first, takt_rt::Duration period,
    Function function);
  /// Stops; waits up to one period.
  ~PeriodicThread();
  /// Lets the thread end at its next wake-up, and does not wait for that. Real-time safe; any thread.
  void ask_to_stop() noexcept { stop_.store(true, std::memory_order_relaxed); }
  PeriodicThread(const PeriodicThread &) = delete;
  PeriodicThread & operator=(const PeriodicThread &) = delete;

  const takt_rt::AttributeReport & attributes() const noexcept { return report_; }

private:
  std::atomic<bool> stop_{false};
  std::atomic<bool> ready_{false};
  takt_rt::AttributeReport report_;
  std::thread thread_;
};

}  // namespace takt_trace

#endif  // TAKT_TRACE__PERIODIC_THREAD_HPP_
