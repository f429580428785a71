// The published starvation cases (Teper et al., EMSOFT 2024, examples 4 to 6) and two
// demonstrations of the effect of windows on arrival order and timers.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "support/golden.hpp"

namespace takt_core::test
{
namespace
{

// The starts of each callback before the horizon.
std::map<std::string, std::vector<Start>> starts_in(const nlohmann::json & scenario)
{
  GoldenScenario run(scenario, Kernel::own, 0, Looks::when_woken);
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

std::map<std::string, std::vector<Start>> starts_of(const std::string & name)
{
  return starts_in(read_golden("replay", name).at("scenario"));
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

// The longest wait of a callback of `scenario`: from a release to its start, or to the horizon for
// a release without a start.
std::int64_t longest_wait(const nlohmann::json & scenario)
{
  std::int64_t longest = 0;
  const auto starts = starts_in(scenario);
  for (const auto & callback : scenario.at("callbacks")) {
    std::int64_t due = callback.value("offset_ns", std::int64_t{0}) / 1'000'000;
    for (const Start & start : starts.at(callback.at("id").get<std::string>())) {
      longest = std::max(longest, (start.at - start.release) / 1'000'000);
      due = start.at / 1'000'000 + callback.at("period_ns").get<std::int64_t>() / 1'000'000;
    }
    longest = std::max(longest, scenario.at("horizon_ns").get<std::int64_t>() / 1'000'000 - due);
  }
  return longest;
}

std::int64_t sum_of(const nlohmann::json & scenario, const char * field)
{
  std::int64_t sum = 0;
  for (const auto & callback : scenario.at("callbacks")) {
    sum += callback.at(field).get<std::int64_t>() / 1'000'000;
  }
  return sum;
}

// Equals do not overtake: a callback waits for at most one run of every other callback, and for the
// rest of the runs in progress. (In ms.)
TEST(Starvation, is_absent_under_every_order_without_deadlines)
{
  for (const std::string example : {"4", "5", "6"}) {
    for (const std::string order :
         {"window", "window_parked", "fifo", "priority_flat", "priority_victim_first"}) {
      const auto scenario =
        read_golden("replay", "starvation_" + example + "_" + order).at("scenario");
      EXPECT_LE(longest_wait(scenario), 2 * sum_of(scenario, "cost_ns"))
        << "example " << example << " under " << order;
    }
  }
}

// By deadline (each period's end) a waiting callback becomes the most urgent one in the end.
TEST(Starvation, is_absent_under_edf)
{
  for (const std::string example : {"4", "5", "6"}) {
    auto scenario = read_golden("replay", "starvation_" + example + "_fifo").at("scenario");
    scenario.at("executors").at(0).at("order") = "edf";
    std::int64_t longest_period = 0;
    for (auto & callback : scenario.at("callbacks")) {
      callback["deadline_ns"] = callback.at("period_ns");
      longest_period =
        std::max(longest_period, callback.at("period_ns").get<std::int64_t>() / 1'000'000);
    }
    EXPECT_EQ(starved(starts_in(scenario)), "");
    EXPECT_LE(longest_wait(scenario), longest_period + 2 * sum_of(scenario, "cost_ns"));
  }
}

TEST(Starvation, is_seen_as_an_endless_wait_under_stock)
{
  for (const std::string example : {"4", "5", "6"}) {
    const auto scenario = read_golden("replay", "starvation_" + example + "_stock").at("scenario");
    EXPECT_GT(longest_wait(scenario), 2 * sum_of(scenario, "cost_ns"));
  }
}

// "Overtaken only by strictly higher keys": a higher level that is never idle starves lower ones.
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
