// Replays every golden scenario of the oracle on the real scheduler and compares all starts.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/golden.hpp"

namespace takt_core::test
{
namespace
{

std::string describe(const std::vector<Start> & expected, const std::vector<Start> & found)
{
  std::size_t i = 0;
  while (i < expected.size() && i < found.size() && expected[i] == found[i]) {
    ++i;
  }
  const auto line = [&](const std::vector<Start> & of, std::size_t at) {
    return at < of.size()
             ? std::to_string(of[at].at) + " " + of[at].id + " released " +
                 std::to_string(of[at].release) + " on " + std::to_string(of[at].thread) + "\n"
             : "nothing\n";
  };
  std::string text = "starts differ from number " + std::to_string(i) + "\n";
  for (std::size_t at = i < 3 ? 0 : i - 3; at < i + 4; ++at) {
    text += "  oracle: " + line(expected, at) + "  core:   " + line(found, at);
  }
  return text;
}

// Under `poll: empty` a window with only members of busy groups lets threads idle although other
// work is ready. takt repairs this (a busy group parks its callbacks, and threads run the others).
// So only the scenarios with `poll: parked` are exact. In the others the first difference may be a
// start while the oracle idles, or a member of a window that the oracle has not opened yet, but
// never a later start.
bool has_pool_window_polled_when_empty(const nlohmann::json & scenario)
{
  const auto & executors = scenario.at("executors");
  return std::any_of(executors.begin(), executors.end(), [](const nlohmann::json & e) {
    return e.at("order") == "window" && e.value("poll", "empty") == "empty" && e.at("threads") > 1;
  });
}

bool is_at_first_never_later(const std::vector<Start> & oracle, const std::vector<Start> & core)
{
  const auto [o, c] = std::mismatch(oracle.begin(), oracle.end(), core.begin(), core.end());
  return o == oracle.end() || (c != core.end() && c->at <= o->at);
}

class GoldenReplay : public testing::TestWithParam<std::string>
{
};

TEST_P(GoldenReplay, starts_exactly_as_the_oracle)
{
  const auto file = read_golden("replay", GetParam());
  GoldenScenario replay(file.at("scenario"), Kernel::own, 0, Looks::every_instant);
  replay.world.run_until(replay.horizon);
  const auto expected = expected_starts(file);
  EXPECT_FALSE(replay.world.livelocked());
  if (has_pool_window_polled_when_empty(file.at("scenario"))) {
    EXPECT_TRUE(is_at_first_never_later(expected, replay.world.starts()));
    return;
  }
  EXPECT_TRUE(replay.world.starts() == expected) << describe(expected, replay.world.starts());
}

// Threads that sleep until the scheduler wakes them start the same callbacks as threads that always
// look; only the assignment to threads may differ.
TEST_P(GoldenReplay, starts_the_same_when_threads_look_only_if_woken)
{
  const auto file = read_golden("replay", GetParam());
  const auto run = [&](Looks looks) {
    GoldenScenario replay(file.at("scenario"), Kernel::own, 0, looks);
    replay.world.run_until(replay.horizon);
    EXPECT_FALSE(replay.world.livelocked());
    auto starts = replay.world.starts();
    for (Start & start : starts) {
      start.thread = 0;
    }
    // At one instant the picks are in the order of the threads, whose numbers may differ.
    std::sort(starts.begin(), starts.end(), [](const Start & a, const Start & b) {
      return std::tie(a.at, a.id, a.release) < std::tie(b.at, b.id, b.release);
    });
    return starts;
  };
  const auto always = run(Looks::every_instant);
  const auto woken = run(Looks::when_woken);
  EXPECT_TRUE(always == woken) << describe(always, woken);
}

INSTANTIATE_TEST_SUITE_P(
  oracle, GoldenReplay, testing::ValuesIn(golden_names("replay")),
  [](const auto & test) { return test.param; });

}  // namespace
}  // namespace takt_core::test
