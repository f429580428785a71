// Holds which parts of a waitable are ready and how often, in the order in which rclcpp's executor
// would take them.
#ifndef LISTEN__READY_PARTS_HPP_
#define LISTEN__READY_PARTS_HPP_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "takt_rt/pi_mutex.hpp"

namespace takt_rclcpp
{

/// Keeps a queue of turns; a turn is a part and the number of times that it is ready. Loses no
/// part. Any thread; holds a mutex with priority inheritance during a search. Allocates if more
/// turns wait than ever before.
class ReadyParts
{
public:
  struct Ready
  {
    int part;
    std::uint64_t count;
  };

  /// `ranked`: the order in which the waitable checks its parts in a wait set. Empty: by arrival,
  /// as in the queue of an EventsExecutor.
  explicit ReadyParts(std::vector<int> ranked) : ranked_(std::move(ranked)), turns_(16) {}

  void add(int part, std::size_t count)
  {
    if (count == 0) {
      return;
    }
    const std::lock_guard lock(mutex_);
    const std::size_t size = size_.load(std::memory_order_relaxed);
    // With ranks, or if there are very many turns, add to the turn of this part that waits already.
    const std::size_t from = !ranked_.empty() || size >= kMostTurns ? 0 : size - (size > 0 ? 1 : 0);
    for (std::size_t i = size; i > from; --i) {
      if (turn(i - 1).part == part) {
        turn(i - 1).count += count;
        return;
      }
    }
    if (size == turns_.size()) {
      std::rotate(
        turns_.begin(), turns_.begin() + static_cast<std::ptrdiff_t>(first_), turns_.end());
      first_ = 0;
      turns_.resize(2 * size);
    }
    turn(size) = {part, count};
    size_.store(size + 1, std::memory_order_release);
  }

  std::optional<std::size_t> take() noexcept
  {
    const std::lock_guard lock(mutex_);
    const std::size_t size = size_.load(std::memory_order_relaxed);
    if (size == 0) {
      return std::nullopt;
    }
    std::size_t best = 0;
    for (std::size_t i = 1; i < size && !ranked_.empty(); ++i) {
      best = rank(turn(i).part) < rank(turn(best).part) ? i : best;
    }
    const int part = turn(best).part;
    if (--turn(best).count == 0) {
      for (; best > 0; --best) {
        turn(best) = turn(best - 1);
      }
      first_ = (first_ + 1) % turns_.size();
      size_.store(size - 1, std::memory_order_release);
    }
    return static_cast<std::size_t>(part);
  }

  /// The number of waiting announcements of one part.
  std::uint64_t count(int part) noexcept
  {
    const std::lock_guard lock(mutex_);
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < size_.load(std::memory_order_relaxed); ++i) {
      count += turn(i).part == part ? turn(i).count : 0;
    }
    return count;
  }

  /// Removes and returns all turns, in the order of their addition.
  std::vector<Ready> take_all()
  {
    std::vector<Ready> all;
    const std::lock_guard lock(mutex_);
    const std::size_t size = size_.exchange(0);
    for (std::size_t i = 0; i < size; ++i) {
      all.push_back(turn(i));
    }
    return all;
  }

  bool any() const noexcept { return size_.load(std::memory_order_acquire) > 0; }

private:
  static constexpr std::size_t kMostTurns = 4096;

  Ready & turn(std::size_t i) noexcept { return turns_[(first_ + i) % turns_.size()]; }
  std::ptrdiff_t rank(int part) const noexcept
  {
    return std::find(ranked_.begin(), ranked_.end(), part) - ranked_.begin();
  }

  const std::vector<int> ranked_;
  takt_rt::PiMutex mutex_;
  std::vector<Ready> turns_;  // a ring
  std::size_t first_ = 0;
  std::atomic<std::size_t> size_{0};
};

}  // namespace takt_rclcpp

#endif  // LISTEN__READY_PARTS_HPP_
