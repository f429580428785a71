// The same nodes on takt_rcl and, adopted, on rclcpp have the same ids, groups, numbers of runs and
// order of runs under one schedule.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
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

// The number of runs of this timer differs, because some of them only look for the timer's
// subscriptions.
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
      // Omit the callbacks that rclcpp makes for each node: parameters and events.
      if (
        id.find(":service(/ns/twin/") == std::string::npos &&
        id.find("/parameter_events") == std::string::npos &&
        id.find(":waitable(event)") == std::string::npos && id.find("/ns/twin:") == 0) {
        all[id] = {one["group"].get<std::string>(), one["runs"].get<int>()};
      }
    }
    return all;
  }

  // The order in which the callbacks of turns.hpp ran under a schedule: the names behind the word
  // "order" in the program's output.
  std::string order_ported(const std::string & schedule)
  {
    const std::string out = folder_ + "/order_ported";
    EXPECT_EQ(run("'" TAKT_PORTED_TWIN "' '" + schedule + "' turns >'" + out + "'"), 0)
      << text(errors());
    EXPECT_EQ(text(errors()), "");
    return order_in(out);
  }
  std::string order_adopted(const std::string & schedule)
  {
    const std::string out = folder_ + "/order_adopted";
    EXPECT_EQ(
      run(
        "'" TAKT_EXEC "' --strict --schedule '" + schedule +
        "' -- '" TAKT_ADOPTED_TWIN "' turns >'" + out + "'"),
      0)
      << text(errors());
    return order_in(out);
  }
  static std::string order_in(const std::string & path)
  {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("order ")) {
        return line.substr(6);
      }
    }
    return "";
  }
  // The text of a schedule with `order`. `priorities`: of the starter, the timers of 2 ms and 3 ms,
  // and the topics high and low.
  std::string schedule(const std::string & order, const std::array<int, 5> & priorities) const
  {
    constexpr std::array<const char *, 5> kRules{
      "timer(1ms)", "timer(2ms)", "timer(3ms)", "sub(/ns/high)", "sub(/ns/low)"};
    std::string written =
      "version: 1\nstrict: true\nexecutors:\n  main:\n    missing_rights: report\n"
      "    threads: {turns: {}, rest: {}}\n    default: rest\n    order: " +
      order + "\n    callbacks:\n";
    for (std::size_t i = 0; i < kRules.size(); ++i) {
      written += std::string("      - {match: \"/ns/turns:") + kRules[i] + "\", threads: turns";
      written += priorities[i] == 0 ? "" : ", priority: " + std::to_string(priorities[i]);
      written += "}\n";
    }
    std::string path = folder_ + "/turns.yaml";
    std::ofstream(path) << written;
    return path;
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

TEST_F(Twins, run_ready_callbacks_by_priority_under_both_front_ends)
{
  const std::string mixed = schedule("priority", {9, 2, 6, 8, 4});
  EXPECT_EQ(order_ported(mixed), "high second low first");
  EXPECT_EQ(order_adopted(mixed), "high second low first");
  const std::string reversed = schedule("priority", {9, 8, 4, 2, 6});
  EXPECT_EQ(order_ported(reversed), "first low second high");
  EXPECT_EQ(order_adopted(reversed), "first low second high");
}

TEST_F(Twins, run_a_window_by_kind_and_registration_under_both_front_ends)
{
  const std::string window = schedule("window", {});
  EXPECT_EQ(order_ported(window), "first second low high");
  EXPECT_EQ(order_adopted(window), "first second low high");
}

TEST_F(Twins, run_messages_in_the_order_of_their_arrival_under_both_front_ends)
{
  const std::string fifo = schedule("fifo", {});
  for (const std::string & order : {order_ported(fifo), order_adopted(fifo)}) {
    ASSERT_NE(order.find("high"), std::string::npos) << order;
    EXPECT_LT(order.find("low"), order.find("high")) << order;
  }
}

}  // namespace
