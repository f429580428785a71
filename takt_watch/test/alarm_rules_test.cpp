// Alarms for a thread with callbacks under virtual time: when they are raised and cleared, and
// which cause they name.
#include "alarms/alarm_rules.hpp"
#include "alarms/cause.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "support/world.hpp"

namespace takt_watch::test
{
namespace
{

using Who = Cause::Kind;

std::string words(const std::vector<Alarm> & alarms)
{
  std::string all;
  for (const Alarm & alarm : alarms) {
    all += std::string(to_string(alarm.kind)) + (alarm.raised ? " raised: " : " cleared: ") +
           alarm.text + "\n";
  }
  return all;
}

struct Load
{
  std::uint32_t depth;
  std::size_t publishers;
};

class Loads : public ::testing::TestWithParam<Load>
{
protected:
  /// `rate`: the rate of all publishers together, as a multiple of the callback's capacity (100 a
  /// second).
  Worker & subscribe(World & world, double rate)
  {
    Worker & worker = world.add("/n:sub(/points)", 10, milliseconds(10), GetParam().depth);
    worker.sample.rule.backlog = half_full();
    const auto publishers = static_cast<double>(GetParam().publishers);
    for (std::size_t i = 0; i < GetParam().publishers; ++i) {
      const auto period = Duration(static_cast<std::int64_t>(1e7 * publishers / rate));
      worker.sources.push_back({period, period / 10, period * static_cast<int>(i) / 7});
    }
    return worker;
  }
};

TEST_P(Loads, runs_that_take_twice_the_time_between_messages_are_named_within_one_period)
{
  World world;
  Worker & worker = subscribe(world, 2.0);
  std::optional<Duration> crossed;
  for (int step = 0; step < 40'000 && world.alarms.empty(); ++step) {
    world.run(milliseconds(1));
    const bool crosses = GetParam().depth == 1
                           ? worker.sample.overwritten > 0
                           // Wait for one message more, so that the next take does not undo the
                           // crossing.
                           : worker.waiting.size() > std::max(GetParam().depth / 2, 1U);
    if (crosses && !crossed) {
      crossed = world.now();
    }
  }
  ASSERT_FALSE(world.alarms.empty());
  const Alarm & alarm = world.alarms.front();
  EXPECT_EQ(alarm.kind, GetParam().depth == 1 ? AlarmKind::lost : AlarmKind::backlog);
  ASSERT_TRUE(crossed);
  EXPECT_LE(alarm.time - (Time() + *crossed), milliseconds(101));
  ASSERT_TRUE(alarm.cause);
  EXPECT_EQ(alarm.cause->kind, Who::runs_too_long) << alarm.text;
  EXPECT_NEAR(alarm.cause->demand, 2.0, 0.2);
  EXPECT_EQ(alarm.cause->run, milliseconds(10));
  EXPECT_NE(alarm.text.find(": its runs take 10.0 ms, and messages come "), std::string::npos)
    << alarm.text;
}

TEST_P(Loads, a_starved_callback_at_its_usual_rate_names_what_had_the_processor)
{
  World world;
  Worker & worker = subscribe(world, 0.5);
  Worker & greedy = world.add("/n:timer(10ms)", 200, milliseconds(9), 1000);
  world.run(std::chrono::seconds(5));
  ASSERT_TRUE(world.alarms.empty()) << words(world.alarms);
  greedy.sources.push_back({milliseconds(10), {}, world.now()});
  for (int step = 0; step < 6000 && world.alarms.empty(); ++step) {
    world.run(milliseconds(10));
  }
  ASSERT_FALSE(world.alarms.empty());
  const Alarm & alarm = world.alarms.front();
  ASSERT_TRUE(alarm.cause);
  EXPECT_EQ(alarm.cause->kind, Who::too_little_processor_time) << alarm.text;
  ASSERT_FALSE(alarm.cause->who.empty());
  EXPECT_EQ(alarm.cause->who.front().name, greedy.sample.id) << alarm.text;
  EXPECT_GT(alarm.cause->who.front().share, 0.8);
  EXPECT_NE(alarm.text.find(greedy.sample.id), std::string::npos);
  EXPECT_EQ(alarm.callback, worker.sample.id);
}

TEST_P(Loads, nothing_is_said_for_ten_minutes_at_eight_tenths_of_the_load)
{
  World world;
  subscribe(world, 0.8);
  world.run(std::chrono::minutes(10));
  EXPECT_TRUE(world.alarms.empty()) << words(world.alarms);
}

INSTANTIATE_TEST_SUITE_P(
  DepthsAndPublishers, Loads,
  ::testing::Values(Load{1, 1}, Load{10, 1}, Load{1000, 1}, Load{10, 3}, Load{1000, 3}),
  [](const auto & info) {
    return "depth_" + std::to_string(info.param.depth) + "_publishers_" +
           std::to_string(info.param.publishers);
  });

// A subscription of 100 messages that one publisher fills at 20 Hz.
class Causes : public ::testing::Test
{
protected:
  Causes() : worker(world.add("/n:sub(/points)", 10, milliseconds(10)))
  {
    worker.sample.rule.backlog = half_full();
    worker.sources.push_back({milliseconds(50), {}, {}});
    world.run(std::chrono::seconds(20));
  }
  const Alarm & first_alarm()
  {
    for (int step = 0; step < 1000 && world.alarms.empty(); ++step) {
      world.run(milliseconds(100));
    }
    if (world.alarms.empty()) {
      throw std::runtime_error("no alarm");
    }
    return world.alarms.front();
  }
  World world;
  Worker & worker;
};

TEST_F(Causes, a_publisher_that_becomes_faster)
{
  ASSERT_TRUE(world.alarms.empty());
  worker.sources[0].period = milliseconds(5);
  const Alarm & alarm = first_alarm();
  ASSERT_TRUE(alarm.cause);
  EXPECT_EQ(alarm.cause->kind, Who::publisher_faster);
  ASSERT_TRUE(alarm.cause->usual_rate);
  EXPECT_NEAR(*alarm.cause->usual_rate, 20, 3);
  EXPECT_GT(alarm.cause->arrival_rate, 60);
}

TEST_F(Causes, another_process_on_the_core)
{
  world.share = 0.1;
  const Alarm & alarm = first_alarm();
  ASSERT_TRUE(alarm.cause);
  EXPECT_EQ(alarm.cause->kind, Who::too_little_processor_time) << alarm.text;
  ASSERT_FALSE(alarm.cause->who.empty());
  EXPECT_EQ(alarm.cause->who.front().name, "other threads of core 1");
  EXPECT_NEAR(alarm.cause->who.front().share, 0.9, 0.1);
}

TEST_F(Causes, its_own_runs_that_become_longer)
{
  worker.execution = milliseconds(70);
  const Alarm & alarm = first_alarm();
  ASSERT_TRUE(alarm.cause);
  EXPECT_EQ(alarm.cause->kind, Who::runs_longer) << alarm.text;
  EXPECT_EQ(alarm.cause->run, milliseconds(70));
  // Runs before the alarm count as usual ones.
  ASSERT_TRUE(alarm.cause->usual_run);
  EXPECT_LT(*alarm.cause->usual_run, milliseconds(20));
  EXPECT_NE(alarm.text.find(": its runs take longer: 70.0 ms, usually 1"), std::string::npos)
    << alarm.text;
}

TEST_F(Causes, its_own_runs_that_become_longer_than_the_time_to_the_alarm)
{
  worker.sources[0].period = milliseconds(20);
  world.run(std::chrono::seconds(60));
  ASSERT_TRUE(world.alarms.empty()) << words(world.alarms);
  worker.execution = milliseconds(150);
  const Alarm & alarm = first_alarm();
  ASSERT_TRUE(alarm.cause);
  EXPECT_EQ(alarm.cause->kind, Who::runs_longer) << alarm.text;
  ASSERT_TRUE(alarm.cause->running || alarm.cause->run);
}

TEST_F(Causes, its_run_that_sleeps_and_does_not_return)
{
  worker.execution = std::chrono::seconds(3);
  world.asleep = true;
  const Alarm & alarm = first_alarm();
  ASSERT_TRUE(alarm.cause);
  EXPECT_EQ(alarm.cause->kind, Who::runs_longer) << alarm.text;
  ASSERT_TRUE(alarm.cause->running);
  EXPECT_NEAR(std::chrono::duration<double>(*alarm.cause->running).count(), 0.25, 0.1);
  EXPECT_NE(alarm.text.find(": its run has not returned for "), std::string::npos) << alarm.text;
}

TEST_F(Causes, a_run_that_waits_for_a_core_is_not_longer)
{
  worker.execution = milliseconds(12);
  world.share = 0.02;
  const Alarm & alarm = first_alarm();
  ASSERT_TRUE(alarm.cause);
  EXPECT_EQ(alarm.cause->kind, Who::too_little_processor_time) << alarm.text;
}

TEST_F(Causes, a_publisher_that_was_away_and_comes_back_faster)
{
  worker.execution = milliseconds(40);
  world.run(std::chrono::seconds(60));
  worker.sources[0].next = world.now() + std::chrono::seconds(3);
  worker.sources[0].period = milliseconds(13);  // fewer than ten messages come until the alarm
  const Alarm & alarm = first_alarm();
  ASSERT_TRUE(alarm.cause);
  EXPECT_EQ(alarm.cause->kind, Who::publisher_faster) << alarm.text;
  EXPECT_GT(alarm.cause->arrival_rate, 30) << alarm.text;
}

TEST_F(Causes, a_single_run_that_never_ends_is_named_while_it_runs)
{
  Worker & endless = world.add("/n:timer(1s)", 200, std::chrono::hours(1), 1);
  endless.sources.push_back({std::chrono::hours(10), {}, world.now()});
  const Alarm & alarm = first_alarm();
  ASSERT_TRUE(alarm.cause);
  EXPECT_EQ(alarm.cause->kind, Who::too_little_processor_time) << alarm.text;
  ASSERT_FALSE(alarm.cause->who.empty());
  EXPECT_EQ(alarm.cause->who.front().name, endless.sample.id);
}

TEST_F(Causes, a_publisher_that_began_late_is_not_faster_for_that)
{
  World late;
  Worker & one = late.add("/n:sub(/points)", 10, milliseconds(5));
  one.sample.rule.backlog = half_full();
  Worker & greedy = late.add("/n:timer(10ms)", 200, milliseconds(10), 1000);
  late.run(std::chrono::seconds(10));
  one.sources.push_back({milliseconds(20), {}, late.now()});
  late.run(std::chrono::seconds(5));
  greedy.sources.push_back({milliseconds(10), {}, late.now()});
  late.run(std::chrono::seconds(2));
  ASSERT_FALSE(late.alarms.empty());
  ASSERT_TRUE(late.alarms.front().cause);
  EXPECT_EQ(late.alarms.front().cause->kind, Who::too_little_processor_time)
    << late.alarms.front().text;
}

// In a planned system each callback has its own thread. The culprit runs on another thread of the
// same core.
TEST_F(Causes, a_callback_on_another_thread_of_the_core_is_named)
{
  Sample before = world.sample();
  before.executors[0].threads[0].run_queue_delay = {};
  before.executors[0].callbacks[0].threads = {0};
  ThreadSample other;
  other.number = 1;
  other.name = "greedy";
  other.tid = 2;
  other.cores = {1};
  before.executors[0].threads.push_back(other);
  CallbackSample greedy;
  greedy.id = "/n:timer(1s)";
  greedy.threads = {1};
  before.executors[0].callbacks.push_back(greedy);
  ExecutorSample second;
  second.name = "second";
  other.number = 0;
  other.tid = 3;
  other.name = "helper";
  second.threads.push_back(other);
  before.executors.push_back(second);
  Sample now = before;
  const Duration window = milliseconds(100);
  now.time += window;
  now.executors[0].threads[0].run_queue_delay = milliseconds(90);
  now.executors[0].threads[1].on_cpu += milliseconds(60);
  now.executors[0].callbacks[1].busy = milliseconds(60);
  now.executors[1].threads[0].on_cpu += milliseconds(20);
  const Rates rates;
  const Suspect suspect{now.executors[0].callbacks[0], rates};
  const Cause cause =
    find_cause(suspect, {before.executors[0], now.executors[0], before, now, window, now.time});
  ASSERT_EQ(cause.kind, Who::too_little_processor_time);
  ASSERT_EQ(cause.who.size(), 3U);
  EXPECT_EQ(cause.who[0].name, "/n:timer(1s)");
  EXPECT_NEAR(cause.who[0].share, 0.6, 0.01);
  EXPECT_EQ(cause.who[1].name, "thread helper");
  EXPECT_NEAR(cause.who[1].share, 0.2, 0.01);
  EXPECT_EQ(cause.who[2].name, "other threads of core 1");
  EXPECT_NEAR(cause.who[2].share, 0.1, 0.01);
}

// The causes name other processes, the kernel, and threads of this process that run no callbacks.
TEST_F(Causes, whoever_had_the_core_is_named_for_as_long_as_the_thread_waited)
{
  Sample before = world.sample();
  before.executors[0].threads[0].tid = 11;
  before.executors[0].threads[0].run_queue_delay = {};
  before.executors[0].callbacks[0].threads = {0};
  ThreadSample free;  // a thread of the executor that may use any core
  free.number = 1;
  free.name = "free";
  free.tid = 12;
  free.cores = {0, 1};
  before.executors[0].threads.push_back(free);
  CallbackSample other;
  other.id = "/n:timer(1s)";
  other.threads = {1};
  before.executors[0].callbacks.push_back(other);
  Sample now = before;
  const Duration window = milliseconds(100);
  now.time += window;
  now.executors[0].threads[0].run_queue_delay = milliseconds(90);
  now.executors[0].callbacks[1].busy = milliseconds(30);
  const auto user = [](CoreUser::Kind kind, pid_t tid, const char * name, int core, double share) {
    return CoreUser{kind, tid, tid, name, core, share};
  };
  CoreUse use;
  use.users = {
    user(CoreUser::Kind::process, 5, "elsewhere", 0, 1.0),
    user(CoreUser::Kind::own, 12, "free", 1, 0.3),
    user(CoreUser::Kind::process, 6, "greedy", 1, 0.2),
    user(CoreUser::Kind::own, 11, "itself", 1, 0.1),
    user(CoreUser::Kind::kernel, 7, "kworker/1:0", 1, 0.15),
    user(CoreUser::Kind::own, 13, "dds.udp", 1, 0.05)};
  use.unseen = "some are hidden";
  const AskCores cores = [&](Time, Duration) -> const CoreUse & { return use; };
  const Rates rates;
  const Suspect suspect{now.executors[0].callbacks[0], rates};
  const auto find = [&] {
    return find_cause(
      suspect, {before.executors[0], now.executors[0], before, now, window, now.time, &cores});
  };
  const Cause cause = find();
  ASSERT_EQ(cause.kind, Who::too_little_processor_time);
  const std::vector<std::pair<std::string, double>> expected = {
    {"/n:timer(1s)", 0.3},
    {"process greedy (6)", 0.2},
    {"other threads of core 1 (some are hidden)", 0.2},
    {"kernel thread kworker/1:0", 0.15},
    {"thread dds.udp", 0.05}};
  ASSERT_EQ(cause.who.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(cause.who[i].name, expected[i].first);
    EXPECT_NEAR(cause.who[i].share, expected[i].second, 0.01);
  }

  now.executors[0].threads[0].run_queue_delay = milliseconds(4);
  const Cause little = find();
  ASSERT_EQ(little.who.size(), 1U) << "the first explains it, and had no more than was waited for";
  EXPECT_NEAR(little.who[0].share, 0.04, 0.001);
  now.executors[0].threads[0].run_queue_delay = {};
  EXPECT_TRUE(find().who.empty()) << "nothing waited";
}

// An early look has a short window. A long run that ended in this window began before it.
TEST_F(Causes, who_had_the_processor_had_it_within_the_window)
{
  World short_looks(milliseconds(20));
  Worker & starved = short_looks.add("/n:sub(/points)", 10, milliseconds(1));
  starved.sample.rule.backlog = half_full();
  starved.sources.push_back({milliseconds(50), {}, {}});
  Worker & longer = short_looks.add("/n:timer(1s)", 200, milliseconds(505), 10);
  Worker & then = short_looks.add("/n:timer(2s)", 100, milliseconds(400), 10);
  longer.sources.push_back({std::chrono::seconds(100), {}, milliseconds(2000)});
  then.sources.push_back({std::chrono::seconds(100), {}, milliseconds(2001)});
  short_looks.run(milliseconds(2600));
  for (const Alarm & alarm : short_looks.alarms) {
    double sum = 0;
    for (const Cause::Share & one : alarm.cause ? alarm.cause->who : std::vector<Cause::Share>()) {
      sum += one.share;
    }
    EXPECT_LE(sum, 1.01) << alarm.text;
  }
}

// ---- single rules, on samples made by hand ----

class ByHand : public ::testing::Test
{
protected:
  std::vector<Alarm> look(std::int64_t at_ms)
  {
    Sample sample;
    sample.time = takt_rt::from_ns(at_ms * 1'000'000);
    sample.executors.push_back(executor);
    return rules.look(sample);
  }
  CallbackSample & callback()
  {
    if (executor.callbacks.empty()) {
      executor.name = "main";
      executor.callbacks.emplace_back();
      executor.callbacks[0].id = "/n:sub(/a)";
      executor.callbacks[0].depth = 10;
      executor.callbacks[0].threads = {0};
    }
    return executor.callbacks[0];
  }
  AlarmRules rules;
  ExecutorSample executor;
};

TEST_F(ByHand, backlog_is_raised_at_its_limit_and_cleared_below_its_release)
{
  callback().rule.backlog.emplace().messages = 4;
  callback().waiting = 3;
  EXPECT_TRUE(look(0).empty());
  callback().waiting = 4;
  const auto raised = look(100);
  ASSERT_EQ(raised.size(), 1U);
  EXPECT_TRUE(raised[0].raised);
  EXPECT_EQ(raised[0].value, 4);
  EXPECT_EQ(raised[0].limit, 4);
  callback().waiting = 9;
  EXPECT_TRUE(look(200).empty());
  callback().waiting = 2;
  EXPECT_TRUE(look(300).empty()) << "half of the limit is not below half of it";
  callback().waiting = 1;
  const auto cleared = look(400);
  ASSERT_EQ(cleared.size(), 1U);
  EXPECT_FALSE(cleared[0].raised);
  EXPECT_TRUE(rules.active().empty());
}

TEST_F(ByHand, a_crossing_must_last_as_long_as_hold_says)
{
  callback().rule.backlog.emplace().messages = 4;
  callback().rule.backlog->hold = milliseconds(250);
  callback().waiting = 5;
  EXPECT_TRUE(look(0).empty());
  EXPECT_TRUE(look(100).empty());
  callback().waiting = 3;
  EXPECT_TRUE(look(200).empty());
  callback().waiting = 5;
  EXPECT_TRUE(look(300).empty());
  EXPECT_TRUE(look(500).empty());
  EXPECT_EQ(look(550).size(), 1U);
}

TEST_F(ByHand, age_says_when_it_will_be_too_great)
{
  callback().rule.backlog.emplace().age = milliseconds(50);
  EXPECT_TRUE(look(0).empty());
  EXPECT_FALSE(rules.next());
  callback().waiting = 1;
  callback().oldest_age = milliseconds(20);
  EXPECT_TRUE(look(100).empty());
  ASSERT_TRUE(rules.next());
  EXPECT_EQ(takt_rt::to_ns(*rules.next()), 130'000'000);
  callback().oldest_age = milliseconds(50);
  const auto raised = look(130);
  ASSERT_EQ(raised.size(), 1U);
  EXPECT_EQ(raised[0].kind, AlarmKind::age);
  EXPECT_FALSE(rules.next());
  callback().oldest_age.reset();
  callback().waiting = 0;
  EXPECT_EQ(look(200).size(), 1U);
}

TEST_F(ByHand, a_stall_is_raised_while_the_run_goes_on_and_cleared_at_its_end)
{
  callback().rule.stall = milliseconds(100);
  executor.threads.emplace_back();
  executor.threads[0].name = "hot";
  executor.threads[0].running =
    RunningCallback{callback().id, takt_rt::from_ns(1'000'000'000), milliseconds(100)};
  EXPECT_TRUE(look(1050).empty());
  ASSERT_TRUE(rules.next());
  EXPECT_EQ(takt_rt::to_ns(*rules.next()), 1'100'000'000);
  const auto raised = look(1100);
  ASSERT_EQ(raised.size(), 1U);
  EXPECT_EQ(raised[0].kind, AlarmKind::stall);
  EXPECT_EQ(raised[0].thread, "hot");
  EXPECT_TRUE(look(1200).empty());
  EXPECT_EQ(rules.active().size(), 1U);
  executor.threads[0].running->since = takt_rt::from_ns(1'250'000'000);
  const auto cleared = look(1300);
  ASSERT_EQ(cleared.size(), 1U);
  EXPECT_FALSE(cleared[0].raised);
}

TEST_F(ByHand, misses_are_counted_over_the_last_responses)
{
  callback().rule.misses = takt_schedule::MissRule{2, 20};
  callback().responses = 100;
  callback().misses = 2;
  callback().window = {2, 20};
  EXPECT_TRUE(look(0).empty());
  callback().misses = 3;
  callback().window = {3, 20};
  callback().responses = 105;
  const auto raised = look(100);
  ASSERT_EQ(raised.size(), 1U);
  EXPECT_EQ(raised[0].value, 3);
  callback().window = {1, 20};
  callback().responses = 120;
  EXPECT_TRUE(look(200).empty()) << "twenty have to be good";
  callback().responses = 125;
  EXPECT_EQ(look(300).size(), 1U);
}

TEST_F(ByHand, a_single_miss_between_two_looks_is_seen)
{
  executor.name = "main";
  executor.chains.emplace_back();
  ChainSample & chain = executor.chains[0];
  chain.name = "hot_path";
  chain.deadline = milliseconds(10);
  chain.activations = 10;
  chain.rule.fail_safe.push_back({takt_schedule::AlarmAction::Kind::run, "", {"stop"}, "", 0});
  EXPECT_TRUE(look(0).empty());
  chain.activations = 20;
  chain.misses = 1;
  chain.window = {0, 1};
  const auto raised = look(100);
  ASSERT_EQ(raised.size(), 1U);
  EXPECT_TRUE(raised[0].fail_safe);
  ASSERT_EQ(raised[0].actions.size(), 1U);
  EXPECT_EQ(raised[0].actions[0].words.front(), "stop");
  chain.activations = 25;
  EXPECT_TRUE(look(200).empty());
  chain.activations = 31;
  EXPECT_EQ(look(300).size(), 1U);
}

// A callback that takes all messages as they come, every 100 ms, and a chain that ends with it.
class Misses : public ByHand
{
protected:
  Misses()
  {
    callback().chain_id = callback().id;
    callback().rule.misses = takt_schedule::MissRule{0, 1};
    executor.callbacks.emplace_back();
    executor.callbacks[1].id = "/n:timer(1s)";
    executor.callbacks[1].threads = {0};
    executor.threads.emplace_back();
    executor.threads[0].tid = 1;
    executor.threads[0].cores = {1};
    executor.chains.emplace_back();
    executor.chains[0].name = "hot";
    executor.chains[0].path = {"/elsewhere:timer(1s)", callback().id};
    executor.chains[0].deadline = milliseconds(50);
    for (int i = 0; i < 20; ++i) {
      EXPECT_TRUE(after_a_run_of(milliseconds(10)).empty());
    }
  }
  std::vector<Alarm> after_a_run_of(Duration time)
  {
    callback().arrivals += 1;
    callback().starts += 1;
    callback().responses += 1;
    callback().busy += time;
    executor.chains[0].activations += 1;
    executor.threads[0].on_cpu += time;
    return look(now += 100);
  }
  std::vector<Alarm> missed(Duration time)
  {
    callback().misses += 1;
    callback().window = {1, 1};
    executor.chains[0].misses += 1;
    executor.chains[0].window = {1, 1};
    return after_a_run_of(time);
  }
  std::int64_t now = 0;
};

TEST_F(Misses, of_runs_that_become_longer)
{
  const auto alarms = missed(milliseconds(60));
  ASSERT_EQ(alarms.size(), 2U);
  ASSERT_TRUE(alarms[0].cause);
  EXPECT_EQ(alarms[0].cause->kind, Who::runs_longer);
  ASSERT_TRUE(alarms[1].cause);
  EXPECT_EQ(alarms[1].cause->kind, Who::runs_longer);
  EXPECT_EQ(alarms[1].cause->callback, callback().id);
  EXPECT_NE(alarms[1].text.find("the runs of " + callback().id + " take longer"), std::string::npos)
    << alarms[1].text;
}

TEST_F(Misses, of_a_callback_that_waits_for_another)
{
  executor.callbacks[1].busy += milliseconds(70);
  executor.threads[0].on_cpu += milliseconds(70);
  const auto alarms = missed(milliseconds(10));
  ASSERT_EQ(alarms.size(), 2U);
  for (const Alarm & alarm : alarms) {
    ASSERT_TRUE(alarm.cause);
    EXPECT_EQ(alarm.cause->kind, Who::too_little_processor_time);
    ASSERT_FALSE(alarm.cause->who.empty());
    EXPECT_EQ(alarm.cause->who.front().name, "/n:timer(1s)");
  }
  EXPECT_EQ(
    alarms[1].text,
    "chain hot: 1 response missed the deadline: /n:sub(/a) got too little processor "
    "time; /n:timer(1s) had 70 %");
}

TEST_F(Misses, of_an_activation_whose_message_did_not_come_are_not_blamed_on_a_little_other_work)
{
  executor.callbacks[1].busy += milliseconds(20);
  executor.threads[0].on_cpu += milliseconds(20);
  executor.chains[0].silent = milliseconds(50);
  executor.chains[0].misses += 1;
  executor.chains[0].activations += 1;
  executor.chains[0].window = {1, 1};
  const auto alarms = look(now += 100);
  ASSERT_EQ(alarms.size(), 1U);
  EXPECT_FALSE(alarms[0].cause) << alarms[0].text;
}

TEST_F(Misses, of_which_nothing_is_seen_have_no_cause)
{
  const auto alarms = missed(milliseconds(10));
  ASSERT_EQ(alarms.size(), 2U);
  EXPECT_FALSE(alarms[0].cause);
  EXPECT_FALSE(alarms[1].cause);
}

TEST_F(ByHand, losses_without_a_rule_of_backlog_are_no_alarm)
{
  callback().rule.budget = milliseconds(5);
  EXPECT_TRUE(look(0).empty());
  callback().lost = 2;
  callback().overwritten = 2;
  EXPECT_TRUE(look(100).empty());
}

TEST_F(ByHand, what_vanishes_clears_its_alarms_and_what_counts_anew_is_new)
{
  callback().rule.backlog.emplace().messages = 4;
  callback().waiting = 8;
  callback().arrivals = 100;
  callback().starts = 92;
  EXPECT_EQ(look(0).size(), 1U);
  callback().arrivals = 3;
  callback().starts = 3;
  callback().waiting = 0;
  EXPECT_EQ(look(100).size(), 1U);
  callback().waiting = 9;
  callback().arrivals = 12;
  EXPECT_EQ(look(200).size(), 1U);
  executor.callbacks.clear();
  const auto cleared = look(300);
  ASSERT_EQ(cleared.size(), 1U);
  EXPECT_FALSE(cleared[0].raised);
  EXPECT_NE(cleared[0].text.find("no longer"), std::string::npos);
}

TEST_F(ByHand, overruns_and_losses_are_cleared_after_ten_quiet_looks)
{
  callback().rule.backlog.emplace().messages = 100;
  callback().rule.budget = milliseconds(5);
  EXPECT_TRUE(look(0).empty());
  callback().overruns = 1;
  callback().longest_overrun = milliseconds(7);
  callback().lost = 0;
  callback().overwritten = 2;
  EXPECT_EQ(look(100).size(), 2U);
  std::size_t changes = 0;
  for (int i = 2; i < 11; ++i) {
    changes += look(100 * i).size();
  }
  EXPECT_EQ(changes, 0U);
  EXPECT_EQ(look(1100).size(), 2U);
}

TEST_F(ByHand, what_the_guard_noted_is_an_alarm_of_a_callback_with_a_rule)
{
  EXPECT_TRUE(look(0).empty());
  callback().guarded = 2;
  EXPECT_TRUE(look(100).empty());
  callback().rule.budget = milliseconds(5);
  EXPECT_TRUE(look(200).empty());
  callback().guarded = 5;
  const auto raised = look(300);
  ASSERT_EQ(raised.size(), 1U);
  EXPECT_EQ(raised[0].kind, AlarmKind::guard);
  EXPECT_EQ(raised[0].value, 3);
  EXPECT_NE(
    raised[0].text.find("the guard noted 3 events that real-time code should not have"),
    std::string::npos)
    << raised[0].text;
  std::size_t changes = 0;
  for (int i = 4; i < 13; ++i) {
    changes += look(100 * i).size();
  }
  EXPECT_EQ(changes, 0U);
  const auto cleared = look(1300);
  ASSERT_EQ(cleared.size(), 1U);
  EXPECT_FALSE(cleared[0].raised);
}

// The judge of events looks less often than a watch with a short period.
TEST_F(ByHand, an_alarm_of_judged_events_is_over_after_ten_looks_of_the_judge)
{
  callback().rule.budget = milliseconds(5);
  callback().guard_looks = 7;
  EXPECT_TRUE(look(0).empty());
  const auto looks = [this](int from, int to, bool events) {
    std::size_t changes = 0;
    for (int time = from; time < to; ++time) {
      if (time % 100 == 0) {
        ++*callback().guard_looks;
        callback().guarded += events ? 3 : 0;
      }
      changes += look(time).size();
    }
    return changes;
  };
  EXPECT_EQ(looks(1, 101, true), 1U);
  EXPECT_EQ(looks(101, 2000, true), 0U);
  EXPECT_EQ(looks(2000, 2900, false), 0U);
  EXPECT_EQ(looks(2900, 2901, false), 1U);
}

TEST_F(ByHand, an_alarm_of_judged_events_stays_while_the_judge_reads_a_file)
{
  callback().rule.budget = milliseconds(5);
  callback().guard_looks = 1;
  EXPECT_TRUE(look(0).empty());
  callback().guarded = 1;
  ++*callback().guard_looks;
  EXPECT_EQ(look(100).size(), 1U);
  for (int time = 200; time < 10'000; time += 100) {
    EXPECT_TRUE(look(time).empty());
  }
  callback().guarded = 2;
  ++*callback().guard_looks;
  EXPECT_TRUE(look(10'000).empty());
}

TEST_F(ByHand, all_events_count_while_nobody_applies_the_ignore_list)
{
  callback().rule.budget = milliseconds(5);
  callback().guard_looks = 1;
  callback().guard_events = 70;  // of which the list ignores all
  callback().guard_seen = 70;
  EXPECT_TRUE(look(0).empty());
  for (int time = 100; time < 10'000; time += 100) {
    callback().guard_events += 10;
    EXPECT_TRUE(look(time).empty());
    EXPECT_EQ(rules.line(), "");
  }
  callback().guard_events += 3;
  const auto raised = look(10'000);
  ASSERT_EQ(raised.size(), 1U);
  EXPECT_EQ(raised[0].kind, AlarmKind::guard);
  EXPECT_EQ(raised[0].value, 99 * 10 + 3) << "those since the judge's last look";
  EXPECT_NE(rules.line().find("has not done so for 10 s"), std::string::npos) << rules.line();
  std::size_t changes = 0;
  for (int i = 1; i < 10; ++i) {
    changes += look(10'000 + 100 * i).size();
    EXPECT_EQ(rules.line(), "") << "it was told";
  }
  EXPECT_EQ(changes, 0U);
  EXPECT_EQ(look(11'000).size(), 1U) << "ten looks without an event";
  callback().guard_events += 5;
  ++*callback().guard_looks;
  EXPECT_TRUE(look(11'100).empty()) << "the list ignores them";
  EXPECT_EQ(rules.line(), "the ignore list applies to alarms again");
}

TEST_F(ByHand, events_right_after_the_judge_ended_raise_an_alarm_when_its_end_is_noticed)
{
  callback().rule.budget = milliseconds(5);
  callback().guard_looks = 1;
  callback().guard_events = 70;
  callback().guard_seen = 69;  // the 70th came between both processes' looks
  EXPECT_TRUE(look(0).empty());
  callback().guard_events = 71;
  for (int time = 100; time < 10'000; time += 100) {
    EXPECT_TRUE(look(time).empty());
  }
  const auto raised = look(10'000);
  ASSERT_EQ(raised.size(), 1U);
  EXPECT_EQ(raised[0].kind, AlarmKind::guard);
  EXPECT_EQ(raised[0].value, 2);
  EXPECT_TRUE(look(10'100).empty()) << "they count once";
}

TEST_F(ByHand, the_end_of_the_judge_alone_raises_no_alarm)
{
  callback().rule.budget = milliseconds(5);
  callback().guard_looks = 1;
  callback().guard_events = 70;
  callback().guard_seen = 70;
  for (int time = 0; time < 12'000; time += 100) {
    EXPECT_TRUE(look(time).empty());
  }
}

TEST_F(ByHand, the_ignore_list_holds_after_both_processes_were_stopped)
{
  callback().rule.budget = milliseconds(5);
  callback().guard_looks = 1;
  EXPECT_TRUE(look(0).empty());
  callback().guard_events = 5;
  EXPECT_TRUE(look(3'600'000).empty());
  EXPECT_EQ(rules.line(), "");
}

TEST_F(ByHand, a_timer_under_a_rule_for_messages_raises_alarms_without_a_limit)
{
  callback().kind = takt_core::Kind::timer;
  callback().rule.stall = takt_rt::kForever;  // as of a rule with `backlog` alone
  EXPECT_TRUE(look(0).empty());
  callback().guarded = 1;
  callback().skipped = 2;
  const auto raised = look(100);
  ASSERT_EQ(raised.size(), 2U);
  EXPECT_EQ(raised[0].kind, AlarmKind::skipped);
  EXPECT_EQ(raised[1].kind, AlarmKind::guard);
}

// For any samples, alarms of one kind about one object are raised and cleared in turn.
TEST(AlarmRules, raise_and_clear_in_turn_whatever_comes)
{
  std::mt19937 random(11);
  const auto pick = [&](int from, int to) {
    return std::uniform_int_distribution<int>(from, to)(random);
  };
  for (int round = 0; round < 100; ++round) {
    AlarmRules rules;
    std::map<std::string, bool> up;
    std::int64_t time = 0;
    for (int step = 0; step < 100; ++step) {
      Sample sample;
      time += pick(0, 200);
      sample.time = takt_rt::from_ns(time * 1'000'000);
      for (int e = pick(0, 2); e > 0; --e) {
        ExecutorSample executor;
        executor.name = "e" + std::to_string(e);
        for (int c = pick(0, 3); c > 0; --c) {
          CallbackSample one;
          one.id = "c" + std::to_string(c);
          one.kind = pick(0, 1) != 0 ? takt_core::Kind::timer : takt_core::Kind::subscription;
          one.depth = static_cast<std::uint32_t>(pick(1, 10));
          one.waiting = static_cast<std::uint32_t>(pick(0, 10));
          if (pick(0, 1) != 0) {
            one.oldest_age = milliseconds(pick(0, 100));
          }
          one.exclusive = pick(0, 1) != 0;
          one.threads = {0, static_cast<std::uint32_t>(pick(0, 3))};
          one.arrivals = static_cast<std::uint64_t>(pick(0, 100));
          one.starts = static_cast<std::uint64_t>(pick(0, 100));
          one.overwritten = static_cast<std::uint64_t>(pick(0, 5));
          one.skipped = static_cast<std::uint64_t>(pick(0, 5));
          one.guarded = static_cast<std::uint64_t>(pick(0, 5));
          if (c == 1) {
            one.guard_looks = static_cast<std::uint32_t>(pick(0, 2));
            one.guard_events = static_cast<std::uint64_t>(pick(0, 9));
          }
          one.responses = static_cast<std::uint64_t>(pick(0, 50));
          one.misses = static_cast<std::uint64_t>(pick(0, 5));
          one.window = {static_cast<std::uint32_t>(pick(0, 3)), 5};
          one.overruns = static_cast<std::uint64_t>(pick(0, 3));
          one.busy = milliseconds(pick(0, 1000));
          one.rule.backlog.emplace().messages = 5;
          one.rule.backlog->age = milliseconds(50);
          one.rule.backlog->rate = 1.2;
          one.rule.backlog->hold = milliseconds(pick(0, 1) * 50);
          one.rule.budget = milliseconds(1);
          one.rule.misses = takt_schedule::MissRule{1, 5};
          executor.callbacks.push_back(one);
        }
        for (int t = pick(0, 3); t > 0; --t) {
          ThreadSample thread;
          thread.number = static_cast<std::uint32_t>(t);
          thread.tid = t;
          thread.name = "t" + std::to_string(t);
          thread.on_cpu = milliseconds(pick(0, 100));
          thread.run_queue_delay = milliseconds(pick(0, 100));
          if (pick(0, 1) != 0) {
            thread.running = RunningCallback{
              "c1", takt_rt::from_ns((time - pick(0, 100)) * 1'000'000), milliseconds(30)};
          }
          executor.threads.push_back(thread);
        }
        sample.executors.push_back(executor);
      }
      for (const Alarm & alarm : rules.look(sample)) {
        const std::string key = alarm.executor + " " + std::string(to_string(alarm.kind)) + " " +
                                alarm.callback + alarm.chain + alarm.thread;
        ASSERT_NE(up[key], alarm.raised) << key << ", round " << round;
        ASSERT_FALSE(alarm.text.empty());
        up[key] = alarm.raised;
      }
      std::size_t active = 0;
      for (const auto & [key, raised] : up) {
        active += raised ? 1 : 0;
      }
      ASSERT_EQ(rules.active().size(), active);
    }
  }
}

}  // namespace
}  // namespace takt_watch::test
