// Files of costs: their values, each fault, and their effect on a model.
#include "takt_schedule/machine_costs.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "takt_schedule/parse_system.hpp"

namespace takt_schedule
{
namespace
{

using namespace std::chrono_literals;

constexpr const char * kCosts =
  "# takt calibrate: p99 of each\nversion: 1\n"
  "overheads: {dispatch: 9us, middleware: 38us, context_switch: 62us}\njitter: 71us  # each\n";

std::string fault_of(const std::string & text)
{
  const auto costs = parse_costs(text, "c.yaml");
  return costs.faults().empty() ? "" : takt_rt::to_string(costs.faults().front());
}

TEST(MachineCosts, AreReadAsTaktCalibrateWritesThem)
{
  const auto costs = parse_costs(kCosts, "c.yaml");
  ASSERT_TRUE(costs.ok());
  EXPECT_EQ(costs->overheads, (Overheads{9us, 38us, 62us}));
  EXPECT_EQ(costs->jitter, 71us);
}

TEST(MachineCosts, EachFaultNamesItsPlace)
{
  EXPECT_EQ(fault_of("version: 1\noverheads: {dispatch: fast}\n").rfind("c.yaml:2:23: ", 0), 0)
    << fault_of("version: 1\noverheads: {dispatch: fast}\n");
  EXPECT_NE(fault_of("version: 1\njitter: 1us\n").find("overheads"), std::string::npos);
  EXPECT_NE(fault_of("overheads: {}\n").find("version"), std::string::npos);
  EXPECT_NE(fault_of("version: 2\noverheads: {}\n").find("version"), std::string::npos);
  EXPECT_NE(fault_of("version: 1\noverheads: {}\nhosts: {}\n").find("hosts"), std::string::npos);
  EXPECT_NE(fault_of("- 1\n"), "");
  EXPECT_NE(fault_of(""), "");
}

TEST(MachineCosts, AModelGetsThemAndKeepsALongerJitter)
{
  auto system = parse_system(
    "version: 1\nhosts: {car: {cores: 2}}\ncallbacks:\n"
    "  - {id: \"/a:timer(10ms)\", time: 1ms, period: 10ms, publishes: /x}\n"
    "  - {id: \"/b:timer(10ms)\", time: 1ms, period: 10ms, jitter: 1ms}\n"
    "  - {id: \"/c:sub(/x)\", time: 1ms, triggers: /x}\n",
    "s.yaml");
  for (const auto & fault : system.faults()) {
    ADD_FAILURE() << takt_rt::to_string(fault);
  }
  ASSERT_TRUE(system.ok());
  add_costs(*system, *parse_costs(kCosts, "c.yaml"));
  EXPECT_TRUE(system->hosts.at(0).has_overheads);
  EXPECT_EQ(system->hosts.at(0).overheads, (Overheads{9us, 38us, 62us}));
  EXPECT_EQ(system->callbacks.at(0).jitter, 71us);
  EXPECT_EQ(system->callbacks.at(1).jitter, 1ms);
  EXPECT_EQ(system->callbacks.at(2).jitter, 0us) << "a subscription is no timer";
}

}  // namespace
}  // namespace takt_schedule
