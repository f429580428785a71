#include "workshop/burn.hpp"

#include <algorithm>

#include "takt_rt/thread_cpu_time.hpp"

namespace takt_bench::workshop
{

using takt_rt::Duration;
using takt_rt::Time;

void StallNotes::note(Time begin, Time end) noexcept
{
  const std::size_t place = count_.fetch_add(1, std::memory_order_relaxed);
  if (place < kMost) {
    spans_[place] = {begin, end};
  }
}

std::vector<takt_trace::TimeSpan> StallNotes::all() const
{
  const std::size_t count = std::min(count_.load(), kMost);
  return {spans_.begin(), spans_.begin() + static_cast<std::ptrdiff_t>(count)};
}

std::size_t StallNotes::without_room() const noexcept
{
  const std::size_t count = count_.load(std::memory_order_relaxed);
  return count - std::min(count, kMost);
}

ThreadWitness & ThreadWitness::mine()
{
  thread_local ThreadWitness witness;
  return witness;
}

bool ThreadWitness::stalled(Duration gap) noexcept
{
  const Duration before = waited_;
  waited_ = account_.read();
  until_reading_ = kReadEvery;
  return account_.counted() && !takt_rt::waited_for_others(gap, waited_ - before);
}

void ThreadWitness::late(Time due, Time now, StallNotes & notes, Duration gap) noexcept
{
  if (now - due <= gap || ended_ > due) {
    // Waits of earlier runs must not explain a later gap.
    if (--until_reading_ <= 0) {
      stalled(Duration{});
    }
  } else if (stalled(now - due)) {
    notes.note(due, now);
  }
}

void ThreadWitness::burn(Duration work, StallNotes & notes) noexcept
{
  waited_ = account_.read();
  const Duration end = takt_rt::thread_cpu_time() + work;
  Time last = takt_rt::now();
  while (takt_rt::thread_cpu_time() < end) {
    const Time now = takt_rt::now();
    if (now - last > kGap && stalled(now - last)) {
      notes.note(last, now);
    }
    last = now;
  }
}

}  // namespace takt_bench::workshop
