// The shortest times between releases or arrivals.
#ifndef ADOPT__OBSERVE__RELEASE_SPANS_HPP_
#define ADOPT__OBSERVE__RELEASE_SPANS_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "takt_rt/pi_mutex.hpp"
#include "takt_rt/time.hpp"

namespace takt_rclcpp
{

/// The shortest times in which 2, 3, 5, 9 and 17 successive releases of a callback came.
class ReleaseSpans
{
public:
  static constexpr std::array<std::size_t, 5> kSteps{1, 2, 4, 8, 16};

  /// Call it in the order of the releases; a release before the last one is omitted.
  void add(takt_rt::Time release) noexcept;
  /// {steps, the shortest time in nanoseconds from one release to the release that many steps
  /// later}.
  std::vector<std::pair<std::size_t, std::int64_t>> shortest() const;

private:
  std::array<takt_rt::Time, 32> last_{};
  std::size_t count_ = 0;
  std::array<std::int64_t, kSteps.size()> shortest_{};
};

/// The shortest times between messages as the middleware announces them, also of messages that no
/// run takes. Any thread; real-time safe, except `shortest`.
class ArrivalSpans
{
public:
  void add(std::size_t count, takt_rt::Time now) noexcept
  {
    const std::lock_guard lock(mutex_);
    count_ += count;
    for (std::size_t i = 0; i < count && i <= ReleaseSpans::kSteps.back(); ++i) {
      spans_.add(now);
    }
  }
  std::uint64_t count() const noexcept
  {
    const std::lock_guard lock(mutex_);
    return count_;
  }
  std::vector<std::pair<std::size_t, std::int64_t>> shortest() const
  {
    const std::lock_guard lock(mutex_);
    return spans_.shortest();
  }

private:
  mutable takt_rt::PiMutex mutex_;
  std::uint64_t count_ = 0;
  ReleaseSpans spans_;
};

}  // namespace takt_rclcpp

#endif  // ADOPT__OBSERVE__RELEASE_SPANS_HPP_
