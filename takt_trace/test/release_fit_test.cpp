// Phases of timers and of messages, from their releases alone.
#include "takt_trace/release_fit.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "takt_trace/phase_json.hpp"

namespace takt_trace::test
{
namespace
{

constexpr std::int64_t kMs = 1'000'000;

TEST(ReleasePhase, is_the_distance_to_one_grid)
{
  ReleasePhase phase;
  for (const std::int64_t release : {1'037, 1'137, 1'236, 1'339, 1'937}) {
    phase.add(release * kMs, 100 * kMs);
  }
  EXPECT_EQ(phase.count, 5U);
  EXPECT_EQ(phase.first, 1'037 * kMs);
  EXPECT_EQ(phase.last, 1'937 * kMs);
  EXPECT_EQ(phase.early, -1 * kMs);
  EXPECT_EQ(phase.late, 2 * kMs);
  EXPECT_EQ(phase.spread(), 3 * kMs);
}

TEST(ReleasePhase, of_two_spins_is_that_of_all_their_releases)
{
  ReleasePhase one;
  ReleasePhase other;
  for (std::int64_t i = 0; i < 5; ++i) {
    one.add((1'000 + i * 100) * kMs, 100 * kMs);
    other.add((9'003 + i * 100) * kMs, 100 * kMs);
  }
  ReleasePhase both = read_phase(phase_json(one));
  both.add(other, 100 * kMs);
  both.add(ReleasePhase(), 100 * kMs);
  EXPECT_EQ(both.count, 10U);
  EXPECT_EQ(both.first, one.first);
  EXPECT_EQ(both.last, other.last);
  EXPECT_EQ(both.spread(), 3 * kMs);
  EXPECT_TRUE(phase_json(ReleasePhase()).is_null());
}

TEST(ReleaseFit, is_a_line_through_releases_of_any_number)
{
  for (const std::int64_t count : {10, 256, 257, 100'000}) {
    ReleaseSamples samples;
    for (std::int64_t i = 0; i < count; ++i) {
      samples.add(1'000'000 * kMs + i * (100 * kMs + 7));
    }
    const ReleaseFit fit = read_fit(fit_json(samples.fit()));
    EXPECT_EQ(fit.count, static_cast<std::uint64_t>(count));
    EXPECT_NEAR(fit.period, 100 * kMs + 7, 0.01);
    EXPECT_NEAR(static_cast<double>(fit.first), 1e6 * kMs, 1e3) << count;
    EXPECT_LT(fit.late - fit.early, 1'000) << count;
  }
}

TEST(ReleaseFit, tells_how_uneven_releases_are)
{
  ReleaseSamples samples;
  for (std::int64_t i = 0; i < 200; ++i) {
    samples.add(1'000'000 * kMs + i * 10 * kMs + (i % 4 == 0 ? kMs : 0));
  }
  const ReleaseFit fit = samples.fit();
  EXPECT_NEAR(fit.period, 10 * kMs, 1'000);
  EXPECT_NEAR(static_cast<double>(fit.late - fit.early), kMs, 50'000);
  ReleaseSamples few;
  few.add(1);
  EXPECT_EQ(few.fit().count, 0U);
  EXPECT_TRUE(fit_json(few.fit()).is_null());
}

}  // namespace
}  // namespace takt_trace::test
