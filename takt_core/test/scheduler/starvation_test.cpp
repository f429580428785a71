// The published starvation cases (Teper et al., EMSOFT 2024, examples 4 to 6) and the two
// demonstrations of what windows do to arrival order and to timers.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "support/golden.hpp"

namespace takt_core::test
{
namespace
{

// Starts per callback before the horizon.
std::map<std::string, std::vector<Start>> starts_of(const std::string & name)
{
  const auto file = read_golden("replay", name);
  GoldenScenario run(file.at("scenario"), Kernel::own, 0, Looks::when_woken);
  run.world.run_until(run.horizon);
  std::map<std::string, std::vector<Start>> starts;
  for (const auto & [id, callback] : run.callbacks) {
    starts[id];
  }
  for (const Start & start : run.world.starts()) {
    starts[start.id].push_back(start);
  }
  return starts;
}

std::string starved(const std::map<std::string, std::vector<Start>> & starts)
{
  std::string names;
  for (const auto & [id, of] : starts) {
    names += of.empty() ? id + " " : "";
  }
  return names;
}

TEST(Starvation, is_literal_under_stock)
{
  for (const std::string example : {"4", "5", "6"}) {
    const auto starts = starts_of("starvation_" + example + "_stock");
    const std::string names = starved(starts);
    EXPECT_EQ(std::count(names.begin(), names.end(), ' '), 1)
      << "example " << example << " starves exactly one callback, found: " << names;
  }
}

// No callback waits longer than for one run of every other callback (and the rest of those that run
// already): the sum of all costs is below 2.1 s in each of the examples.
TEST(Starvation, is_absent_under_every_other_order)
{
  for (const std::string example : {"4", "5", "6"}) {
    for (const std::string order :
         {"window", "window_parked", "fifo", "priority_flat", "priority_victim_first"}) {
      const auto file = read_golden("replay", "starvation_" + example + "_" + order);
      std::int64_t bound = 0;
      for (const auto & callback : file.at("scenario").at("callbacks")) {
        bound += callback.at("cost_ns").get<std::int64_t>();
      }
      const auto starts = starts_of("starvation_" + example + "_" + order);
      EXPECT_EQ(starved(starts), "") << example << " under " << order;
      for (const auto & [id, of] : starts) {
        for (const Start & start : of) {
          EXPECT_LE(start.at - start.release, 2 * bound) << id << " under " << order;
        }
      }
    }
  }
}

// "Overtaken only by strictly higher keys": a level above that is never idle starves those below.
TEST(Starvation, by_strictly_higher_priority_is_what_priorities_mean)
{
  for (const std::string example : {"4", "5", "6"}) {
    EXPECT_NE(starved(starts_of("starvation_" + example + "_priority_victim_last")), "");
  }
}

std::int64_t first(const std::map<std::string, std::vector<Start>> & starts, const std::string & id)
{
  return starts.at(id).at(0).at / 1'000'000;
}

TEST(Demonstration, messages_out_of_arrival_order_on_window_only)
{
  const auto window = starts_of("demonstration_arrival_order_window");
  EXPECT_LT(first(window, "early_registered"), first(window, "late_registered"));
  for (const std::string order : {"fifo", "priority"}) {
    const auto starts = starts_of("demonstration_arrival_order_" + order);
    EXPECT_LT(first(starts, "late_registered"), first(starts, "early_registered")) << order;
  }
}

TEST(Demonstration, timer_that_elapses_in_a_window_waits_for_the_next_on_window_only)
{
  EXPECT_EQ(first(starts_of("demonstration_timer_delay_window"), "urgent"), 20);
  EXPECT_EQ(first(starts_of("demonstration_timer_delay_window_immediate"), "urgent"), 16);
  EXPECT_EQ(first(starts_of("demonstration_timer_delay_fifo"), "urgent"), 17);
  EXPECT_EQ(first(starts_of("demonstration_timer_delay_priority"), "urgent"), 13);
}

TEST(Demonstration, window_of_a_busy_group_does_not_hold_up_other_work)
{
  for (const std::string order :
       {"fifo", "priority", "window", "window_parked", "window_immediate"}) {
    EXPECT_EQ(first(starts_of("demonstration_blocked_window_" + order), "other"), 5) << order;
  }
}

}  // namespace
}  // namespace takt_core::test
