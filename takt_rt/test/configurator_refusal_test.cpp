// Refusals by the configurator daemon read like the kernel's; values can be checked for a thread of
// another process.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "takt_rt/thread_attributes.hpp"

namespace takt_rt
{
namespace
{

Refusal refusal(MissingRight right, std::string detail)
{
  Refusal refused;
  refused.right = right;
  refused.asked = {.policy = Policy::fifo, .priority = 60};
  refused.detail = std::move(detail);
  return refused;
}

TEST(ConfiguratorRefusal, RepeatsTheRuleThatForbidsIt)
{
  EXPECT_EQ(
    to_string(refusal(
      MissingRight::configurator_policy,
      "p.yaml:3 (user robot) allows priorities up to 50, not 60")),
    "SCHED_FIFO priority 60 refused for this thread: the configurator's policy forbids it: "
    "p.yaml:3 "
    "(user robot) allows priorities up to 50, not 60");
  EXPECT_EQ(
    to_string(refusal(MissingRight::configurator, "the thread has ended")),
    "SCHED_FIFO priority 60 refused for this thread: the configurator refused it: the thread has "
    "ended");
}

TEST(ConfiguratorRefusal, SaysHowToDoWithoutADaemon)
{
  Refusal refused = refusal(MissingRight::no_configurator, "/run/x: Connection refused");
  refused.program = "/opt/node";
  const std::string text = to_string(refused);
  for (const char * part :
       {"this process has no right to it", "/run/x: Connection refused", "start takt-configurator",
        "AmbientCapabilities=CAP_SYS_NICE in the systemd unit that starts /opt/node;"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

TEST(ValidateForAnotherProcess, ChecksItsCoresAndNotTheCallers)
{
  const int core = usable_cores().front();
  ThreadAttributes attributes;
  attributes.cores = {core};
  EXPECT_TRUE(validate(attributes, {core}).empty());
  const Faults faults = validate(attributes, {core + 1});
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(
    to_string(faults[0]), "core " + std::to_string(core) +
                            " is not among the cores of the thread's process (" +
                            std::to_string(core + 1) +
                            "); see taskset(1) and the "
                            "container's cpuset");
  attributes.cores = {-1};
  EXPECT_EQ(validate(attributes, {core}).size(), 1U);
  EXPECT_EQ(validate({.policy = Policy::fifo, .priority = 100}, {core}).size(), 1U);
}

}  // namespace
}  // namespace takt_rt
