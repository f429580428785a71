// The same nodes on takt_rcl and, adopted, on rclcpp have the same ids, groups and numbers of runs under one schedule.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace
{

struct Callback
{
  std::string group;
  int runs = 0;
  bool operator==(const Callback &) const = default;
};
using Callbacks = std::map<std::string, Callback>;

void PrintTo(const Callback & one, std::ostream * out)
{
  *out << one.group << " ran " << one.runs;
}

// How often it looked for its subscriptions differs.
const std::string kPublishes = "/ns/twin:timer(33.333333ms)";

class Twins : public testing::Test
{
protected:
  void SetUp() override
  {
    folder_ = testing::TempDir() + "/twins_test.XXXXXX";
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
    ::setenv("ROS_DOMAIN_ID", std::to_string(10 + ::getpid() % 90).c_str(), 1);
    ::setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST", 1);
    ::setenv("ROS_LOG_DIR", folder_.c_str(), 1);
  }
  void TearDown() override { ASSERT_EQ(std::system(("rm -r '" + folder_ + "'").c_str()), 0); }
  int run(const std::string & command) const
  {
    return std::system(("timeout -k 5 60 " + command + " 2>'" + errors() + "'").c_str());
  }
  std::string errors() const { return folder_ + "/errors"; }
  static std::string text(const std::string & path)
  {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  Callbacks ported()
  {
    const std::string out = folder_ + "/ported";
    EXPECT_EQ(run("'" TAKT_PORTED_TWIN "' '" TAKT_TWINS "' >'" + out + "'"), 0) << text(errors());
    EXPECT_EQ(text(errors()), "");
    std::ifstream file(out);
    Callbacks all;
    std::string id;
    Callback one;
    while (file >> id >> one.group >> one.runs) {
      all[id] = one;
    }
    return all;
  }

  Callbacks adopted()
  {
    const std::string out = folder_ + "/adopted.json";
    EXPECT_EQ(
      run(
        "'" TAKT_EXEC "' --strict --schedule '" TAKT_TWINS "' --force --report '" + out +
        "' -- '" TAKT_ADOPTED_TWIN "'"),
      0)
      << text(errors());
    const auto report = nlohmann::json::parse(text(out), nullptr, false);
    EXPECT_EQ(report["executors"].size(), 1U) << report;
    Callbacks all;
    for (const auto & one : report["executors"][0]["callbacks"]) {
      const auto id = one["id"].get<std::string>();
      // What rclcpp makes for each node: parameters and events.
      if (
        id.find(":service(/ns/twin/") == std::string::npos &&
        id.find("/parameter_events") == std::string::npos &&
        id.find(":waitable(event)") == std::string::npos && id.find("/ns/twin:") == 0) {
        all[id] = {one["group"].get<std::string>(), one["runs"].get<int>()};
      }
    }
    return all;
  }

  std::string folder_;
};

TEST_F(Twins, have_the_same_ids_groups_and_runs_under_both_front_ends)
{
  Callbacks ported = this->ported();
  Callbacks adopted = this->adopted();
  EXPECT_GT(ported[kPublishes].runs, 20);
  EXPECT_GT(adopted[kPublishes].runs, 20);
  ported[kPublishes].runs = adopted[kPublishes].runs = 0;
  const Callbacks expected{
    {"/ns/twin:timer(2.5ms)", {"/ns/twin:group(2)", 3}},
    {"/ns/twin:timer(2.5ms)#2", {"/ns/twin:group(default)", 5}},
    {"/ns/twin:timer(2.5ms)#3", {"/ns/twin:group(1)", 7}},
    {"/ns/twin:sub(/ns/numbers)", {"/ns/twin:group(2)", 20}},
    {"/ns/twin:sub(/ns/numbers)#2", {"/ns/twin:group(default)", 20}},
    {kPublishes, {"/ns/twin:group(1)", 0}}};
  const auto without_slow = [](Callbacks all) {
    EXPECT_EQ(all["/ns/twin:timer(1.5s)"].group, "/ns/twin:group(default)");
    all.erase("/ns/twin:timer(1.5s)");
    return all;
  };
  EXPECT_EQ(without_slow(ported), expected);
  EXPECT_EQ(without_slow(adopted), expected);
}

}  // namespace
