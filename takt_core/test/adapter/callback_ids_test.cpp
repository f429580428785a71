// Ids have one spelling in all writers and readers: the tables of callback_ids.json, which a test
// of takt_cli checks too.
#include "takt_core/adapter/callback_ids.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "takt_core/adapter/id_registry.hpp"
#include "takt_rt/duration_text.hpp"

namespace takt_core::adapter::test
{

using takt_rt::print_duration;
using takt_rt::read_duration;

namespace
{

using namespace std::chrono_literals;

using nlohmann::json;

/// The entries of one table of callback_ids.json; none if the file lacks it.
json table(const char * name)
{
  std::ifstream file(TAKT_ID_TABLES);
  return json::parse(file).value(name, json::array());
}

std::string text(const json & entry, const char * key)
{
  return entry.at(key).get<std::string>();
}

TEST(CallbackIds, TimersOfTheTable)
{
  const json entries = table("timers");
  ASSERT_FALSE(entries.empty());
  for (const json & entry : entries) {
    const Duration period{entry.at("period_ns").get<std::int64_t>()};
    EXPECT_EQ(timer_id(text(entry, "node"), period), text(entry, "id"));
    EXPECT_EQ(
      callback_id(text(entry, "node"), "timer", std::to_string(period.count()) + "ns"),
      text(entry, "id"));
  }
}

TEST(CallbackIds, CallbacksOfTheTable)
{
  const json entries = table("callbacks");
  ASSERT_FALSE(entries.empty());
  for (const json & entry : entries) {
    EXPECT_EQ(
      callback_id(text(entry, "node"), text(entry, "kind"), text(entry, "what")),
      text(entry, "id"));
  }
}

TEST(CallbackIds, GroupsOfTheTable)
{
  const json entries = table("groups");
  ASSERT_FALSE(entries.empty());
  for (const json & entry : entries) {
    EXPECT_EQ(group_id(text(entry, "node"), text(entry, "what")), text(entry, "id"));
  }
}

TEST(CallbackIds, EqualOnesAreNumberedAsInTheTable)
{
  const json entries = table("numbers");
  ASSERT_FALSE(entries.empty());
  for (const json & entry : entries) {
    IdRegistry registry;
    json ids = json::array();
    for (const json & base : entry.at("claimed")) {
      ids.push_back(registry.claim(base.get<std::string>()));
    }
    EXPECT_EQ(ids, entry.at("ids"));
  }
}

TEST(CallbackIds, PartsOfTheTable)
{
  const json entries = table("parts");
  ASSERT_FALSE(entries.empty());
  for (const json & entry : entries) {
    const std::string id = text(entry, "id");
    EXPECT_EQ(node_of(id), text(entry, "node")) << id;
    EXPECT_EQ(kind_word(id), text(entry, "kind")) << id;
    EXPECT_EQ(bracketed(id), text(entry, "bracketed")) << id;
  }
}

TEST(CallbackIds, OtherKindsOfTheTable)
{
  const json entries = table("kinds");
  ASSERT_FALSE(entries.empty());
  for (const json & entry : entries) {
    EXPECT_EQ(with_kind(text(entry, "id"), text(entry, "kind")), text(entry, "other"));
  }
}

TEST(CallbackIds, ACallbackWithoutAGroupOfItsNodeHasAGroupOfItsOwn)
{
  EXPECT_EQ(own_group_id("/a:timer(1s)#2"), "/a:timer(1s)#2:group(own)");
}

TEST(CallbackIds, EveryDurationIsReadAsItIsPrinted)
{
  for (const Duration one :
       {1ns, 999ns, 1000ns, 2'500'000ns, 33'333'333ns, 60'000'000'000ns,
        9'223'372'036'854'775'807ns}) {
    EXPECT_EQ(read_duration(print_duration(one)), one);
  }
}

TEST(CallbackIds, OtherSpellingsOfAPeriodAreTheSameId)
{
  for (const char * text : {"2500us", "0.0025s", "2.50ms", "2500000ns", "2500\xc2\xb5s"}) {
    EXPECT_EQ(callback_id("/a", "timer", text), "/a:timer(2.5ms)") << text;
    EXPECT_EQ(normal_id("/a:timer(" + std::string(text) + ")"), "/a:timer(2.5ms)") << text;
    EXPECT_EQ(normal_id("/a:timer(" + std::string(text) + ")#2"), "/a:timer(2.5ms)#2") << text;
    EXPECT_EQ(normal_id("/ns/**:timer(" + std::string(text) + ")*"), "/ns/**:timer(2.5ms)*")
      << text;
  }
  EXPECT_EQ(normal_id("/a:timer(0.5min)"), "/a:timer(30s)");
  EXPECT_EQ(normal_id("/a:timer(1000ms)"), "/a:timer(1s)");
}

TEST(CallbackIds, NamesThatAreNoPeriodStay)
{
  for (const char * id :
       {"/a:timer(tick)", "/a:timer(*)", "/a:timer(10*)", "/a:timer(100)", "/a:timer(1.ms)",
        "/a:timer(.5s)", "/a:timer(0.0000000005s)", "/a:timer(0.00000000000000000001min)",
        "/a:timer(99999999999999999999s)", "/a:timer(200000000min)", "/a:timer(-1s)", "/a:timer()",
        "/a:timer(100ms", "/a:sub(/2500us)", "/a:group(2500us)", "**(2500us)", "", "(", ")("}) {
    EXPECT_EQ(normal_id(id), id);
  }
}

TEST(CallbackIds, TellWhatTheClientLibraryMadeForItself)
{
  const json made = table("of_client_library");
  const json others = table("of_program");
  ASSERT_FALSE(made.empty() || others.empty());
  for (const json & id : made) {
    EXPECT_TRUE(is_of_client_library(id.get<std::string>())) << id;
  }
  for (const json & id : others) {
    EXPECT_FALSE(is_of_client_library(id.get<std::string>())) << id;
  }
}

TEST(CallbackIds, EqualOnesAreNumbered)
{
  EXPECT_EQ(numbered("/a:timer(1s)", 1), "/a:timer(1s)");
  EXPECT_EQ(numbered("/a:timer(1s)", 2), "/a:timer(1s)#2");
}

}  // namespace
}  // namespace takt_core::adapter::test
