// Each program of the corpus under the guard: all of its faults have the right callback and kind,
// and nothing else has.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "faults.hpp"
#include "inlined.hpp"
#include "takt_host/private_domain.hpp"

namespace
{

using guarded::Case;
using guarded::kCases;
using guarded::Place;
using nlohmann::json;
using Kinds = std::set<std::string>;

Kinds words_of(std::string_view text)
{
  std::istringstream in{std::string(text)};
  return {std::istream_iterator<std::string>(in), {}};
}

std::string id_of(Place place)
{
  switch (place) {
    case Place::timer:
      return "/guarded:timer(7ms)";
    case Place::subscription:
      return "/guarded:sub(/numbers)";
    case Place::service:
      return "/guarded:service(/asked)";
  }
  return {};
}

std::string text(const std::string & path)
{
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

[[maybe_unused]] void PrintTo(const Case & one, std::ostream * out)
{
  *out << one.name;
}

enum class Lines
{
  any,
  known,
  unknown
};

// Each place of the event has the program's lambda as its innermost function of the program.
void expect_lambda(const json & event, Lines lines)
{
  for (const json & place : event.at("places")) {
    const json & stack = place.at("stack");
    const auto frame = std::find_if(
      stack.begin(), stack.end(), [](const json & one) { return one.at("part") == "program"; });
    ASSERT_NE(frame, stack.end()) << stack.dump(1);
    const std::string function = frame->at("function");
    EXPECT_NE(function.find("{lambda("), std::string::npos) << stack.dump(1);
    const std::string file = frame->at("file");
    const std::string end = lines == Lines::known ? "inlined_node.hpp" : "";
    EXPECT_EQ(file.substr(file.rfind('/') + 1), end) << stack.dump(1);
  }
}

class Corpus : public testing::TestWithParam<Case>
{
protected:
  static void SetUpTestSuite()
  {
    folder_ = testing::TempDir() + "/guard_test.XXXXXX";
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
    static const takt_host::PrivateDomain domain;
    ::setenv("ROS_DOMAIN_ID", std::to_string(domain.id()).c_str(), 1);
    ::setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST", 1);
    ::setenv("ROS_LOG_DIR", folder_.c_str(), 1);
    ::setenv("LD_BIND_NOW", "1", 1);  // no page of a library is touched later
  }
  static void TearDownTestSuite()
  {
    ASSERT_EQ(std::system(("rm -r '" + folder_ + "'").c_str()), 0);
  }

  static void judge(const std::string & program, const Case & one, Lines lines = Lines::any)
  {
    const std::string report = folder_ + "/report.json";
    const std::string said = folder_ + "/said";
    const std::string command = "timeout -k 5 60 '" TAKT_EXEC "' --guard=all --force --report '" +
                                report + "' -- '" + program + "' " + std::string(one.name) +
                                " >/dev/null 2>'" + said + "'";
    ASSERT_EQ(std::system(command.c_str()), 0) << text(said);
    const json all = json::parse(text(report));
    ASSERT_EQ(all.at("guard").size(), 1U);
    const json & process = all.at("guard")[0];
    EXPECT_EQ(process.at("lost"), 0);
    // Without the right to lock memory each first touch is a page fault, and rightly named.
    const bool locked = text(said).find("memory is not locked") == std::string::npos;
    bool found = false;
    for (const json & callback : process.at("callbacks")) {
      const std::string id = callback.at("id");
      Kinds kinds;
      for (const json & event : callback.at("events")) {
        const std::string kind = event.at("kind");
        if (event.at("by") == "program" && (locked || kind != "page_fault")) {
          kinds.insert(kind);
          EXPECT_GT(event.at("count"), 0);
          if (lines != Lines::any) {
            expect_lambda(event, lines);
          }
        }
      }
      Kinds expected;
      if (id == id_of(one.place)) {
        found = true;
        expected = words_of(one.kinds);
        for (const std::string & may : words_of(one.also)) {
          kinds.erase(may);
        }
        EXPECT_GE(callback.at("runs"), 5);
      }
      EXPECT_EQ(kinds, expected) << id << " " << callback.dump(1);
    }
    EXPECT_TRUE(found) << text(report);
  }

private:
  static inline std::string folder_;
};

TEST_P(Corpus, of_takt_rcl_is_named_as_it_is)
{
  judge(TAKT_PORTED, GetParam());
}

#ifdef TAKT_ADOPTED
TEST_P(Corpus, of_rclcpp_is_named_as_it_is)
{
  judge(TAKT_ADOPTED, GetParam());
}
#endif

class InlinedCorpus : public Corpus
{
};

TEST_P(InlinedCorpus, of_takt_rcl_with_line_numbers_is_named_as_it_is)
{
  judge(TAKT_INLINED_PORTED, GetParam(), Lines::known);
}

TEST_P(InlinedCorpus, of_takt_rcl_without_line_numbers_is_named_as_it_is)
{
  judge(TAKT_INLINED_PORTED "_without_lines", GetParam(), Lines::unknown);
}

#ifdef TAKT_INLINED_ADOPTED
TEST_P(InlinedCorpus, of_rclcpp_with_line_numbers_is_named_as_it_is)
{
  judge(TAKT_INLINED_ADOPTED, GetParam(), Lines::known);
}

TEST_P(InlinedCorpus, of_rclcpp_without_line_numbers_is_named_as_it_is)
{
  judge(TAKT_INLINED_ADOPTED "_without_lines", GetParam(), Lines::unknown);
}
#endif

INSTANTIATE_TEST_SUITE_P(
  Guard, InlinedCorpus, testing::ValuesIn(guarded::kInlinedCases),
  [](const testing::TestParamInfo<Case> & info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(
  Guard, Corpus, testing::ValuesIn(kCases),
  [](const testing::TestParamInfo<Case> & info) { return std::string(info.param.name); });

}  // namespace
