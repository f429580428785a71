// Each deadlock of the corpus is named with both callbacks, while other waits are not.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <list>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "deadlocks.hpp"
#include "takt_host/private_domain.hpp"

namespace
{

using deadlocks::Case;
using deadlocks::kCases;
using nlohmann::json;
using Pairs = std::set<std::pair<std::string, std::string>>;

std::string text(const std::string & path)
{
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Pairs expected(const Case & one)
{
  const std::string waits = "/dead:timer(50ms)";
  const std::string other = one.answers == "subscription" ? "/dead:sub(/numbers)"
                            : one.answers == "service"    ? "/dead:service(/asked)"
                                                          : "/dead:timer(70ms)";
  if (!one.is_deadlock) {
    return {};
  }
  return one.waits == "locks" ? Pairs{{waits, other}, {other, waits}} : Pairs{{waits, other}};
}

// All at once: they only wait.
void judge_all(const char * program)
{
  std::string folder = testing::TempDir() + "/guard_test.XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  ::setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST", 1);
  ::setenv("ROS_LOG_DIR", folder.c_str(), 1);
  std::string commands;
  std::list<takt_host::PrivateDomain> domains;
  for (const Case & one : kCases) {
    const std::string name(one.name);
    commands += "ROS_DOMAIN_ID=" + std::to_string(domains.emplace_back().id()) +
                " timeout -k 5 100 '" TAKT_EXEC "' --guard=all --report '" + folder + "/" + name +
                ".json' -- '" + program + "' " + name + " 2>'" + folder + "/" + name + ".said' & ";
  }
  ASSERT_EQ(std::system((commands + "wait").c_str()), 0);
  for (const Case & one : kCases) {
    const std::string file = folder + "/" + std::string(one.name);
    const json report = json::parse(text(file + ".json"), nullptr, false);
    ASSERT_FALSE(report.is_discarded()) << one.name << text(file + ".said");
    ASSERT_EQ(report.at("guard").size(), 1U) << one.name << text(file + ".said");
    Pairs named;
    for (const json & deadlock : report.at("guard")[0].at("deadlocks")) {
      named.emplace(deadlock.at("waiting"), deadlock.at("awaited"));
      EXPECT_FALSE(deadlock.at("stack").empty()) << one.name;
    }
    EXPECT_EQ(named, expected(one)) << one.name << "\n" << text(file + ".said");
  }
  ASSERT_EQ(std::system(("rm -r '" + folder + "'").c_str()), 0);
}

TEST(Deadlocks, of_takt_rcl_are_named_with_both_callbacks)
{
  judge_all(TAKT_PORTED);
}

#ifdef TAKT_ADOPTED
TEST(Deadlocks, of_rclcpp_are_named_with_both_callbacks)
{
  judge_all(TAKT_ADOPTED);
}
#endif

}  // namespace
