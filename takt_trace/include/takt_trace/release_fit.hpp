// Decides whether external messages come periodically, by which clock, and how regularly.
//
// `add` stores the times of releases: all at first, and later fewer, evenly over the whole
// observation. `fit` lays a line through them. Not synchronised. `add` is real-time safe: no
// allocation, no lock.
#ifndef TAKT_TRACE__RELEASE_FIT_HPP_
#define TAKT_TRACE__RELEASE_FIT_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>

namespace takt_trace
{

/// All times in nanoseconds of the host's monotonic clock.
struct ReleaseFit
{
  std::uint64_t count = 0;  ///< releases; 0: too few for a line
  double period = 0;
  std::int64_t first = 0;  ///< on the line
  std::int64_t early = 0;  ///< at most 0: largest deviation before the line
  std::int64_t late = 0;   ///< at least 0: largest deviation behind the line
};

/// Times of releases for one line. Stores at most `kMost` times.
class ReleaseSamples
{
public:
  static constexpr std::size_t kMost = 256;

  /// Adds a release, in nanoseconds of the host's monotonic clock. Real-time safe.
  void add(std::int64_t release) noexcept
  {
    if (count_++ % stride_ != 0) {
      return;
    }
    if (kept_ == kMost) {
      // Drop every second stored time. `release` is stored, because an even number of times
      // precedes it.
      for (std::size_t i = 0; i < kMost / 2; ++i) {
        times_[i] = times_[2 * i];
      }
      kept_ = kMost / 2;
      stride_ *= 2;
    }
    times_[kept_++] = release;
  }

  /// Set-up only.
  ReleaseFit fit() const noexcept;

private:
  std::array<std::int64_t, kMost> times_{};
  std::size_t kept_ = 0;
  std::uint64_t stride_ = 1;
  std::uint64_t count_ = 0;
};

/// For reports: null if there is no fit. Set-up only.
nlohmann::ordered_json fit_json(const ReleaseFit & fit);
/// Throws as nlohmann's `at` does.
ReleaseFit read_fit(const nlohmann::ordered_json & json);

}  // namespace takt_trace

#endif  // TAKT_TRACE__RELEASE_FIT_HPP_
