// Set-up refuses wrong requests with a fault.
#include <gtest/gtest.h>

#include "support/by_hand.hpp"

namespace takt_core::test
{
namespace
{

class Refusals : public testing::Test
{
protected:
  // The only fault, as text; otherwise the number of faults.
  static std::string fault(const Status & status)
  {
    return status.faults().size() == 1 ? to_string(status.faults()[0])
                                       : std::to_string(status.faults().size()) + " faults";
  }
  std::string add(Kind kind, std::optional<TimerOptions> timer, const Binding & binding = {})
  {
    CallbackOptions options;
    options.id = "c";
    options.kind = kind;
    options.timer = timer;
    return fault(hand.scheduler.add(std::make_shared<SilentCallback>(options), binding));
  }

  ByHand hand{1, Order::edf};
};

TEST_F(Refusals, of_deadlines_that_are_not_above_zero)
{
  Binding binding;
  for (const Duration deadline : {Duration::min(), millis(-1), millis(0)}) {
    binding.deadline = deadline;
    EXPECT_NE(add(Kind::subscription, {}, binding).find("deadline"), std::string::npos);
  }
  const auto a = hand.add("a");
  EXPECT_NE(fault(hand.scheduler.set_deadline(*a, millis(-5))).find("deadline"), std::string::npos);
  EXPECT_FALSE(hand.scheduler.binding(*a)->deadline.has_value());
  EXPECT_TRUE(hand.scheduler.set_deadline(*a, millis(5)).ok());
  EXPECT_TRUE(hand.scheduler.set_deadline(*a, std::nullopt).ok());
}

TEST_F(Refusals, of_chains_that_end_before_they_begin)
{
  EXPECT_NE(
    fault(hand.scheduler.set_chain({"chain", {"a"}, 0, millis(-5), {}})).find("deadline"),
    std::string::npos);
  EXPECT_NE(
    fault(hand.scheduler.set_chain({"chain", {"a"}, 0, kForever, millis(-1)})).find("period"),
    std::string::npos);
  EXPECT_EQ(
    fault(hand.scheduler.set_chain({"chain", {}, 256, millis(-5), millis(-1)})), "4 faults");
  EXPECT_TRUE(hand.scheduler.chains().empty());
}

TEST_F(Refusals, of_timers_that_are_due_before_they_are_there)
{
  TimerOptions timer;
  timer.period = millis(1);
  timer.offset = millis(-3'600'000);
  for (const MissedPeriods policy :
       {MissedPeriods::skip, MissedPeriods::catch_up, MissedPeriods::restart}) {
    timer.missed_periods = policy;
    EXPECT_NE(add(Kind::timer, timer).find("offset"), std::string::npos);
  }
  timer.offset = millis(0);
  timer.period = millis(-1);
  EXPECT_NE(add(Kind::timer, timer).find("period"), std::string::npos);
  EXPECT_NE(add(Kind::timer, {}).find("period"), std::string::npos);
  timer.period = millis(1);
  EXPECT_EQ(add(Kind::timer, timer), "0 faults");
}

TEST_F(Refusals, of_timer_options_on_what_is_no_timer)
{
  TimerOptions timer;
  timer.period = millis(1);
  for (const Kind kind : {Kind::subscription, Kind::service, Kind::client, Kind::waitable}) {
    EXPECT_NE(add(kind, timer).find("timer options"), std::string::npos);
  }
}

TEST_F(Refusals, of_callbacks_of_a_graph_and_of_a_path_in_one_sequence)
{
  Binding graph;
  graph.sequence = SequencePlace{3, 0, true};
  const auto a = hand.add("a", nullptr, graph);
  EXPECT_TRUE(hand.faults.empty());
  Binding path;
  path.sequence = SequencePlace{3, 1, false};
  EXPECT_EQ(
    add(Kind::subscription, {}, path),
    "c: its sequence is a graph for a, and none for this callback; it is one for all of its "
    "callbacks or for none");
  path.sequence = SequencePlace{2, 1, false};
  EXPECT_EQ(add(Kind::subscription, {}, path), "0 faults");
  hand.scheduler.remove(*a);
  path.sequence = SequencePlace{3, 0, false};
  hand.add("b", nullptr, path);
  EXPECT_TRUE(hand.faults.empty());  // no callback of the graph is left
}

TEST_F(Refusals, leave_nothing_behind)
{
  EXPECT_NE(add(Kind::timer, {}), "0 faults");
  EXPECT_EQ(hand.scheduler.find("c"), nullptr);
  EXPECT_EQ(add(Kind::subscription, {}), "0 faults");
}

}  // namespace
}  // namespace takt_core::test
