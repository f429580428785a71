// Which subscriptions `takt model` names as ones that only store messages.
#include "model/storing_callbacks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/reports.hpp"
#include "takt_trace/observed_system.hpp"

namespace takt_trace::test
{
namespace
{

/// 250 runs in 10 s, of at most 40 us.
ordered_json storing(const std::string & topic, std::uint64_t runs = 250)
{
  return with(subscription("/fuse", topic, runs), "cpu", times(10'000, 5'000, 40'000));
}

std::vector<std::string> notes_of(std::vector<ordered_json> callbacks, const char * schedule = "")
{
  ordered_json seen = executor(71, "/fuse", std::move(callbacks));
  seen["schedule_executor"] = schedule;
  std::vector<std::string> notes = observed_system(joined({seen})).notes;
  std::erase_if(notes, [](const std::string & note) {
    return note.find("trigger: false") == std::string::npos &&
           note.find("are like that") == std::string::npos;
  });
  return notes;
}

TEST(StoringCallbacks, OnesThatPublishNothingAndAreShortAreNamedWithTheirWakeUps)
{
  EXPECT_EQ(
    notes_of({timer("/fuse", 100), storing("/lane")}),
    (std::vector<std::string>{
      "/fuse:sub(/lane) published nothing and ran 40.0 µs at most: if it only stores messages for "
      "/fuse:timer(100ms), `trigger: false` in a rule for it saves up to 25.0 wake-ups a second; "
      "with `stores: true` in the model takt plan decides"}));
}

TEST(StoringCallbacks, OthersAreNot)
{
  EXPECT_TRUE(notes_of({timer("/fuse", 100), publishing(storing("/lane"), "/out", 1)}).empty());
  EXPECT_TRUE(
    notes_of({timer("/fuse", 100), with(storing("/lane"), "cpu", times(9'000, 9'000, 101'000))})
      .empty())
    << "it would make its taker longer";
  EXPECT_TRUE(notes_of({timer("/other", 100), storing("/lane")}).empty()) << "nothing takes it";
  EXPECT_TRUE(notes_of({storing("/map"), storing("/lane")}).empty()) << "nothing takes them";
  EXPECT_TRUE(notes_of({timer("/fuse", 100), with(storing("/lane"), "depth", -1)}).empty())
    << "a history that keeps all messages is refused";
  EXPECT_TRUE(notes_of({timer("/fuse", 100), storing("/lane")}, "main").empty())
    << "under a schedule it may wake nothing already";
}

TEST(StoringCallbacks, TheOnesWithMostWakeUpsComeFirstAndTheLastOnesAreCounted)
{
  std::vector<ordered_json> callbacks{timer("/fuse", 100), timer("/fuse", 100)};
  callbacks[1]["id"] = "/fuse:timer(1s)";
  for (std::uint64_t i = 0; i < kMostStoring + 2; ++i) {
    callbacks.push_back(storing("/t" + std::to_string(i), 100 * (i + 1)));
  }
  const std::vector<std::string> notes = notes_of(callbacks);
  ASSERT_EQ(notes.size(), kMostStoring + 1);
  EXPECT_EQ(notes.front().find("/fuse:sub(/t6) published nothing"), 0U) << notes.front();
  EXPECT_NE(notes.front().find("for /fuse:timer(100ms) and 1 more of its group"), std::string::npos)
    << notes.front();
  EXPECT_EQ(
    notes.back(), "2 more subscriptions are like that, with 30.0 wake-ups a second together");
}

}  // namespace
}  // namespace takt_trace::test
