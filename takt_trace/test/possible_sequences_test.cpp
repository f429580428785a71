// Which callbacks `takt model` names as ones that a schedule can run by direct call.
#include "model/possible_sequences.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/reports.hpp"
#include "takt_trace/observed_system.hpp"

namespace takt_trace::test
{
namespace
{

std::vector<std::string> notes_of(std::vector<ordered_json> executors)
{
  std::vector<std::string> notes = observed_system(joined(std::move(executors))).notes;
  std::erase_if(notes, [](const std::string & note) {
    return note.find("sequences") == std::string::npos &&
           note.find("follow one another like that") == std::string::npos;
  });
  return notes;
}

std::vector<ordered_json> chain()
{
  return {
    publishing(timer("/camera", 100), "/image", 100),
    publishing(subscription("/detector", "/image", 100), "/objects", 100),
    subscription("/tracker", "/objects", 100)};
}

TEST(PossibleSequences, CallbacksThatFollowOneAnotherInOneExecutorAreNamed)
{
  EXPECT_EQ(
    notes_of({executor(71, "/camera", chain())}),
    (std::vector<std::string>{
      "as `sequences: [[\"/camera:timer(100ms)\", \"/detector:sub(/image)\", "
      "\"/tracker:sub(/objects)\"]]` these callbacks follow one another by direct call, 20.0 times "
      "a "
      "second without the ready queue and without a wake-up; takt plan writes a sequence where no "
      "chain gets worse by it"}));
}

TEST(PossibleSequences, OthersAreNot)
{
  auto two = chain();
  two.push_back(publishing(timer("/other", 100), "/image", 100));
  const auto notes = notes_of({executor(71, "/camera", std::move(two))});
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes.front().find("as `sequences: [[\"/detector:sub(/image)\""), 0U)
    << "/image has two publishers: " << notes.front();

  const auto all = chain();
  EXPECT_TRUE(notes_of({executor(71, "/camera", {all[0]}), executor(72, "/detector", {all[1]}),
                        executor(73, "/tracker", {all[2]})})
                .empty())
    << "they are in three processes";

  ordered_json scheduled = executor(71, "/camera", chain());
  scheduled["schedule_executor"] = "main";
  EXPECT_TRUE(notes_of({scheduled}).empty()) << "they may be in a sequence already";

  auto sleeps = chain();
  sleeps[0]["longest_sleep_ns"] = 2'000'000;
  const auto after = notes_of({executor(71, "/camera", std::move(sleeps))});
  ASSERT_EQ(after.size(), 1U);
  EXPECT_EQ(after.front().find("as `sequences: [[\"/detector:sub(/image)\""), 0U) << after.front();
}

TEST(PossibleSequences, TheOnesWithMostDirectCallsComeFirstAndTheLastOnesAreCounted)
{
  std::vector<ordered_json> callbacks;
  for (std::uint64_t i = 0; i < kMostSequences + 2; ++i) {
    const std::string own = std::to_string(i);
    callbacks.push_back(publishing(timer("/from" + own, 100), "/t" + own, 100));
    callbacks.push_back(subscription("/to" + own, "/t" + own, 100 * (i + 1)));
  }
  const auto notes = notes_of({executor(71, "/from0", std::move(callbacks))});
  ASSERT_EQ(notes.size(), kMostSequences + 1);
  EXPECT_NE(notes.front().find("/to4:sub(/t4)"), std::string::npos) << notes.front();
  EXPECT_EQ(notes.back(), "2 more lists of callbacks follow one another like that");
}

}  // namespace
}  // namespace takt_trace::test
