// Counts missed deadlines: in all, in a row, and among the last responses.
//
// One thread at a time records. Other threads may read at any time, each count by itself. No
// function allocates.
#ifndef TAKT_WATCH__SRC__MISS_COUNTER_HPP_
#define TAKT_WATCH__SRC__MISS_COUNTER_HPP_

#include <algorithm>
#include <atomic>
#include <bitset>
#include <cstdint>

#include "sample.hpp"

namespace takt_watch
{

class MissCounter
{
public:
  static constexpr std::uint32_t kMost = 1000;

  // ---- one thread at a time; real-time safe ----

  /// Sets the window to the last `of` responses, 1 to kMost. A changed window starts empty.
  void set_window(std::uint32_t of) noexcept
  {
    of = std::clamp(of, 1U, kMost);
    if (of != of_) {
      of_ = of;
      next_ = 0;
      missed_ = 0;
      last_.reset();
      show();
    }
  }

  void record(bool missed) noexcept
  {
    missed_ -= last_[next_] ? 1 : 0;
    missed_ += missed ? 1 : 0;
    last_[next_] = missed;
    next_ = next_ + 1 == of_ ? 0 : next_ + 1;
    show();
    if (missed_ > most_.load(kRelaxed)) {
      most_.store(missed_, kRelaxed);
    }
    const std::uint64_t row = missed ? row_.load(kRelaxed) + 1 : 0;
    row_.store(row, kRelaxed);
    longest_row_.store(std::max(longest_row_.load(kRelaxed), row), kRelaxed);
    // Write `responses_` before `misses_`: a reader that reads `misses` first finds at least as
    // many responses as misses.
    responses_.store(responses_.load(kRelaxed) + 1, kRelaxed);
    misses_.store(misses_.load(kRelaxed) + (missed ? 1 : 0), std::memory_order_release);
  }

  /// Resets all counts; the window's size stays.
  void clear() noexcept
  {
    const std::uint32_t of = of_;
    of_ = 0;
    set_window(of);
    for (auto * const count : {&responses_, &misses_, &row_, &longest_row_}) {
      count->store(0, kRelaxed);
    }
  }

  // ---- any thread; real-time safe ----

  std::uint64_t responses() const noexcept { return responses_.load(kRelaxed); }
  std::uint64_t misses() const noexcept { return misses_.load(std::memory_order_acquire); }
  std::uint64_t consecutive() const noexcept { return row_.load(kRelaxed); }
  std::uint64_t most_consecutive() const noexcept { return longest_row_.load(kRelaxed); }
  MissWindow window() const noexcept
  {
    const std::uint64_t word = shown_.load(kRelaxed);
    return {static_cast<std::uint32_t>(word >> 32U), static_cast<std::uint32_t>(word)};
  }

  /// The largest number of misses in the window since the last call: a burst may be over before the
  /// next look. One reader only.
  std::uint32_t take_most() noexcept { return most_.exchange(0, kRelaxed); }

private:
  static constexpr auto kRelaxed = std::memory_order_relaxed;

  void show() noexcept { shown_.store(std::uint64_t{missed_} << 32U | of_, kRelaxed); }

  std::uint32_t of_ = 1;
  std::uint32_t next_ = 0;
  std::uint32_t missed_ = 0;
  std::bitset<kMost> last_;  // true: a miss; by place in the window
  std::atomic<std::uint64_t> shown_{1};
  std::atomic<std::uint32_t> most_{0};
  std::atomic<std::uint64_t> responses_{0};
  std::atomic<std::uint64_t> misses_{0};
  std::atomic<std::uint64_t> row_{0};
  std::atomic<std::uint64_t> longest_row_{0};
};

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__MISS_COUNTER_HPP_
