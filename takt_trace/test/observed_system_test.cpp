// Models of observations, read back from the written files.
#include "takt_trace/observed_system.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/reports.hpp"
#include "takt_schedule/parse_system.hpp"
#include "takt_schedule/to_yaml.hpp"

namespace takt_trace::test
{
namespace
{

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using takt_schedule::CallbackModel;

/// A model that was written and read again.
struct Model
{
  takt_schedule::System system;
  std::map<std::string, std::string> comments;  ///< by id
  std::vector<std::string> notes;
  std::string header;

  const CallbackModel & operator[](const std::string & id) const
  {
    static const CallbackModel kNone;
    for (const CallbackModel & callback : system.callbacks) {
      if (callback.id == id) {
        return callback;
      }
    }
    ADD_FAILURE() << "no callback " << id;
    return kNone;
  }
  bool has(const std::string & id) const { return comments.contains(id); }
  bool says(const std::string & id, const std::string & words) const
  {
    const auto found = comments.find(id);
    return found != comments.end() && found->second.find(words) != std::string::npos;
  }
  bool notes_say(const std::string & words) const
  {
    return std::any_of(notes.begin(), notes.end(), [&](const std::string & note) {
      return note.find(words) != std::string::npos;
    });
  }
};

Model model_of(const ordered_json & report, const ModelOptions & options = {})
{
  Model model;
  const ObservedSystem observed = observed_system(report, options);
  for (const CallbackModel & callback : observed.system.callbacks) {
    model.comments[callback.id] = callback.source.comment;
  }
  model.notes = observed.notes;
  model.header = observed.header;
  const std::string text = takt_schedule::to_yaml(observed.system, observed.header);
  const auto read = takt_schedule::parse_system(text, "observed.yaml");
  for (const auto & fault : read.faults()) {
    ADD_FAILURE() << fault << "\n" << text;
  }
  if (read.ok()) {
    model.system = *read;
  }
  return model;
}

Model model_with(std::vector<ordered_json> callbacks, double seconds = 10)
{
  return model_of(joined({executor(71, "/a", std::move(callbacks), seconds)}));
}

// ---- phases of timers

/// Executors that ran under a schedule.
ordered_json scheduled(ordered_json executor)
{
  executor["schedule_executor"] = "main";
  return executor;
}

TEST(ObservedSystem, has_no_offsets_of_a_program_whose_start_decided_them)
{
  const Model model = model_with(
    {phased(timer("/a", 100), 1'000'037 * kMs), phased(timer("/b", 100), 1'000'051 * kMs, -900)});
  for (const char * const id : {"/a:timer(100ms)", "/b:timer(100ms)"}) {
    EXPECT_FALSE(model[id].offset) << id;
    EXPECT_FALSE(model[id].any_phase) << id << ": a schedule may set it";
  }
  EXPECT_TRUE(model.says(
    "/a:timer(100ms)",
    "for 9.9 s all releases were within 0 ns of one grid, 37.000 ms behind whole periods of "
    "the host's clock"));
  EXPECT_TRUE(model.says("/b:timer(100ms)", "The start of the program decides that"));
  EXPECT_TRUE(model.notes_say("2 timers have a phase that depends on when the program starts"));
}

TEST(ObservedSystem, keeps_the_phases_that_takt_gave_the_timers_of_a_process)
{
  const Model model = model_of(joined({scheduled(executor(
    71, "/a",
    {phased(timer("/a", 100), 1'000'037 * kMs),
     phased(timer("/b", 100), 1'000'251 * kMs, -2'000, 3'000)}))}));
  EXPECT_EQ(model["/a:timer(100ms)"].offset, milliseconds(0)) << "the earliest one";
  EXPECT_EQ(model["/b:timer(100ms)"].offset, milliseconds(14) - nanoseconds(2'000));
  EXPECT_EQ(model["/a:timer(100ms)"].jitter, nanoseconds(0));
  EXPECT_EQ(model["/b:timer(100ms)"].jitter, nanoseconds(5'000));
}

TEST(ObservedSystem, has_the_costs_of_the_machine_where_they_are_given)
{
  const auto report = joined({scheduled(executor(
    71, "/a",
    {phased(timer("/a", 100), 1'000'037 * kMs),
     phased(timer("/b", 100), 1'000'251 * kMs, -2'000, 3'000)}))});
  EXPECT_FALSE(model_of(report).system.hosts.at(0).has_overheads);
  ModelOptions options;
  options.costs = {{nanoseconds(9'000), nanoseconds(38'000), {}}, nanoseconds(4'000)};
  const Model model = model_of(report, options);
  EXPECT_EQ(model.system.hosts.at(0).overheads, options.costs->overheads);
  EXPECT_EQ(model["/a:timer(100ms)"].jitter, nanoseconds(4'000));
  EXPECT_EQ(model["/b:timer(100ms)"].jitter, nanoseconds(5'000)) << "as it was seen to be";
}

/// 1,000 runs of 2 ms, and the longest of 13 ms among 20 longer ones.
ordered_json seldom_long(ordered_json callback)
{
  callback["runs"] = 1'020;
  callback["cpu"] = {{"min_ns", 1'900'000}, {"mean_ns", 2'010'000}, {"max_ns", 13'000'000}};
  callback["cpu_histogram"] = {{2'000'000, 1'000}, {2'500'000, 12}, {13'100'000, 8}};
  return callback;
}

TEST(ObservedSystem, takes_a_percentile_of_the_times_where_enough_runs_are_beyond_it)
{
  ModelOptions options;
  options.percentile = 99;
  const Model model = model_of(
    joined({executor(71, "/a", {seldom_long(timer("/a", 100)), timer("/b", 100)})}), options);
  const auto & time = model["/a:timer(100ms)"].time;
  EXPECT_EQ(time.worst, nanoseconds(2'500'000));
  EXPECT_EQ(time.best, nanoseconds(1'900'000));
  ASSERT_FALSE(time.histogram.empty());
  EXPECT_EQ(time.histogram.back().first, time.worst);
  EXPECT_TRUE(
    model.says("/a:timer(100ms)", "time: p99; 8 of 1020 runs took longer, up to 13.0 ms"));
  EXPECT_TRUE(model.says("/b:timer(100ms)", "time: the longest, since it ran too seldom for p99"));
  EXPECT_TRUE(model.notes_say("the worst times in the model are p99 of the measured ones"));
  EXPECT_TRUE(model.notes_say("1 of 2 callbacks ran too seldom for that"));
}

TEST(ObservedSystem, says_that_no_callback_ran_often_enough_for_the_percentile)
{
  ModelOptions options;
  options.percentile = 99;
  const Model model = model_of(joined({executor(71, "/a", {timer("/a", 100)})}), options);
  EXPECT_TRUE(model.notes_say("no callback ran often enough for p99"));
  EXPECT_FALSE(model.notes_say("bounds hold as long as no run"));
}

TEST(ObservedSystem, has_the_longest_times_where_no_percentile_is_asked_for)
{
  const Model model = model_with({seldom_long(timer("/a", 100))});
  EXPECT_EQ(model["/a:timer(100ms)"].time.worst, nanoseconds(13'000'000));
  EXPECT_FALSE(model.says("/a:timer(100ms)", "; time:"));
  EXPECT_FALSE(model.notes_say("worst times"));
}

TEST(ObservedSystem, keeps_phases_between_processes_on_the_clock_of_their_host)
{
  const Model model = model_of(joined(
    {scheduled(executor(71, "/a", {phased(timer("/a", 100), 1'000'037 * kMs)})),
     scheduled(executor(72, "/b", {phased(timer("/b", 100), 1'000'251 * kMs)}))}));
  EXPECT_EQ(model["/a:timer(100ms)"].offset, milliseconds(37));
  EXPECT_EQ(model["/b:timer(100ms)"].offset, milliseconds(51));
  EXPECT_TRUE(model.notes_say("they hold under a schedule with epoch: host"));
}

// rclcpp makes timers at any nanosecond, also in a program under a schedule without offsets for
// them.
TEST(ObservedSystem, has_no_offset_of_a_timer_that_no_rule_of_the_schedule_sets)
{
  const Model model = model_of(joined({scheduled(executor(
    71, "/a",
    {phased(timer("/a", 100), 1'000'037'000'123), phased(timer("/b", 100), 1'000'051'000'123),
     phased(timer("/c", 100), 1'000'060'000'777)}))}));
  EXPECT_EQ(model["/a:timer(100ms)"].offset, milliseconds(0));
  EXPECT_EQ(model["/b:timer(100ms)"].offset, milliseconds(14));
  EXPECT_FALSE(model["/c:timer(100ms)"].offset);
}

TEST(ObservedSystem, believes_a_report_that_says_which_timers_a_rule_sets)
{
  const Model model = model_of(joined({scheduled(executor(
    71, "/a",
    {with(phased(timer("/a", 100), 1'000'037'000'123), "has_offset", true),
     with(phased(timer("/b", 100), 1'000'051'000'123), "has_offset", false)}))}));
  EXPECT_EQ(model["/a:timer(100ms)"].offset, milliseconds(0));
  EXPECT_FALSE(model["/b:timer(100ms)"].offset);
}

TEST(ObservedSystem, gives_no_offset_to_a_timer_that_moved_or_stopped)
{
  const Model model = model_with(
    {phased(timer("/reset", 100), 1'000'037 * kMs, 0, 20 * kMs),
     phased(timer("/once", 1), 1'000'051 * kMs), phased(timer("/stopped", 30), 1'000'051 * kMs),
     timer("/untold", 100)});
  const std::string untold = "/untold";
  for (const std::string node : {"/reset", "/once", "/stopped", "/untold"}) {
    EXPECT_FALSE(model[node + ":timer(100ms)"].offset) << node;
    EXPECT_EQ(model[node + ":timer(100ms)"].any_phase, node != untold) << node;
  }
  EXPECT_TRUE(model.says("/reset:timer(100ms)", "it keeps no phase"));
}

// ---- messages from outside

ordered_json fitted(ordered_json one, double period, std::int64_t first, std::int64_t off)
{
  one["fit"] = {
    {"releases", one["runs"]},
    {"period_ns", period},
    {"first_ns", first},
    {"early_ns", -off},
    {"late_ns", off}};
  return one;
}

TEST(ObservedSystem, tells_whether_messages_from_outside_keep_a_phase_to_the_clock_of_the_host)
{
  const auto scan = [](const char * node) {
    return released(subscription(node, "/scan", 300), 100 * kMs, {{1, 99 * kMs}});
  };
  const Model model = model_with(
    {fitted(scan("/even"), 100'000'002.0, 1'000'012 * kMs, 200'000),
     fitted(scan("/drifts"), 100'002'500.0, 1'000'012 * kMs, 200'000),
     fitted(scan("/uneven"), 100'000'000.0, 1'000'012 * kMs, 30 * kMs), scan("/untold")});
  EXPECT_TRUE(model.says(
    "/even:sub(/scan)",
    "for 29.9 s they came every 100.000002 ms, to within 400 µs, the earliest 11.800 ms behind "
    "whole periods of the host's clock"));
  EXPECT_TRUE(model.says(
    "/drifts:sub(/scan)", "by a clock that falls 25.0 µs in each second behind the host's"));
  for (const char * const node : {"/uneven", "/untold"}) {
    EXPECT_FALSE(model.says(std::string(node) + ":sub(/scan)", "they came every")) << node;
  }
}

TEST(ObservedSystem, takes_the_mean_distance_of_messages_from_outside_as_their_period)
{
  const auto even = released(subscription("/a", "/scan", 100), 100 * kMs, {{1, 100 * kMs}});
  const Model model = model_with({even});
  EXPECT_EQ(model["/a:sub(/scan)"].period, milliseconds(100));
  EXPECT_EQ(model["/a:sub(/scan)"].jitter, nanoseconds(0));
  EXPECT_TRUE(model.says("/a:sub(/scan)", "period: the mean distance of 100 messages"));
}

TEST(ObservedSystem, covers_bursts_of_messages_by_jitter)
{
  // Four messages come at once, then none for a while: on average one in 25 ms.
  const auto bursts = released(
    subscription("/a", "/scan", 400), 25 * kMs, {{1, 0}, {2, 0}, {4, 97 * kMs}, {8, 199 * kMs}});
  const Model model = model_with({bursts});
  EXPECT_EQ(model["/a:sub(/scan)"].period, milliseconds(25));
  EXPECT_EQ(model["/a:sub(/scan)"].jitter, milliseconds(50));  // two more messages come at once: 2
                                                               // * 25 ms
  EXPECT_TRUE(model.says(
    "/a:sub(/scan)",
    "jitter covers the shortest times within which 1, 2, 4, 8 further messages came"));
}

TEST(ObservedSystem, takes_the_span_that_needs_the_most_jitter)
{
  const auto drifting = released(
    subscription("/a", "/scan", 400), 10 * kMs, {{1, 9 * kMs}, {2, 19 * kMs}, {16, 100 * kMs}});
  EXPECT_EQ(model_with({drifting})["/a:sub(/scan)"].jitter, milliseconds(60));
}

TEST(ObservedSystem, knows_the_closest_two_messages_of_a_report_without_spans)
{
  auto old = subscription("/a", "/scan", 400);
  old.erase("shortest_spans");
  old["between_releases"] = times(10 * kMs, 4 * kMs, 20 * kMs);
  EXPECT_EQ(model_with({old})["/a:sub(/scan)"].jitter, milliseconds(6));
}

TEST(ObservedSystem, says_that_the_rate_of_fewer_than_three_messages_is_unknown)
{
  const auto two = released(subscription("/a", "/two", 2), 30 * kMs, {{1, 30 * kMs}});
  const auto one = with(subscription("/a", "/one", 1), "between_releases", times(0, 0, 0));
  const Model model = model_with({two, one});
  EXPECT_EQ(model["/a:sub(/two)"].period, milliseconds(30));
  EXPECT_EQ(model["/a:sub(/two)"].jitter, nanoseconds(0));
  EXPECT_EQ(model["/a:sub(/one)"].period, std::chrono::seconds(10));
  for (const char * const id : {"/a:sub(/two)", "/a:sub(/one)"}) {
    EXPECT_TRUE(model.says(id, "how often they come is unknown")) << model.comments.at(id);
  }
}

TEST(ObservedSystem, has_a_period_for_messages_that_all_came_at_once)
{
  const auto at_once = released(subscription("/a", "/map", 5), 0, {{1, 0}, {2, 0}, {4, 0}});
  const Model model = model_with({at_once});
  EXPECT_EQ(model["/a:sub(/map)"].period, std::chrono::seconds(2));
  EXPECT_EQ(model["/a:sub(/map)"].jitter, std::chrono::seconds(8));  // all five at once
  EXPECT_TRUE(model.says("/a:sub(/map)", "how often they come is unknown"));
}

TEST(ObservedSystem, does_not_call_messages_within_the_process_external)
{
  const auto within = with(subscription("/a", "/image", 100), "within_process", true);
  const Model model = model_with({within, subscription("/a", "/scan", 100)});
  EXPECT_TRUE(model.says("/a:sub(/image)", "its trigger is unknown"));
  EXPECT_FALSE(model.says("/a:sub(/image)", "from outside"));
  EXPECT_FALSE(model.says("/a:sub(/scan)", "its trigger is unknown"));
  EXPECT_TRUE(model.says("/a:sub(/scan)", "from outside"));
}

TEST(ObservedSystem, links_a_message_within_the_process_to_the_callback_that_publishes_it)
{
  auto taker = with(subscription("/b", "/image", 100), "within_process", true);
  taker["id"] = "/b:waitable(/image)";
  const Model model = model_with({publishing(timer("/a", 100), "/image", 100), taker});
  EXPECT_EQ(model["/b:sub(/image)"].triggers, std::vector<std::string>{"/image"});
  EXPECT_FALSE(model["/b:sub(/image)"].period.has_value());
  EXPECT_FALSE(model.says("/b:sub(/image)", "unknown"));
}

// ---- timers

TEST(ObservedSystem, says_that_a_timer_was_stopped)
{
  auto missing = timer("/c", 30);
  missing["skipped_periods"] = 70;
  const Model model = model_with({timer("/a", 1), timer("/b", 100), missing, timer("/d", 50)});
  EXPECT_TRUE(model.says(
    "/a:timer(100ms)", "ran 1 time in 10.0 s: the timer was stopped, or periods were skipped (0)"));
  EXPECT_TRUE(model.says(
    "/c:timer(100ms)",
    "ran 30 times in 10.0 s: the timer was stopped, or periods were skipped (70)"));
  EXPECT_FALSE(model.says("/b:timer(100ms)", "stopped"));
  EXPECT_FALSE(model.says("/d:timer(100ms)", "stopped"));  // it ran in half of its periods
  EXPECT_EQ(model["/a:timer(100ms)"].period, milliseconds(100));
}

TEST(ObservedSystem, does_not_say_so_of_a_timer_that_had_no_time_to_run)
{
  EXPECT_FALSE(model_with({timer("/a", 1)}, 0.19).says("/a:timer(100ms)", "stopped"));
}

TEST(ObservedSystem, measures_the_period_of_a_timer_that_has_none)
{
  const auto busy = released(callback("/a:timer(0s)", 5000), 2 * kMs, {{1, kMs}});
  const Model model = model_with({busy});
  EXPECT_EQ(model["/a:timer(0s)"].period, milliseconds(2));
  EXPECT_EQ(model["/a:timer(0s)"].jitter, milliseconds(1));
  EXPECT_TRUE(model.says("/a:timer(0s)", "no period"));
  EXPECT_FALSE(model.says("/a:timer(0s)", "from outside"));
}

// ---- messages of a run

TEST(ObservedSystem, tells_of_callbacks_that_publish_several_messages_in_each_run)
{
  const Model model = model_with(
    {publishing(publishing(timer("/a", 100), "/points", 300), "/unheard", 200),
     publishing(timer("/b", 100), "/pose", 104), subscription("/c", "/points", 300),
     subscription("/c", "/pose", 104)});
  EXPECT_TRUE(model.says("/a:timer(100ms)", "PUBLISHES 3.0 messages on /points for each run"));
  EXPECT_TRUE(model.says("/a:timer(100ms)", "PUBLISHES 2.0 messages on /unheard for each run"));
  EXPECT_TRUE(model.notes_say("/a:timer(100ms) publishes 3.0 messages on /points for each run"));
  EXPECT_FALSE(model.notes_say("/unheard"));  // no callback of the model takes these messages
  EXPECT_FALSE(model.says("/b:timer(100ms)", "PUBLISHES"));
  EXPECT_FALSE(model.notes_say("messages on /pose"));
  EXPECT_TRUE(model.says("/b:timer(100ms)", "104 messages on /pose"));
}

TEST(ObservedSystem, keeps_what_it_tells_of_the_subscriptions_of_a_set)
{
  auto left = publishing(subscription("/f", "/left", 100), "/fused", 50);
  auto right = publishing(subscription("/f", "/right", 100), "/fused", 50);
  right = publishing(right, "/debug", 300);
  right["depth"] = 1;
  const Model model = model_with(
    {publishing(timer("/a", 100), "/left", 100), publishing(timer("/b", 100), "/right", 100), left,
     right, subscription("/c", "/debug", 300)});
  const CallbackModel & set = model["/f:sub(/left)"];
  EXPECT_EQ(set.trigger, takt_schedule::Trigger::newest);
  EXPECT_EQ(set.triggers, (std::vector<std::string>{"/left", "/right"}));
  EXPECT_EQ(set.publishes, (std::vector<std::string>{"/fused", "/debug"}));
  EXPECT_EQ(set.depth, 1U);
  EXPECT_TRUE(model.says("/f:sub(/left)", "PUBLISHES 3.0 messages on /debug"));
}

// If the message of one topic always comes last, an observation does not show that the callbacks of
// the other topics may publish, too.
TEST(ObservedSystem, tells_of_a_subscription_that_may_be_part_of_a_set)
{
  const auto model = [](std::uint64_t left, std::uint64_t fused) {
    return model_with(
      {publishing(timer("/a", 100), "/left", left), publishing(timer("/b", 100), "/right", 100),
       subscription("/f", "/left", left),
       publishing(subscription("/f", "/right", 100), "/fused", fused)});
  };
  const std::string note = "/f:sub(/left) published nothing, and /f:sub(/right) published";
  EXPECT_TRUE(model(100, 100).notes_say(note));
  EXPECT_TRUE(model(200, 100).notes_say(note));
  EXPECT_FALSE(model(50, 100).notes_say(note)) << "half of the messages had none to join";
  EXPECT_FALSE(model(100, 0).notes_say(note));
}

// ---- histories

TEST(ObservedSystem, has_the_depth_of_each_history)
{
  const Model model = model_with(
    {with(subscription("/a", "/deep", 10), "depth", 50),
     with(subscription("/a", "/all", 10), "depth", -1),
     with(subscription("/a", "/unknown", 10), "depth", 0),
     with(subscription("/a", "/deepest", 10), "depth", std::int64_t{1} << 40)});
  EXPECT_EQ(model["/a:sub(/deep)"].depth, 50U);
  EXPECT_TRUE(model["/a:sub(/deep)"].depth_known);
  EXPECT_FALSE(model.says("/a:sub(/deep)", "history"));
  EXPECT_EQ(model["/a:sub(/all)"].depth, 1000U);
  EXPECT_TRUE(model.says("/a:sub(/all)", "its history keeps all messages"));
  EXPECT_EQ(model["/a:sub(/unknown)"].depth, CallbackModel().depth);
  EXPECT_FALSE(model["/a:sub(/unknown)"].depth_known);
  EXPECT_TRUE(model.says("/a:sub(/unknown)", "the depth of its history is unknown"));
  EXPECT_EQ(model["/a:sub(/deepest)"].depth, 1'000'000U);
  EXPECT_FALSE(model_with({timer("/t", 100)}).says("/t:timer(100ms)", "history"));
}

// ---- several reports

TEST(ObservedSystem, adds_up_what_a_program_did_in_several_spins)
{
  auto first = publishing(subscription("/a", "/scan", 100), "/out", 100);
  first["cpu"] = times(2 * kMs, kMs, 4 * kMs);
  first["cpu_histogram"] = {{kMs, 60}, {4 * kMs, 40}};
  first = released(first, 100 * kMs, {{1, 80 * kMs}, {2, 190 * kMs}});
  auto second = publishing(publishing(subscription("/a", "/scan", 301), "/out", 301), "/more", 301);
  second["cpu"] = times(6 * kMs, 3 * kMs, 9 * kMs);
  second["cpu_histogram"] = {{4 * kMs, 300}, {9 * kMs, 1}};
  second = released(second, 50 * kMs, {{1, 50 * kMs}, {2, 100 * kMs}, {4, 200 * kMs}});
  const Model model =
    model_of(joined({executor(71, "/a", {first}, 10), executor(71, "/a", {second}, 15)}));
  ASSERT_EQ(model.system.callbacks.size(), 1U);
  const CallbackModel & one = model["/a:sub(/scan)"];
  EXPECT_EQ(one.time.worst, milliseconds(9));
  EXPECT_EQ(one.time.best, milliseconds(1));
  const std::vector<std::pair<nanoseconds, std::uint64_t>> histogram{
    {milliseconds(1), 60}, {milliseconds(4), 340}, {milliseconds(9), 1}};
  EXPECT_TRUE(std::equal(
    one.time.histogram.begin(), one.time.histogram.end(), histogram.begin(), histogram.end()));
  EXPECT_EQ(one.publishes, (std::vector<std::string>{"/out", "/more"}));
  // 99 distances of 100 ms and 300 of 50 ms.
  EXPECT_EQ(one.period, nanoseconds((99 * 100 * kMs + 300 * 50 * kMs) / 399));
  EXPECT_EQ(one.jitter, 4 * *one.period - milliseconds(200));
  EXPECT_EQ(one.executor, "main");
  EXPECT_TRUE(model.says("/a:sub(/scan)", "measured over 401 runs: CPU mean 5.00 ms"));
  EXPECT_FALSE(model.notes_say("processes"));
  EXPECT_NE(model.header.find("for 25.0 s"), std::string::npos) << model.header;
}

TEST(ObservedSystem, counts_the_spins_in_which_a_timer_did_not_run)
{
  const Model model = model_of(
    joined({executor(71, "/a", {timer("/a", 0)}, 10), executor(71, "/a", {timer("/a", 60)}, 10)}));
  EXPECT_TRUE(model.says("/a:timer(100ms)", "ran 60 times in 20.0 s")) << model.header;
  EXPECT_FALSE(model.notes_say("did not run"));
}

TEST(ObservedSystem, lists_callbacks_that_did_not_run)
{
  const Model model = model_with({timer("/a", 100), callback("/a:service(/reset)", 0)});
  EXPECT_FALSE(model.has("/a:service(/reset)"));
  EXPECT_TRUE(model.notes_say("1 callback did not run"));
  EXPECT_NE(model.header.find("/a:service(/reset)"), std::string::npos);
}

TEST(ObservedSystem, tells_of_processes_that_have_a_callback_of_one_id)
{
  const Model model = model_of(joined(
    {executor(71, "/a", {timer("/a", 100), timer("/b", 100)}),
     executor(72, "/a", {timer("/a", 50)})}));
  EXPECT_TRUE(model.notes_say("2 processes have a callback /a:timer(100ms)"));
  EXPECT_TRUE(model.says("/a:timer(100ms)", "measured over 150 runs"));
  EXPECT_TRUE(model.says("/a:timer(100ms)", "joined from 2 processes"));
  EXPECT_FALSE(model.notes_say("/b:timer(100ms)"));
}

std::map<std::string, std::string> executors_of(const Model & model)
{
  std::map<std::string, std::string> names;
  for (const CallbackModel & callback : model.system.callbacks) {
    names[callback.id] = callback.executor;
  }
  return names;
}

TEST(ObservedSystem, names_executors_apart_and_the_same_from_run_to_run)
{
  const auto first = [](int process) { return executor(process, "/ns/a", {timer("/ns/a", 100)}); };
  const auto second = [](int process) {
    return executor(process, "/ns/a", {subscription("/ns/a", "/scan", 100)});
  };
  const auto third = [](int process) { return executor(process, "/ns/a#2", {timer("/b", 100)}); };
  const std::map<std::string, std::string> names{
    {"/ns/a:sub(/scan)", "ns/a"},
    {"/ns/a:timer(100ms)", "ns/a_2"},
    {"/b:timer(100ms)", "ns/a_2_2"}};
  EXPECT_EQ(executors_of(model_of(joined({first(71), second(72), third(72)}))), names);
  EXPECT_EQ(executors_of(model_of(joined({second(71), third(71), first(72)}))), names);
}

TEST(ObservedSystem, calls_the_only_executor_main)
{
  EXPECT_EQ(model_with({timer("/a", 100)})["/a:timer(100ms)"].executor, "main");
  // The second executor has no callback of the model.
  const Model model = model_of(joined(
    {executor(71, "/a", {timer("/a", 100)}), executor(71, "/b", {callback("/b:waitable(x)", 0)})}));
  EXPECT_EQ(model["/a:timer(100ms)"].executor, "main");
}

TEST(ObservedSystem, keeps_groups_of_one_name_in_two_processes_apart)
{
  const Model model = model_of(joined(
    {executor(71, "/a", {timer("/a", 100)}),
     executor(72, "/a", {with(subscription("/a", "/scan", 100), "exclusive_group", false)})}));
  const std::string timers = model["/a:timer(100ms)"].group;
  const std::string subscriptions = model["/a:sub(/scan)"].group;
  EXPECT_NE(timers, subscriptions);
  std::map<std::string, takt_core::GroupKind> kinds;
  for (const auto & group : model.system.groups) {
    kinds[group.id] = group.kind;
  }
  EXPECT_EQ(kinds[timers], takt_core::GroupKind::mutually_exclusive);
  EXPECT_EQ(kinds[subscriptions], takt_core::GroupKind::reentrant);
}

TEST(ObservedSystem, has_one_group_for_an_executor_that_runs_one_callback_at_a_time)
{
  for (const char * kind : {"single_threaded", "events"}) {
    const Model model = model_of(joined({with(
      executor(
        71, "/a",
        {timer("/a", 100), with(subscription("/b", "/scan", 100), "exclusive_group", false)}),
      "kind", kind)}));
    const std::string group = model["/a:timer(100ms)"].group;
    EXPECT_EQ(model["/b:sub(/scan)"].group, group);
    ASSERT_EQ(model.system.groups.size(), 1U);
    EXPECT_EQ(model.system.groups.front().id, group);
    EXPECT_EQ(model.system.groups.front().kind, takt_core::GroupKind::mutually_exclusive);
  }
  const Model pool =
    model_of(joined({executor(71, "/a", {timer("/a", 100), subscription("/b", "/scan", 100)})}));
  EXPECT_NE(pool["/a:timer(100ms)"].group, pool["/b:sub(/scan)"].group);
}

TEST(ObservedSystem, says_how_large_messages_are)
{
  const Model model = model_with(
    {with(subscription("/a", "/scan", 100), "message_bytes", 4104),
     subscription("/b", "/odometry", 100)});
  EXPECT_TRUE(model.says("/a:sub(/scan)", "messages of up to 4104 bytes"))
    << model.comments.at("/a:sub(/scan)");
  EXPECT_FALSE(model.says("/b:sub(/odometry)", "bytes"));
}

TEST(ObservedSystem, says_what_execution_times_include)
{
  auto background = with(callback("/a:service(/a/get_parameters)", 50), "background", true);
  const Model model = model_with({timer("/a", 100), background});
  EXPECT_FALSE(model.has("/a:service(/a/get_parameters)"));
  EXPECT_NE(model.header.find("count twice"), std::string::npos) << model.header;
  EXPECT_NE(model.header.find("took 0.050 s of CPU"), std::string::npos) << model.header;
}

// ---- lost messages

/// A callback that works for 40 ms on one of four messages. Messages come every 10 ms.
ordered_json overloaded()
{
  auto one = released(subscription("/a", "/scan", 100), 40 * kMs, {{1, 40 * kMs}, {2, 80 * kMs}});
  one["overwritten"] = 290;
  one["lost"] = 7;
  one["cpu"] = times(40 * kMs, 40 * kMs, 40 * kMs);
  one["cpu_histogram"] = ordered_json::array();
  return one;
}

TEST(ObservedSystem, gives_the_period_of_the_messages_that_came_not_of_those_that_were_taken)
{
  const Model model = model_with({overloaded()});
  EXPECT_EQ(model["/a:sub(/scan)"].period, milliseconds(10));
  EXPECT_TRUE(model.says("/a:sub(/scan)", "LOST 297 of 397 messages before it took them"));
  EXPECT_TRUE(model.says("/a:sub(/scan)", "were taken; when the lost ones came is unknown"));
  EXPECT_TRUE(model.notes_say(
    "/a:sub(/scan) lost 297 of 397 messages before it took them; the model has the load of all of "
    "them"));
}

TEST(ObservedSystem, takes_the_jitter_of_lost_messages_from_their_arrivals)
{
  auto one = overloaded();
  one["arrivals"] = 397;
  one["arrival_spans"] = ordered_json::array({{1, 8 * kMs}, {2, 20 * kMs}});
  const Model model = model_with({one});
  EXPECT_EQ(model["/a:sub(/scan)"].period, milliseconds(10));
  EXPECT_EQ(model["/a:sub(/scan)"].jitter, milliseconds(2));
  EXPECT_TRUE(model.says("/a:sub(/scan)", "within which 1, 2 further messages came"));
}

TEST(ObservedSystem, leaves_arrivals_alone_where_a_middleware_announces_messages_twice)
{
  auto one = overloaded();
  one["arrivals"] = 794;
  one["arrival_spans"] = ordered_json::array({{1, 0}, {2, 10 * kMs}});
  EXPECT_EQ(model_with({one})["/a:sub(/scan)"].jitter, nanoseconds(0));
}

TEST(ObservedSystem, knows_how_often_messages_came_of_which_one_was_taken)
{
  auto one = subscription("/a", "/scan", 1);
  one["overwritten"] = 99;
  EXPECT_EQ(model_with({one}, 10)["/a:sub(/scan)"].period, milliseconds(100));
}

TEST(ObservedSystem, says_what_was_lost_also_where_the_publisher_gives_the_period)
{
  auto one = overloaded();
  const Model model = model_with({publishing(timer("/b", 397), "/scan", 397), one});
  EXPECT_EQ(model["/a:sub(/scan)"].triggers, std::vector<std::string>{"/scan"});
  EXPECT_TRUE(model.says("/a:sub(/scan)", "LOST 297 of 397 messages"));
}

// ---- waits

ordered_json in_group(ordered_json one, const std::string & group)
{
  one["group"] = group;
  return one;
}

std::vector<ordered_json> caller(std::uint64_t calls, std::uint64_t most = 1)
{
  auto waits = timer("/a", 100);
  waits["waits_for"] = ordered_json::array(
    {{{"service", "/s:service(/work)"},
      {"client", "/a:client(/work)"},
      {"count", calls},
      {"most", most},
      {"longest_ns", 3 * kMs}}});
  return {
    waits, in_group(callback("/s:service(/work)", 101), "/s:group(1)"),
    in_group(callback("/a:client(/work)", 101), "/a:group(1)")};
}

TEST(ObservedSystem, has_the_callbacks_for_which_one_waits_and_needs_no_period_of_them)
{
  const Model model = model_with(caller(100));
  EXPECT_EQ(
    model["/a:timer(100ms)"].waits_for,
    (std::vector<std::string>{"/s:service(/work)", "/a:client(/work)"}));
  EXPECT_FALSE(model["/s:service(/work)"].period.has_value());
  EXPECT_FALSE(model["/a:client(/work)"].period.has_value());
  EXPECT_TRUE(model.says("/a:timer(100ms)", "waited up to 3.00 ms within a run"));
  EXPECT_TRUE(model.says(
    "/s:service(/work)", "callbacks that wait for it start it: 100 of its runs ended while"));
  EXPECT_TRUE(model.notes_say(
    "/a:timer(100ms) waits within its runs for /s:service(/work) and /a:client(/work)"));
}

TEST(ObservedSystem, counts_other_runs_of_what_one_waits_for)
{
  const Model model = model_with(caller(50));
  EXPECT_EQ(model["/s:service(/work)"].period, milliseconds(100));
}

TEST(ObservedSystem, has_each_of_several_requests_of_one_run)
{
  EXPECT_EQ(model_with(caller(100, 2))["/a:timer(100ms)"].waits_for.size(), 4U);
}

TEST(ObservedSystem, has_as_many_requests_of_one_run_as_a_model_takes)
{
  const Model model = model_with(caller(100, 60));
  EXPECT_EQ(model["/a:timer(100ms)"].waits_for.size(), takt_schedule::kMostWaits);
  EXPECT_TRUE(model.notes_say("/a:timer(100ms) waits more than 100 times within one run"));
}

TEST(ObservedSystem, has_the_wait_for_a_service_elsewhere_as_sleep)
{
  auto some = caller(100);
  some[0]["waits_for"][0]["service"] = "";
  some.erase(some.begin() + 1);
  const Model model = model_with(some);
  EXPECT_EQ(model["/a:timer(100ms)"].waits_for, std::vector<std::string>{"/a:client(/work)"});
  EXPECT_EQ(model["/a:timer(100ms)"].sleep, milliseconds(3));
  EXPECT_TRUE(model.notes_say("waits up to 3.00 ms for a service of another process"));
  EXPECT_FALSE(model.notes_say("sleeps"));
}

TEST(ObservedSystem, has_the_sleep_of_a_callback_each_of_whose_runs_took_longer_than_its_cpu_time)
{
  ordered_json sleeper = timer("/a", 100);
  sleeper["elapsed"] = times(6 * kMs, 5 * kMs, 7 * kMs);
  const Model model = model_with({sleeper});
  EXPECT_EQ(model["/a:timer(100ms)"].sleep, milliseconds(6))
    << "7 ms without the shortest CPU time, 1 ms";
  EXPECT_TRUE(model.notes_say("/a:timer(100ms) sleeps or waits within its runs, up to 6.00 ms"));
}

TEST(ObservedSystem, takes_no_preempted_run_for_a_sleep)
{
  ordered_json other = timer("/a", 100);
  other["elapsed"] = times(3 * kMs, kMs, 90 * kMs);
  EXPECT_EQ(model_with({other})["/a:timer(100ms)"].sleep, milliseconds(0));
}

TEST(ObservedSystem, has_the_sleep_that_the_kernel_measured)
{
  ordered_json sleeper = timer("/a", 100);
  sleeper["longest_sleep_ns"] = 5'100'000;
  EXPECT_EQ(model_with({sleeper})["/a:timer(100ms)"].sleep, std::chrono::microseconds(5100));
  sleeper["longest_sleep_ns"] = 90'000;
  EXPECT_EQ(model_with({sleeper})["/a:timer(100ms)"].sleep, milliseconds(0)) << "a lock";
  sleeper["longest_sleep_ns"] = 0;
  sleeper["elapsed"] = times(6 * kMs, 5 * kMs, 7 * kMs);
  EXPECT_EQ(model_with({sleeper})["/a:timer(100ms)"].sleep, milliseconds(0)) << "preempted runs";
  auto waits = caller(100);
  waits[0]["longest_sleep_ns"] = 3 * kMs;
  EXPECT_EQ(model_with(waits)["/a:timer(100ms)"].sleep, milliseconds(0)) << "it is in waits_for";
}

}  // namespace
}  // namespace takt_trace::test
