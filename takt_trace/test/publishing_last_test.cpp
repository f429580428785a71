// Which callbacks `takt model` names as ones that publish right before they return.
#include "model/publishing_last.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "model/reports.hpp"
#include "takt_schedule/parse_system.hpp"
#include "takt_schedule/to_yaml.hpp"
#include "takt_trace/observed_system.hpp"

namespace takt_trace::test
{
namespace
{

/// A callback that published last in `last` of 100 runs.
ordered_json measured(ordered_json one, std::uint64_t last, std::uint64_t of = 100)
{
  one["publishing_runs"] = of;
  one["published_last"] = last;
  return one;
}

std::vector<ordered_json> pair(std::uint64_t last, std::uint64_t of = 100)
{
  return {
    measured(publishing(timer("/camera", 100), "/image", 100), last, of),
    subscription("/detector", "/image", 100)};
}

std::vector<std::string> notes_of(ordered_json seen)
{
  std::vector<std::string> notes = observed_system(joined({std::move(seen)})).notes;
  std::erase_if(notes, [](const std::string & note) {
    return note.find("published last") == std::string::npos &&
           note.find("publish last") == std::string::npos;
  });
  return notes;
}

bool in_model(std::vector<ordered_json> callbacks)
{
  const auto observed = observed_system(joined({executor(71, "/camera", std::move(callbacks))}));
  const auto again = takt_schedule::parse_system(to_yaml(observed.system), "model.yaml");
  EXPECT_TRUE(again.ok()) << to_string(again.faults().front());
  EXPECT_EQ(
    again->callbacks.front().publishes_last, observed.system.callbacks.front().publishes_last);
  return again->callbacks.front().publishes_last;
}

TEST(PublishingLast, IsInTheModelIfNineOfTenRunsDoSo)
{
  EXPECT_TRUE(in_model(pair(100)));
  EXPECT_TRUE(in_model(pair(90)));
  EXPECT_FALSE(in_model(pair(89))) << "more than one in ten runs worked on";
  EXPECT_TRUE(in_model(pair(10, 10)));
  EXPECT_FALSE(in_model(pair(9, 9))) << "too few runs";
  EXPECT_FALSE(in_model({publishing(timer("/camera", 100), "/image", 100)})) << "not measured";
}

TEST(PublishingLast, SeveralSpinsAreSummedUp)
{
  const auto twice = [](std::uint64_t first, std::uint64_t second) {
    const auto observed = observed_system(
      joined({executor(71, "/camera", pair(first)), executor(71, "/camera", pair(second))}));
    return observed.system.callbacks.front().publishes_last;
  };
  EXPECT_TRUE(twice(100, 80));
  EXPECT_FALSE(twice(100, 79));
}

TEST(PublishingLast, ANoteSaysHowManyWakeUpsThatMaySave)
{
  EXPECT_EQ(
    notes_of(executor(71, "/camera", pair(99))),
    (std::vector<std::string>{
      "/camera:timer(100ms) published last in 99 of 100 runs: if it shares several threads with "
      "the callbacks of its messages, `publishes_last: true` in a rule for it saves up to 10.0 "
      "wake-ups a second; takt check says where"}));
}

TEST(PublishingLast, NoNoteWhereItSavesNothing)
{
  EXPECT_TRUE(notes_of(executor(71, "/camera", pair(80))).empty()) << "it works on";
  auto alone = pair(100);
  alone.pop_back();
  EXPECT_TRUE(notes_of(executor(71, "/camera", alone)).empty()) << "its messages start nothing";
  ordered_json one_thread = executor(71, "/camera", pair(100));
  one_thread["kind"] = "single_threaded";
  EXPECT_TRUE(notes_of(one_thread).empty()) << "there is one thread";
  ordered_json scheduled = executor(71, "/camera", pair(100));
  scheduled["schedule_executor"] = "main";
  EXPECT_TRUE(notes_of(scheduled).empty()) << "the schedule may have the key";
}

TEST(PublishingLast, TheOnesWithMostWakeUpsComeFirstAndTheLastOnesAreCounted)
{
  std::vector<ordered_json> callbacks;
  for (std::uint64_t i = 0; i < kMostPublishingLast + 2; ++i) {
    const std::string number = std::to_string(i);
    const std::uint64_t runs = 100 * (i + 1);
    callbacks.push_back(
      measured(publishing(timer("/camera" + number, runs), "/image" + number, runs), 100));
    callbacks.push_back(subscription("/detector" + number, "/image" + number, runs));
  }
  const std::vector<std::string> notes = notes_of(executor(71, "/camera0", callbacks));
  ASSERT_EQ(notes.size(), kMostPublishingLast + 1);
  EXPECT_EQ(notes.front().find("/camera4:timer(100ms) published last"), 0U) << notes.front();
  EXPECT_EQ(notes.back(), "2 more callbacks publish last, with 30.0 wake-ups a second together");
}

}  // namespace
}  // namespace takt_trace::test
