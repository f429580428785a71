// Reports of processes, joined and printed.
#include "exec/exec_report.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "model/reports.hpp"

namespace takt_exec::test
{

using namespace takt_trace::test;  // NOLINT: the reports of adopted executors
namespace
{

class ExecReport : public testing::Test
{
protected:
  ExecReport()
  {
    std::string pattern = testing::TempDir() + "/exec_report_test.XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~ExecReport() override { std::filesystem::remove_all(folder_); }

  void write(const std::string & name, const std::string & text) const
  {
    std::ofstream(folder_ / name) << text;
  }
  void write(const std::string & name, const ordered_json & report) const
  {
    write(name, report.dump());
  }
  ordered_json join() const { return join_reports(folder_); }

private:
  std::filesystem::path folder_;
};

TEST_F(ExecReport, joins_executors_in_the_order_of_processes)
{
  write("1000.1.json", executor(1000, "/late", {}));
  write("71.2.json", executor(71, "/second", {}));
  write("71.1.json", executor(71, "/first", {}));
  const auto report = join();
  ASSERT_EQ(report["executors"].size(), 3U);
  EXPECT_EQ(report["executors"][0]["executor"], "/first");
  EXPECT_EQ(report["executors"][1]["executor"], "/second");
  EXPECT_EQ(report["executors"][2]["executor"], "/late");
  EXPECT_EQ(no_executor(report), "");
}

TEST_F(ExecReport, leaves_out_what_is_no_report)
{
  write("71.1.json", executor(71, "/a", {}));
  write("72.1.json", std::string(R"({"executor": "/half)"));
  write("73.1.json", std::string("[1, 2]"));
  write("74.1.json.part", executor(74, "/unfinished", {}));
  EXPECT_EQ(join()["executors"].size(), 1U);
}

TEST_F(ExecReport, has_each_loop_that_stayed_rclcpps_own_once)
{
  write("71.stock.1.json", stock(71, "spin_some"));
  write("71.stock.2.json", stock(71, "spin_some"));
  write("71.stock.3.json", stock(71, "spin", "the schedule cannot place /a:timer(1ms)"));
  write("72.stock.1.json", stock(72, "spin_some"));
  const auto report = join();
  EXPECT_TRUE(report["executors"].empty());
  ASSERT_EQ(report["stock"].size(), 3U);
  EXPECT_EQ(
    report["stock"][0],
    (ordered_json{
      {"pid", 71}, {"program", "/opt/robot/lib/talker"}, {"stock", "spin_some"}, {"reason", ""}}));
  EXPECT_EQ(
    to_text(report),
    "spin_some in process 71 (talker) stayed rclcpp's own, so takt saw none of the callbacks that "
    "it ran\n"
    "spin in process 71 (talker) stayed rclcpp's own, so takt saw none of the callbacks that it "
    "ran: the schedule cannot place /a:timer(1ms)\n"
    "spin_some in process 72 (talker) stayed rclcpp's own, so takt saw none of the callbacks that "
    "it ran\n");
}

TEST_F(ExecReport, prints_such_loops_after_the_executors)
{
  write("71.1.json", executor(71, "/a", {timer("/a", 100)}));
  write("71.stock.1.json", stock(71, "spin_some"));
  const std::string text = to_text(join());
  const auto table = text.find("/a:timer(100ms)");
  const auto loop = text.find("spin_some in process 71 (talker)");
  ASSERT_NE(table, std::string::npos) << text;
  ASSERT_NE(loop, std::string::npos) << text;
  EXPECT_LT(table, loop);
  EXPECT_EQ(text.find("no report of an executor"), std::string::npos) << text;
}

TEST_F(ExecReport, prints_chains_with_the_count_of_their_late_activations)
{
  ordered_json one = executor(71, "/a", {});
  const ordered_json response{
    {"mean_ns", 2e6}, {"p50_ns", 2e6}, {"p99_ns", 3e6}, {"max_ns", 4000000}};
  one["chains"] = {
    {{"name", "bound"},
     {"activations", 1200},
     {"deadline_ns", 3500000},
     {"late", 7},
     {"response", response}},
    {{"name", "free"}, {"activations", 3}, {"response", response}}};
  // Ten activations must lie beyond a percentile.
  one["chains"][1]["response"]["p99_ns"] = nullptr;
  write("71.1.json", one);
  const std::string text = to_text(join());
  std::vector<std::vector<std::string>> words;
  std::istringstream lines(text.substr(text.find("chain ")));
  for (std::string line; words.size() < 3 && std::getline(lines, line);) {
    std::istringstream rest(line);
    words.emplace_back(
      std::istream_iterator<std::string>(rest), std::istream_iterator<std::string>());
  }
  const std::vector<std::vector<std::string>> expected{
    {"chain", "activations", "mean", "ms", "p99", "max", "deadline", "late"},
    {"bound", "1200", "2.00", "3.00", "4.00", "3.5", "7"},
    {"free", "3", "2.00", "-", "4.00", "-", "-"}};
  EXPECT_EQ(words, expected) << text;
}

TEST_F(ExecReport, says_that_a_chain_begins_elsewhere)
{
  ordered_json one = executor(71, "/a", {});
  one["chains"] = {
    {{"name", "far"},
     {"activations", 0},
     {"deadline_ns", 3500000},
     {"late", 0},
     {"begins_elsewhere", true}}};
  write("71.1.json", one);
  const std::string text = to_text(join());
  EXPECT_NE(text.find("far              -        -    -    -       3.5     -"), std::string::npos)
    << text;
  EXPECT_NE(text.find("begun in another executor or process"), std::string::npos) << text;
}

TEST_F(ExecReport, names_callbacks_that_had_messages_left)
{
  write(
    "71.1.json", executor(
                   71, "/a",
                   {with(subscription("/a", "/behind", 5), "waiting", 7),
                    with(subscription("/a", "/starved", 0), "waiting", 1),
                    with(subscription("/a", "/last", 9), "waiting", 1)}));
  const std::string text = to_text(join());
  EXPECT_NE(text.find("/a:sub(/behind): 7 messages waited at the end\n"), std::string::npos)
    << text;
  EXPECT_NE(
    text.find("/a:sub(/starved): 1 message waited at the end, and it never ran\n"),
    std::string::npos)
    << text;
  EXPECT_EQ(text.find("/a:sub(/last):"), std::string::npos) << text;
}

TEST_F(ExecReport, tells_no_report_from_loops_that_stayed_rclcpps_own)
{
  const std::string nothing = no_executor(join());
  EXPECT_EQ(nothing, "takt saw no executor of rclcpp in the program");
  EXPECT_EQ(to_text(join()), nothing + "\n");
  write("71.stock.1.json", stock(71, "spin_some"));
  const std::string loops = no_executor(join());
  EXPECT_EQ(loops.find("saw no executor"), std::string::npos) << loops;
  EXPECT_NE(loops.find("spin_some in process 71 (talker)"), std::string::npos) << loops;
}

TEST_F(ExecReport, names_executors_of_other_libraries_where_none_ran)
{
  const ordered_json seen{
    {"version", 1},
    {"pid", 71},
    {"program", "/opt/robot/lib/talker"},
    {"class", "cie::Isolated"},
    {"reason", ""}};
  write("71.stock.1.json", seen);
  const std::string text = no_executor(join());
  EXPECT_NE(text.find("cie::Isolated in process 71 (talker)"), std::string::npos) << text;
  write("71.1.json", executor(71, "/a", {}));
  EXPECT_EQ(no_executor(join()), "");
}

TEST_F(ExecReport, names_timers_that_do_not_follow_the_epoch_of_the_schedule)
{
  ordered_json one = executor(71, "/a", {timer("/a", 10), timer("/b", 10), timer("/c", 10)});
  one["schedule_executor"] = "main";
  one["epoch"] = "host";
  for (auto & callback : one["callbacks"]) {
    callback["kind"] = "timer";
    callback["has_offset"] = callback["id"] != "/b:timer(100ms)";
  }
  write("71.1.json", one);
  std::string text = to_text(join());
  const std::string id = one["callbacks"][1]["id"];
  EXPECT_NE(text.find(id + " keeps the phase that the program gives"), std::string::npos) << text;
  one["epoch"] = "start";
  write("71.1.json", one);
  text = to_text(join());
  EXPECT_EQ(text.find("keeps the phase"), std::string::npos) << text;
}

// The reports of a program that calls rclcpp::spin in a loop.
TEST_F(ExecReport, adds_up_the_spins_of_one_executor)
{
  for (int i = 1; i <= 200; ++i) {
    ordered_json one = executor(71, "/a", {timer("/a", 10)}, 0.5);
    one["callbacks"][0]["cpu"] = times(i * kMs, i * kMs, i * kMs);
    one["callbacks"][0]["overwritten"] = 1;
    one["callbacks"][0]["publishes"] = {{{"topic", "/x"}, {"count", 2}}};
    write("71." + std::to_string(i) + ".json", one);
  }
  write("71.201.json", executor(71, "/a#2", {timer("/a", 1)}));
  write("72.1.json", executor(72, "/a", {timer("/a", 1)}));
  const auto report = join();
  ASSERT_EQ(report["executors"].size(), 3U);
  const auto & sum = report["executors"][0];
  EXPECT_EQ(sum["spins"], 200);
  EXPECT_DOUBLE_EQ(sum["seconds"], 100.0);
  const auto & callback = sum["callbacks"][0];
  EXPECT_EQ(callback["runs"], 2000);
  EXPECT_DOUBLE_EQ(callback["rate_hz"], 20.0);
  EXPECT_DOUBLE_EQ(callback["cpu"]["mean_ns"], 100.5 * kMs);
  EXPECT_EQ(callback["cpu"]["min_ns"], kMs);
  EXPECT_EQ(callback["cpu"]["max_ns"], 200 * kMs);
  EXPECT_EQ(callback["overwritten"], 200);
  EXPECT_EQ(callback["publishes"][0]["count"], 400);
  EXPECT_EQ(callback["cpu_histogram"], ordered_json::array({{kMs, 2000}}));
  const std::string text = to_text(report);
  EXPECT_NE(text.find("100.0 s in 200 spins"), std::string::npos) << text;
}

// Otherwise a model of several spins would have only the waits of the first spin.
TEST_F(ExecReport, adds_up_what_was_observed_in_the_spins_of_one_executor)
{
  for (const int spin : {1, 2, 3}) {
    ordered_json one = executor(71, "/a", {timer("/a", 10)});
    auto & callback = one["callbacks"][0];
    callback["waits_for"] = ordered_json::array();
    if (spin > 1) {
      callback["waits_for"].push_back(
        {{"service", "/s:service(/w)"},
         {"client", "/a:client(/w)"},
         {"count", spin},
         {"most", spin},
         {"longest_ns", 10 - spin}});
    }
    callback["arrivals"] = 4;
    callback["arrival_spans"] = {{1, 10 * spin}};
    callback["lost"] = 1;
    callback["publishing_runs"] = 10;
    callback["published_last"] = spin;
    callback["longest_sleep_ns"] = spin == 2 ? 7 : 0;
    write("71." + std::to_string(spin) + ".json", one);
  }
  const auto callback = join()["executors"][0]["callbacks"][0];
  ASSERT_EQ(callback["waits_for"].size(), 1U) << callback;
  EXPECT_EQ(callback["waits_for"][0]["count"], 5);
  EXPECT_EQ(callback["waits_for"][0]["most"], 3);
  EXPECT_EQ(callback["waits_for"][0]["longest_ns"], 8);
  EXPECT_EQ(callback["arrivals"], 12);
  EXPECT_EQ(callback["arrival_spans"], ordered_json::array({{1, 10}}));
  EXPECT_EQ(callback["lost"], 3);
  EXPECT_EQ(callback["publishing_runs"], 30);
  EXPECT_EQ(callback["published_last"], 6);
  EXPECT_EQ(callback["longest_sleep_ns"], 7);
}

TEST_F(ExecReport, gives_no_percentile_of_several_spins)
{
  for (const int spin : {1, 2}) {
    ordered_json one = executor(71, "/a", {});
    one["chains"] = {
      {{"name", "both"},
       {"activations", 1000 * spin},
       {"deadline_ns", 3500000},
       {"late", spin},
       {"response",
        {{"mean_ns", spin * 3e6}, {"p50_ns", 2e6}, {"p99_ns", 3e6}, {"max_ns", spin * 4000000}}}}};
    write("71." + std::to_string(spin) + ".json", one);
  }
  const auto chain = join()["executors"][0]["chains"][0];
  EXPECT_EQ(chain["activations"], 3000);
  EXPECT_EQ(chain["late"], 3);
  EXPECT_DOUBLE_EQ(chain["response"]["mean_ns"], 5e6);
  EXPECT_EQ(chain["response"]["max_ns"], 8000000);
  EXPECT_TRUE(chain["response"]["p99_ns"].is_null());
  const std::string text = to_text(join());
  EXPECT_NE(text.find("both          3000     5.00    -  8.00"), std::string::npos) << text;
}

TEST_F(ExecReport, says_what_disturbed_the_phases_of_timers)
{
  auto one = executor(71, "/a", {});
  const auto said = [&](const ordered_json & phases) {
    one["phases"] = phases;
    write("71.1.json", one);
    return to_text(join());
  };
  const auto has = [](const std::string & text, const std::string & words) {
    return text.find(words) != std::string::npos;
  };
  EXPECT_FALSE(has(said(nullptr), "phases"));
  ordered_json phases{
    {"disturbances", 0}, {"bounds_hold", "yes"}, {"holds_in_ns", 0}, {"last", nullptr}};
  EXPECT_TRUE(has(
    said(phases),
    "  nothing disturbed the phases of timers; bounds that rest on them held at the end\n"));
  phases["disturbances"] = 2;
  phases["last"] = {
    {"cause", "skipped period"}, {"callback", "/a:timer(10ms)"}, {"ago_ns", 1'500'000'000}};
  const std::string disturbed =
    "  the phases of timers were disturbed 2 times, last by a skipped period of /a:timer(10ms) "
    "1.500 s before the end; ";
  EXPECT_TRUE(has(said(phases), disturbed + "bounds that rest on them held at the end\n"));
  phases["bounds_hold"] = "settling";
  phases["holds_in_ns"] = 250'000'000;
  EXPECT_TRUE(has(
    said(phases), disturbed + "bounds that rest on them would have held again 0.250 s later\n"));
  phases["holds_in_ns"] = nullptr;
  phases["bounds_hold"] = "after a new start";
  EXPECT_TRUE(
    has(said(phases), disturbed + "bounds that rest on them hold again after a new start\n"));
  phases["bounds_hold"] = "unknown";
  EXPECT_TRUE(has(said(phases), "is unknown, because the schedule has no settles\n"));
}

// The report of each spin has the disturbances of all spins so far.
TEST_F(ExecReport, takes_disturbed_phases_from_the_last_spin)
{
  auto one = executor(71, "/a", {});
  ordered_json phases{
    {"disturbances", 1},
    {"bounds_hold", "yes"},
    {"holds_in_ns", 0},
    {"last", {{"cause", "lost message"}, {"callback", "/a:sub(/x)"}, {"ago_ns", 1}}}};
  one["phases"] = phases;
  write("71.1.json", one);
  one["phases"]["disturbances"] = 4;
  write("71.2.json", one);
  EXPECT_EQ(join()["executors"][0]["phases"]["disturbances"], 4);
}

// The statuses are those of waitpid.
TEST_F(ExecReport, says_which_signal_ended_a_program_without_a_report)
{
  constexpr int kSignal = 9;
  const auto exit_code = [](int code) { return code << 8; };
  EXPECT_EQ(
    no_executor(join(), kSignal),
    "takt has no report of an executor: signal 9 (Killed) ended the program before it wrote one");
  EXPECT_EQ(to_text(join(), kSignal), no_executor(join(), kSignal) + "\n");
  for (const int code : {128 + kSignal, 256 - kSignal}) {
    EXPECT_EQ(
      no_executor(join(), exit_code(code)),
      "takt has no report of an executor: the program ended with exit code " +
        std::to_string(code) +
        ", as it does where signal 9 (Killed) ended what it started; that wrote no report");
  }
  const std::string unknown = no_executor(join());
  for (const int status : {exit_code(0), SIGINT, SIGTERM}) {
    EXPECT_EQ(no_executor(join(), status), unknown) << status;
  }
  for (const int code : {1, 255}) {
    EXPECT_EQ(
      no_executor(join(), exit_code(code)),
      unknown + ", which ended with exit code " + std::to_string(code));
  }
  write("71.1.json", executor(71, "/a", {}));
  EXPECT_EQ(no_executor(join(), kSignal), "");
}

}  // namespace
}  // namespace takt_exec::test
