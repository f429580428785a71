// Documents of a process say whether bounds on phases hold.
#include "takt_control/phase_state_json.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

namespace takt_control
{
namespace
{

using nlohmann::json;
using std::chrono::milliseconds;
using takt_core::PhaseState;
using takt_rt::Time;

constexpr Time kNow{std::chrono::seconds(100)};

json told(const std::optional<PhaseState> & state)
{
  return phase_state_json<json>(state, kNow);
}

PhaseState started(std::optional<Time> holds_from)
{
  PhaseState state;
  state.started = true;
  state.holds_from = holds_from;
  return state;
}

TEST(PhaseStateJson, is_null_without_phases_and_before_the_start)
{
  EXPECT_TRUE(told(std::nullopt).is_null());
  EXPECT_TRUE(told(PhaseState()).is_null());
}

TEST(PhaseStateJson, says_from_when_bounds_hold)
{
  EXPECT_EQ(
    told(started(kNow - milliseconds(5))),
    (json{{"disturbances", 0}, {"bounds_hold", "yes"}, {"holds_in_ns", 0}, {"last", nullptr}}));
  const json settling = told(started(kNow + milliseconds(5)));
  EXPECT_EQ(settling["bounds_hold"], "settling");
  EXPECT_EQ(settling["holds_in_ns"], 5'000'000);
  const json never = told(started(takt_rt::kNever));
  EXPECT_EQ(never["bounds_hold"], "after a new start");
  EXPECT_TRUE(never["holds_in_ns"].is_null());
  const json unknown = told(started(std::nullopt));
  EXPECT_EQ(unknown["bounds_hold"], "unknown");
  EXPECT_TRUE(unknown["holds_in_ns"].is_null());
}

TEST(PhaseStateJson, names_the_last_disturbance)
{
  PhaseState state = started(kNow);
  state.disturbances = 3;
  state.last = {takt_core::Disturbance::lost_message, "/a:sub(/x)", kNow - milliseconds(20)};
  const json all = told(state);
  EXPECT_EQ(all["disturbances"], 3);
  EXPECT_EQ(
    all["last"],
    (json{{"cause", "lost message"}, {"callback", "/a:sub(/x)"}, {"ago_ns", 20'000'000}}));
  state.last->time = kNow + milliseconds(1);
  EXPECT_EQ(told(state)["last"]["ago_ns"], 0);
}

}  // namespace
}  // namespace takt_control
