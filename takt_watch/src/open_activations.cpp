#include "open_activations.hpp"

#include <algorithm>
#include <mutex>

namespace takt_watch
{

using takt_rt::Duration;
using takt_rt::Time;

void OpenActivations::released(Time release, std::uint32_t count) noexcept
{
  const std::lock_guard lock(mutex_);
  first_release_ = std::min(first_release_, release);
  if (count == 0 || release <= judged_ || release <= newest_ended_) {
    return;  // the start of a run whose release was recorded before
  }
  if (size_ > 0) {
    Releases & last = place(size_ - 1);
    // Arrivals from several threads may come out of order.
    if (size_ == kCapacity || release <= last.last) {
      last.last = std::max(last.last, release);
      last.count += count;
      return;
    }
  }
  place(size_++) = {release, release, count};
}

void OpenActivations::withdrawn(Time release) noexcept
{
  const std::lock_guard lock(mutex_);
  for (std::uint32_t i = 0; i < size_; ++i) {
    Releases & one = place(i);
    if (one.first <= release && release <= one.last) {
      if (--one.count == 0) {
        for (std::uint32_t next = i + 1; next < size_; ++next) {
          place(next - 1) = place(next);
        }
        --size_;
      }
      return;
    }
  }
}

bool OpenActivations::ended(Time release) noexcept
{
  const std::lock_guard lock(mutex_);
  has_ended_ = true;
  newest_ended_ = std::max(newest_ended_, release);
  silent_since_.store(kNotSilent, std::memory_order_relaxed);
  return was_told(release);
}

void OpenActivations::ended_for_others() noexcept
{
  const std::lock_guard lock(mutex_);
  ends_for_others_ = true;
}

bool OpenActivations::was_told(Time release) const noexcept
{
  if (release <= told_before_) {
    return true;
  }
  const std::uint64_t known = std::min<std::uint64_t>(told_count_, kTimes);
  return std::any_of(told_.begin(), told_.begin() + known, [&](const Told & one) {
    return one.from < release && release <= one.to;
  });
}

// Records that all activations after the youngest ended one, up to `last`, are overdue.
void OpenActivations::tell(Time first, Time last) noexcept
{
  Told * const latest = told_count_ == 0 ? nullptr : &told_[(told_count_ - 1) % kTimes];
  if (latest != nullptr && latest->to == judged_ && newest_ended_ <= judged_) {
    latest->to = last;
  } else {
    Told & place = told_[told_count_ % kTimes];
    if (told_count_ >= kTimes) {
      told_before_ = std::max(told_before_, place.to);
    }
    place = {std::max(newest_ended_, judged_), last};
    ++told_count_;
  }
  if (silent_since_.load(std::memory_order_relaxed) == kNotSilent) {
    silent_since_.store(takt_rt::to_ns(first), std::memory_order_relaxed);
  }
}

OpenActivations::Judgement OpenActivations::judge(
  Time now, Duration deadline, const std::optional<UnstartedTimer> & timer) noexcept
{
  const std::lock_guard lock(mutex_);
  if (timer && timer->next <= now) {
    first_release_ = std::min(first_release_, timer->next);
  }
  const bool counts =
    has_ended_ || (!ends_for_others_ && first_release_ <= now && now - first_release_ >= kStartUp);
  Judgement result;
  const auto judge_one = [&](Time first, Time last, std::uint64_t count) {
    if (counts) {
      tell(first, last);
      result.overdue += count;
    }
    judged_ = std::max(judged_, last);
  };
  for (; size_ > 0; drop_first()) {
    const Releases & oldest = place(0);
    if (oldest.last <= std::max(newest_ended_, judged_)) {
      continue;
    }
    const Time crossing = takt_rt::add_saturated(oldest.last, deadline);
    if (crossing > now) {
      result.next = crossing;
      break;
    }
    judge_one(oldest.first, oldest.last, oldest.first <= newest_ended_ ? 1 : oldest.count);
  }
  if (!timer || timer->next == takt_rt::kNever || timer->period <= Duration::zero()) {
    return result;
  }
  const Time due_until = now - deadline;  // releases up to this time are overdue
  if (timer_from_ == takt_rt::kNever) {
    timer_from_ = due_until;
  }
  Time release = timer->next;
  if (const Time after = std::max({newest_ended_, judged_, timer_from_}); release <= after) {
    release =
      takt_rt::add_saturated(release, ((after - release) / timer->period + 1) * timer->period);
  }
  if (release <= due_until) {
    const auto more = (due_until - release) / timer->period;
    const Time last = release + more * timer->period;
    judge_one(release, last, static_cast<std::uint64_t>(more) + 1);
    release = takt_rt::add_saturated(last, timer->period);
  }
  result.next = std::min(result.next, takt_rt::add_saturated(release, deadline));
  return result;
}

void OpenActivations::pause() noexcept
{
  const std::lock_guard lock(mutex_);
  size_ = 0;
  timer_from_ = takt_rt::kNever;
  silent_since_.store(kNotSilent, std::memory_order_relaxed);
}

void OpenActivations::forget() noexcept
{
  const std::lock_guard lock(mutex_);
  begin_ = 0;
  size_ = 0;
  told_count_ = 0;
  told_before_ = kBefore;
  judged_ = kBefore;
  newest_ended_ = kBefore;
  first_release_ = takt_rt::kNever;
  timer_from_ = takt_rt::kNever;
  has_ended_ = false;
  ends_for_others_ = false;
  silent_since_.store(kNotSilent, std::memory_order_relaxed);
}

std::optional<Time> OpenActivations::silent_since() const noexcept
{
  const std::int64_t since = silent_since_.load(std::memory_order_relaxed);
  return since == kNotSilent ? std::nullopt : std::optional(takt_rt::from_ns(since));
}

}  // namespace takt_watch
