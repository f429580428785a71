#include "takt_trace/periodic_thread.hpp"

#include <time.h>

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
      const std::int64_t ns = takt_rt::to_ns(due);
      const timespec until{ns / 1'000'000'000, ns % 1'000'000'000};
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
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
