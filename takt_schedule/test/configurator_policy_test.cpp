// The configurator's policy file: read into values, or refused with all faults at once.
#include "takt_schedule/configurator_policy.hpp"

#include <gtest/gtest.h>

#include <string>

namespace takt_schedule
{
namespace
{

using takt_rt::Policy;

NameLookup names()
{
  const auto find = [](const std::string & name) -> std::optional<uid_t> {
    return name == "robot" ? std::optional<uid_t>(1000) : std::nullopt;
  };
  return {find, find};
}

takt_rt::Result<ConfiguratorPolicy> parse(const std::string & text)
{
  return parse_configurator_policy(text, "p.yaml", names());
}

std::string faults(const std::string & text)
{
  std::string all;
  for (const std::string & sentence : sentences(parse(text).faults())) {
    all += sentence + "\n";
  }
  return all;
}

TEST(ConfiguratorPolicy, IsReadIntoValues)
{
  const auto policy = parse(
    "version: 1\n"
    "deadline_bandwidth: 1.5\n"
    "rules:\n"
    "  - users: [robot, 1001]\n"
    "    groups: robot\n"
    "    policies: [fifo, rr, deadline]\n"
    "    max_priority: 80\n"
    "    min_nice: -10\n"
    "    cores: [3, 2]\n"
    "    deadline_bandwidth: 0.5\n"
    "    max_threads: 20\n"
    "    rtprio_limit: 40\n"
    "  - users: any\n");
  ASSERT_TRUE(policy.ok()) << to_string(policy.faults().front());
  EXPECT_EQ(policy->deadline_bandwidth, 1.5);
  ASSERT_EQ(policy->rules.size(), 2U);
  const ConfiguratorRule & rule = policy->rules[0];
  EXPECT_EQ(rule.source.line, 4);
  EXPECT_EQ(rule.who, "user robot, user 1001, group robot");
  EXPECT_EQ(rule.users, (std::vector<uid_t>{1000, 1001}));
  EXPECT_EQ(rule.groups, (std::vector<gid_t>{1000}));
  EXPECT_EQ(rule.policies, (std::vector<Policy>{Policy::fifo, Policy::rr, Policy::deadline}));
  EXPECT_EQ(rule.max_priority, 80);
  EXPECT_EQ(rule.min_nice, -10);
  EXPECT_EQ(rule.cores, (std::vector<int>{2, 3}));
  EXPECT_EQ(rule.deadline_bandwidth, 0.5);
  EXPECT_EQ(rule.max_threads, 20);
  EXPECT_EQ(rule.rtprio_limit, 40);
  EXPECT_TRUE(policy->rules[1].anybody);
  EXPECT_EQ(policy->rules[1].rtprio_limit, 0);
  EXPECT_FALSE(policy->rules[1].cores.has_value());
  EXPECT_TRUE(policy->warnings.empty());
}

TEST(ConfiguratorPolicy, TellsAllFaultsAtOnce)
{
  EXPECT_EQ(
    faults("version: 1\n"
           "rule: []\n"
           "rules:\n"
           "  - users: ghost\n"
           "    policies: [fifo, fifoo, inherit]\n"
           "  - policies: other\n"
           "    max_priority: 5\n"
           "  - users: any\n"
           "    groups: 1\n"
           "    min_nice: -21\n"
           "    cores: [1, 1]\n"
           "  - users: 4294967295\n"
           "    policies: deadline\n"
           "    deadline_bandwidth: 0\n"),
    "p.yaml:2:1: unknown key 'rule' in a configurator policy; did you mean 'rules'?\n"
    "p.yaml:4:5: a rule has no 'max_priority'; add max_priority: 80\n"
    "p.yaml:4:12: this machine has no user 'ghost'; write a name that `getent passwd` lists, or a "
    "number\n"
    "p.yaml:5:22: policies cannot be 'fifoo'; did you mean 'fifo'?\n"
    "p.yaml:5:29: policies cannot be 'inherit'; choices are other, batch, idle, fifo, rr and "
    "deadline\n"
    "p.yaml:6:5: a rule needs users or groups; add users: robot, or users: any\n"
    "p.yaml:7:5: max_priority belongs to the policies fifo and rr, which the rule has not\n"
    "p.yaml:9:5: users: any includes the users of all groups; omit groups\n"
    "p.yaml:10:15: min_nice must be a whole number from -20 to 19, not '-21'\n"
    "p.yaml:11:16: core 1 is listed twice\n"
    "p.yaml:12:12: this machine has no user '4294967295'; write a name that `getent passwd` lists, "
    "or a number\n"
    "p.yaml:14:25: deadline_bandwidth must be a number of cores above 0, such as 0.5 for half of "
    "one, not '0'\n");
}

TEST(ConfiguratorPolicy, NeedsItsVersionAndItsRules)
{
  EXPECT_EQ(
    faults("{}"),
    "p.yaml:1:1: no format version; add 'version: 1'\n"
    "p.yaml:1:1: a configurator policy has no 'rules'; add rules: [{users: robot, policies: "
    "[fifo], "
    "max_priority: 80}]\n");
  EXPECT_NE(
    faults("version: 2\nrules: []").find("format version '2' is unknown"), std::string::npos);
  EXPECT_NE(faults("rules: {a: 1}\nversion: 1").find("rules must be a list"), std::string::npos);
  EXPECT_NE(faults("").find("p.yaml"), std::string::npos);
}

TEST(ConfiguratorPolicy, WarnsOfRulesThatAreNeverUsed)
{
  const auto policy = parse(
    "version: 1\nrules:\n  - users: any\n  - {users: robot, policies: fifo, max_priority: 1, "
    "rtprio_limit: 2}\n");
  ASSERT_TRUE(policy.ok());
  ASSERT_EQ(policy->warnings.size(), 2U);
  EXPECT_NE(to_string(policy->warnings[0]).find("the rule is never used"), std::string::npos);
  EXPECT_NE(
    to_string(policy->warnings[1]).find("rtprio_limit is above max_priority"), std::string::npos);
  EXPECT_EQ(parse("version: 1\nrules: []")->warnings.size(), 1U);
}

TEST(ConfiguratorPolicy, KnowsTheSystemsUsersAndGroups)
{
  const auto policy =
    parse_configurator_policy("version: 1\nrules: [{users: root, groups: root}]", "p");
  ASSERT_TRUE(policy.ok());
  EXPECT_EQ(policy->rules[0].users, std::vector<uid_t>{0});
  EXPECT_EQ(policy->rules[0].groups, std::vector<gid_t>{0});
}

TEST(ConfiguratorPolicy, AFileThatCannotBeReadIsOneFault)
{
  const auto policy = load_configurator_policy("/nonexistent/policy.yaml");
  ASSERT_EQ(policy.faults().size(), 1U);
}

}  // namespace
}  // namespace takt_schedule
