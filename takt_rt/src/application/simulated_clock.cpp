#include "takt_rt/application/simulated_clock.hpp"

namespace takt_rt
{

void SimulatedClock::advance(Duration duration)
{
  std::unique_lock lock(mutex_);
  const Time end = add_saturated(now_, duration);
  for (;;) {
    changed_.wait(lock, [this] { return sleeps_.size() == threads_; });
    if (sleeps_.empty() || *sleeps_.begin() > end) {
      now_ = end;
      return;
    }
    now_ = *sleeps_.begin();
    sleeps_.erase(sleeps_.begin(), sleeps_.upper_bound(now_));
    changed_.notify_all();
  }
}

Time SimulatedClock::now() noexcept
{
  const std::lock_guard lock(mutex_);
  return now_;
}

// Sleeps until `time` or `ended()`, which is called with the mutex held.
template <typename Ended>
void SimulatedClock::sleep(std::unique_lock<std::mutex> & lock, Time time, Ended ended)
{
  if (time <= now_ || ended()) {
    return;
  }
  const auto own = sleeps_.insert(time);
  changed_.notify_all();
  changed_.wait(lock, [&] { return now_ >= time || ended(); });
  if (now_ < time) {
    sleeps_.erase(own);  // `advance` erases those that reached their end
  }
}

void SimulatedClock::sleep_until(Time time, const std::atomic<bool> & stop) noexcept
{
  std::unique_lock lock(mutex_);
  sleep(lock, time, [&stop] { return stop.load(std::memory_order_relaxed); });
}

void SimulatedClock::spend(Duration duration) noexcept
{
  std::unique_lock lock(mutex_);
  sleep(lock, add_saturated(now_, duration), [this, before = stops_] { return stops_ != before; });
}

void SimulatedClock::enter()
{
  const std::lock_guard lock(mutex_);
  ++threads_;
}

void SimulatedClock::leave() noexcept
{
  const std::lock_guard lock(mutex_);
  --threads_;
  changed_.notify_all();
}

void SimulatedClock::stopped() noexcept
{
  const std::lock_guard lock(mutex_);
  ++stops_;
  changed_.notify_all();
}

}  // namespace takt_rt
