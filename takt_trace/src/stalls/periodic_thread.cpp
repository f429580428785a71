#include "takt_trace/periodic_thread.hpp"

#include "takt_rt/monotonic_clock.hpp"

namespace takt_trace
{

using takt_rt::Time;

PeriodicThread::PeriodicThread(
  const takt_rt::ThreadAttributes & attributes, Time first, takt_rt::Duration period,
  Function function)
{
  thread_ = std::thread([this, attributes, first, period, function = std::move(function)] {
    report_ = takt_rt::apply(attributes);
    ready_.store(true, std::memory_order_release);
    ready_.notify_one();
    Time due = first;
    while (!stop_.load(std::memory_order_relaxed)) {
      takt_rt::MonotonicClock::sleep_until(due);
      const Time now = takt_rt::now();
      if (now >= due) {
        function(due, now);
        due += period * ((takt_rt::now() - due) / period + 1);
      }
    }
  });
  ready_.wait(false, std::memory_order_acquire);
}

PeriodicThread::~PeriodicThread()
{
  ask_to_stop();
  thread_.join();
}

}  // namespace takt_trace
