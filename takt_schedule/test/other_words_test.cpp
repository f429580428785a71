// Words of other tools lead to the schedule's own words.
#include <gtest/gtest.h>

#include "schedule_text.hpp"

namespace takt_schedule
{
namespace
{

using test::faults;
using test::Strings;
using test::with_main;

constexpr const char * kRest = "\ndefault: a\n";

std::string rule(const std::string & pattern)
{
  return with_main(
    "threads: {a: {}}" + std::string(kRest) + "callbacks:\n  - {match: \"" + pattern + "\"}");
}

bool has(const Strings & all, const std::string & words)
{
  return std::any_of(all.begin(), all.end(), [&](const std::string & one) {
    return one.find(words) != std::string::npos;
  });
}

TEST(OtherWords, OfThreads)
{
  const std::map<std::string, std::string> keys{
    {"affinity: [0]", "cores"},
    {"cpu_affinity: [0]", "cores"},
    {"cpu-set: [0]", "cores"},
    {"CPUAffinity: [0]", "cores"},
    {"scheduling_policy: fifo", "policy"},
    {"rt_priority: 40", "priority"},
    {"sched_priority: 40", "priority"},
    {"stack_size: 1MiB", "stack"},
    {"num_threads: 2", "count"},
    {"nice_level: 2", "nice"},
  };
  for (const auto & [written, ours] : keys) {
    const Strings found = faults(with_main("threads: {a: {" + written + "}}" + kRest));
    ASSERT_EQ(found.size(), 1U) << written;
    EXPECT_EQ(
      found.front(), "s.yaml:4:19: unknown key '" + written.substr(0, written.find(':')) +
                       "' in threads 'a'; did you mean '" + ours + "'?");
  }
}

TEST(OtherWords, OfPoliciesAndOrders)
{
  const std::map<std::string, std::string> policies{
    {"SCHED_FIFO", "fifo"}, {"Fifo", "fifo"},          {"SCHED_OTHER", "other"},
    {"NORMAL", "other"},    {"SCHED_NORMAL", "other"}, {"CFS", "other"},
    {"round_robin", "rr"},  {"SCHED_RR", "rr"},        {"SCHED_DEADLINE", "deadline"},
    {"EDF", "deadline"},
  };
  for (const auto & [theirs, ours] : policies) {
    const Strings found = faults(with_main("threads: {a: {policy: " + theirs + "}}" + kRest));
    EXPECT_TRUE(has(found, "policy cannot be '" + theirs + "'; did you mean '" + ours + "'?"))
      << theirs;
  }
  EXPECT_TRUE(has(
    faults(with_main("order: fixed-priority\nthreads: {a: {}}" + std::string(kRest))),
    "order cannot be 'fixed-priority'; did you mean 'priority'?"));
}

TEST(OtherWords, OfExecutorsAndRules)
{
  EXPECT_TRUE(has(
    faults(with_main("threads: {a: {}}\ndefault_thread: a")),
    "unknown key 'default_thread' in executor 'main'; did you mean 'default'?"));
  EXPECT_TRUE(has(
    faults(with_main("threads: [{name: hot}]\ndefault: all")),
    "threads must be a map of names, not a list"));
  const Strings found = faults(with_main(
    "threads: {a: {}}" + std::string(kRest) + "callbacks:\n  - {name: /x, thread: a, prio: 3}\n" +
    "groups:\n  - {callback_group: \"/x:group(0)\", isolated: true}"));
  for (const auto & [theirs, ours] : std::map<std::string, std::string>{
         {"name", "match"},
         {"thread", "threads"},
         {"prio", "priority"},
         {"callback_group", "match"},
         {"isolated", "isolate"}}) {
    EXPECT_TRUE(has(found, "'" + theirs + "' in")) << theirs;
    EXPECT_TRUE(has(found, "did you mean '" + ours + "'?")) << ours;
  }
}

TEST(OtherWords, OfIds)
{
  for (const auto & [theirs, ours] : std::map<std::string, std::string>{
         {"/x:subscription(/p)", "/x:sub(/p)"},
         {"/x:subscriber(/p)", "/x:sub(/p)"},
         {"/x:topic(/p)", "/x:sub(/p)"},
         {"/x:srv(/p)", "/x:service(/p)"},
         {"/x:action(/navigate)", "/x:waitable(action_*)**"},
         {"/x@Timer(33000000)", "/x:timer(33ms)"},
         {"/x@Subscription(/p)", "/x:sub(/p)"}}) {
    const Strings found = faults(rule(theirs));
    ASSERT_EQ(found.size(), 1U) << theirs;
    EXPECT_TRUE(has(found, "did you mean '" + ours + "'")) << found.front();
  }
}

TEST(OtherWords, AreOursWhereTheyAreKnown)
{
  // `threads`, `deadline` and `priority` are words both of other tools and of schedules.
  EXPECT_EQ(
    faults(with_main(
      "order: priority\nthreads: {a: {policy: deadline, runtime: 1ms, period: 9ms}}" +
      std::string(kRest) + "callbacks:\n  - {match: \"/x:timer(1s)\", threads: a, deadline: 1s}")),
    Strings{});
}

}  // namespace
}  // namespace takt_schedule
