#include "alarm_queue.hpp"

#include <unistd.h>

#include <utility>

namespace takt_control
{

AlarmQueue::AlarmQueue() : owner_(::getpid())
{
}

bool AlarmQueue::of_this_process() const noexcept
{
  return owner_ == ::getpid();
}

void AlarmQueue::put(std::string payload, std::optional<std::uint64_t> sequence)
{
  // A client that subscribes after this check finds the alarm in its subscription answer.
  if (subscribers_.load() == 0) {
    return;
  }
  const std::lock_guard lock(mutex_);
  if (subscribers_.load() == 0) {
    return;
  }
  const std::uint64_t place = next_++;
  const std::size_t size = payload.size() + sizeof(Alarm);
  if (size > kMostBytes - bytes_) {
    return;
  }
  const bool wakes = alarms_.empty();
  bytes_ += size;
  alarms_.push_back({place, std::move(payload), sequence});
  if (wakes && wakes_ >= 0) {
    const std::uint64_t one = 1;
    (void)!::write(wakes_, &one, sizeof one);
  }
}

void AlarmQueue::open(int wakes)
{
  const std::lock_guard lock(mutex_);
  wakes_ = wakes;
}

void AlarmQueue::close()
{
  const std::lock_guard lock(mutex_);
  wakes_ = -1;
  subscribers_.store(0);
  alarms_.clear();
  bytes_ = 0;
}

std::uint64_t AlarmQueue::begin()
{
  const std::lock_guard lock(mutex_);
  subscribers_.fetch_add(1);
  return next_;
}

void AlarmQueue::end()
{
  const std::lock_guard lock(mutex_);
  subscribers_.fetch_sub(1);
}

std::deque<AlarmQueue::Alarm> AlarmQueue::take()
{
  const std::lock_guard lock(mutex_);
  bytes_ = 0;
  return std::exchange(alarms_, {});
}

}  // namespace takt_control
