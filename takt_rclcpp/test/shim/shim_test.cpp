// The shim against a library with rclcpp's names: every way in which programs spin, with the
// library built as ROS builds it and with its calls bound inside (-Bsymbolic-functions).
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace
{

struct Outcome
{
  int code = -1;
  std::string out;
  std::string err;
};

// AddressSanitizer's runtime, if this test has one: it must stand before every other library.
std::string sanitizer_runtime()
{
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("/libasan.so") != std::string::npos) {
      return line.substr(line.find('/')) + ":";
    }
  }
  return "";
}

Outcome run(const std::string & command)
{
  const std::string errors = testing::TempDir() + "/shim_test_errors." + std::to_string(::getpid());
  FILE * const pipe = ::popen((command + " 2>'" + errors + "'").c_str(), "r");
  Outcome outcome;
  std::array<char, 4096> some{};
  while (const std::size_t n = std::fread(some.data(), 1, some.size(), pipe)) {
    outcome.out.append(some.data(), n);
  }
  const int status = ::pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  std::ifstream file(errors);
  outcome.err.assign(std::istreambuf_iterator<char>(file), {});
  std::remove(errors.c_str());
  return outcome;
}

const std::string kPreload = "LD_PRELOAD='" + sanitizer_runtime() + TAKT_PRELOAD "' ";
const std::string kImplementation = "TAKT_IMPLEMENTATION='" TAKT_STAND_IN_IMPLEMENTATION "' ";

/// The folder of one build of the library.
class Shim : public testing::TestWithParam<const char *>
{
protected:
  bool symbolic() const { return std::string(GetParam()) != "plain"; }

  Outcome spin(const std::string & way, const std::string & environment = kImplementation) const
  {
    return run(library() + kPreload + environment + "'" TAKT_STAND_IN_PROGRAM "' '" + way + "'");
  }
  std::string library() const
  {
    return "LD_LIBRARY_PATH='" TAKT_STAND_IN_LIBRARIES "/" + std::string(GetParam()) + "' ";
  }
  std::string out(const std::string & way, const std::string & environment = kImplementation) const
  {
    const Outcome outcome = spin(way, environment);
    EXPECT_EQ(outcome.code, 0) << way << "\n" << outcome.err;
    EXPECT_EQ(outcome.err, "") << way;
    return outcome.out;
  }
};

TEST_P(Shim, is_not_in_the_way_of_a_program_by_itself)
{
  const Outcome outcome = run(library() + "'" TAKT_STAND_IN_PROGRAM "' stack");
  EXPECT_EQ(outcome.out, "stock single\n");
}

TEST_P(Shim, takes_over_every_way_to_spin)
{
  EXPECT_EQ(out("stack"), "takt spin 1\n");
  EXPECT_EQ(out("multi"), "takt spin 2\n");
  EXPECT_EQ(out("static"), "takt spin 1\n");
  EXPECT_EQ(out("pointer"), "takt spin 2\n");
  EXPECT_EQ(out("derived"), "takt spin 1\n");
  EXPECT_EQ(out("library"), "takt spin 1\n");
  EXPECT_EQ(out("twice"), "takt spin 1\ntakt spin 1\n");
  EXPECT_EQ(out("fork"), "takt spin 1\n");
  EXPECT_EQ(out("fork after"), "takt spin 1\ntakt spin 1\n");
  EXPECT_EQ(out("exit"), "takt spin 1\n");
}

// The slow loading comes before the program's threads spin: rclcpp loses a cancel of a spin that
// has yet to begin.
TEST_P(Shim, is_loaded_when_the_program_initialises_rclcpp)
{
  EXPECT_EQ(
    out("init", kImplementation + "STAND_IN_ANSWER=begins "),
    "stock init\ntakt begins\ngoes on\ntakt spin 1\n");
}

TEST_P(Shim, takes_over_spins_of_a_node)
{
  EXPECT_EQ(out("node"), symbolic() ? "takt whole node\n" : "takt spin 1\n");
  EXPECT_EQ(out("node base"), symbolic() ? "takt node\n" : "takt spin 1\n");
}

TEST_P(Shim, keeps_an_events_executor_from_listening_while_takt_does)
{
  EXPECT_EQ(out("events"), "stock updated\ntakt spin 3\ntakt updated\n");
}

TEST_P(Shim, tells_takt_of_what_an_events_executor_of_jazzy_is_to_collect)
{
  EXPECT_EQ(
    out("events of Jazzy"),
    "stock collects a node\ntakt spin 3\ntakt collects 1\ntakt collects 2\ntakt group\n"
    "takt collects 3\ntakt collects 4\nstock drops a group\n");
}

TEST_P(Shim, notes_the_node_of_a_group_that_is_added_by_itself)
{
  EXPECT_EQ(out("group"), "takt group\nstock group, told\n");
}

TEST_P(Shim, numbers_what_nodes_get_in_their_order)
{
  EXPECT_EQ(out("make"), "stock timer\nstock subscription\nmade as 1, 2 and 0\n");
}

TEST_P(Shim, is_there_for_a_plug_in_that_its_program_keeps_apart)
{
  const Outcome outcome = run(
    library() + kPreload + kImplementation +
    "'" TAKT_STAND_IN_OPENER "' '" TAKT_STAND_IN_PLUGIN "'");
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  // The program opened the library after its start, so the shim has not changed the library's table
  // of virtual functions.
  EXPECT_EQ(outcome.out, symbolic() ? "takt spin 1\nstock single\n" : "takt spin 1\ntakt spin 1\n");
}

TEST_P(Shim, runs_the_stock_loop_where_the_implementation_declines)
{
  const std::string declines = kImplementation + "STAND_IN_ANSWER=stock ";
  EXPECT_EQ(out("stack", declines), "takt spin 1\nstock single\n");
  EXPECT_EQ(out("pointer", declines), "takt spin 2\nstock multi\n");
  EXPECT_EQ(out("library", declines), "takt spin 1\nstock single\n");
}

TEST_P(Shim, runs_the_stock_loop_without_an_implementation_and_says_why)
{
  const Outcome outcome = spin("stack", "TAKT_IMPLEMENTATION=/nowhere.so ");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "stock single\n");
  EXPECT_NE(outcome.err.find("takt's library for rclcpp cannot be loaded"), std::string::npos);
  EXPECT_NE(outcome.err.find("rclcpp's own loop runs"), std::string::npos);

  const Outcome other = spin("stack", kImplementation + "STAND_IN_VERSION=999 ");
  EXPECT_EQ(other.out, "stock single\n");
  EXPECT_NE(other.err.find("does not fit libtakt_preload.so"), std::string::npos);
}

TEST_P(Shim, ends_the_program_under_strict_where_takt_cannot_run_it)
{
  const Outcome outcome = spin("stack", "TAKT_STRICT=1 TAKT_IMPLEMENTATION=/nowhere.so ");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
}

TEST_P(Shim, lets_exceptions_of_callbacks_through)
{
  EXPECT_EQ(
    out("catch", kImplementation + "STAND_IN_ANSWER=throw "),
    "takt spin 1\ncaught thrown by a callback\n");
}

TEST_P(Shim, surrounds_publishing_once_takt_runs_the_program)
{
  EXPECT_EQ(
    out("publish"),
    "stock publish\nstock trace 42\n7\ntakt spin 1\ntakt publishes\nstock publish\n"
    "stock trace 42\ntakt named 42\ntakt published\n7\n");
}

TEST_P(Shim, leaves_messages_to_takt_that_takt_holds)
{
  EXPECT_EQ(
    out("publish", kImplementation + "STAND_IN_ANSWER=holds "),
    "stock publish\nstock trace 42\n7\ntakt spin 1\ntakt holds 1\n0\n");
}

TEST_P(Shim, knows_the_types_of_publishers_until_their_end)
{
  EXPECT_EQ(
    out("publishers"),
    "stock publisher of first\nstock publisher of refused\nknown: 1, 0\ntakt spin 1\n"
    "takt hears of a publisher's end\nstock end of a publisher\nknown: 0, 0\n");
}

TEST_P(Shim, tells_of_requests_once_takt_runs_the_program)
{
  EXPECT_EQ(out("request"), "stock request\n0\ntakt spin 1\nstock request\ntakt sent 5\n0\n");
}

TEST_P(Shim, leaves_other_ways_to_spin_as_they_are_and_notes_each_once)
{
  std::string folder = testing::TempDir() + "/shim_test.XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  EXPECT_EQ(
    out("parts", kImplementation + "TAKT_REPORT_DIR='" + folder + "' "),
    "stock some 1\nstock some 2\nstock all 3\nstock once -1\n2\n");
  std::set<std::string> noted;
  for (const auto & entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path());
    const auto note = nlohmann::json::parse(file);
    EXPECT_EQ(note["program"], TAKT_STAND_IN_PROGRAM);
    EXPECT_TRUE(noted.insert(note["stock"]).second) << note;
  }
  std::filesystem::remove_all(folder);
  // -Bsymbolic-functions binds none of these calls: the program makes them.
  const std::set<std::string> all{
    "spin_some", "spin_all", "spin_once", "spin_until_future_complete"};
  EXPECT_EQ(noted, symbolic() ? std::set<std::string>{"spin_some"} : all);
}

// The notes that the shim left in `folder`.
std::vector<nlohmann::json> notes_in(const std::string & folder)
{
  std::vector<nlohmann::json> notes;
  for (const auto & entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path());
    notes.push_back(nlohmann::json::parse(file));
  }
  return notes;
}

TEST_P(Shim, says_that_an_executor_of_rclcpp_is_not_run_by_takt)
{
  std::string folder = testing::TempDir() + "/shim_test.XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const Outcome outcome = spin("cbg", kImplementation + "TAKT_REPORT_DIR='" + folder + "' ");
  const auto notes = notes_in(folder);
  std::filesystem::remove_all(folder);
  EXPECT_EQ(outcome.out, "stock cbg\nstock cbg, handling\n");
  EXPECT_NE(outcome.err.find("EventsCBGExecutor spins by itself"), std::string::npos)
    << outcome.err;
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0]["stock"], "spin of an EventsCBGExecutor");
  EXPECT_NE(notes[0]["reason"], "");

  const Outcome strict = spin("cbg", kImplementation + "TAKT_STRICT=1 ");
  EXPECT_EQ(strict.code, 2);
  EXPECT_EQ(strict.out, "");
}

TEST_P(Shim, notes_the_class_of_an_executor_of_another_library)
{
  std::string folder = testing::TempDir() + "/shim_test.XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  EXPECT_EQ(
    out("other", kImplementation + "TAKT_REPORT_DIR='" + folder + "' "),
    "stock node\nstock node base\nown spin\nstock node\n");
  auto notes = notes_in(folder);
  std::filesystem::remove_all(folder);
  // Another note says that no spin came to takt.
  std::erase_if(notes, [](const auto & note) { return !note.contains("class"); });
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0]["class"].get<std::string>().find("other::Isolating"), std::string::npos)
    << notes[0];
}

TEST_P(Shim, is_not_inherited_by_programs_that_an_adopted_one_starts)
{
  EXPECT_EQ(out("children").find("libtakt_preload.so"), std::string::npos);
  EXPECT_NE(
    out("children", kImplementation + "TAKT_CHILDREN=1 ").find("child: libtakt_preload.so"),
    std::string::npos);
}

// Tables of virtual functions are read-only, unless the library was linked with -z norelro.
TEST_P(Shim, leaves_pages_as_writable_as_they_were)
{
  const Outcome stock = run(library() + "'" TAKT_STAND_IN_PROGRAM "' protection");
  EXPECT_EQ(stock.out, std::string(GetParam()) == "writable" ? "rw-p\n" : "r--p\n");
  EXPECT_EQ(out("protection"), stock.out);
}

TEST_P(Shim, takes_its_variables_out_of_the_environment_and_keeps_them_for_takt)
{
  const std::string some = kImplementation + "STAND_IN_ANSWER=begun TAKT_SCHEDULE=/a.yaml ";
  EXPECT_EQ(out("environment", some), "takt spin 1\nTAKT_SCHEDULE=/a.yaml\ncores\n");
  EXPECT_EQ(
    out("environment", some + "TAKT_LD_PRELOAD=: "),
    "takt spin 1\nTAKT_SCHEDULE=/a.yaml\nTAKT_LD_PRELOAD=:\ncores\n");
  const std::string kept = out("environment", some + "TAKT_CHILDREN=1 ");
  EXPECT_EQ(kept.find("takt spin 1\ncores\n"), 0U) << kept;
  EXPECT_NE(kept.find("\nTAKT_SCHEDULE=/a.yaml\n"), std::string::npos) << kept;
  EXPECT_NE(kept.find("\nLD_PRELOAD="), std::string::npos) << kept;
}

TEST_P(Shim, notes_a_program_whose_spins_do_not_come_to_it)
{
  std::string folder = testing::TempDir() + "/shim_test.XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string reports = kImplementation + "TAKT_REPORT_DIR='" + folder + "' ";
  EXPECT_EQ(out("stack", reports), "takt spin 1\n");
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  EXPECT_EQ(out("idle", reports), "own spin\n");
  ASSERT_FALSE(std::filesystem::is_empty(folder));
  std::ifstream file(std::filesystem::directory_iterator(folder)->path());
  const auto note = nlohmann::json::parse(file);
  EXPECT_EQ(note["program"], TAKT_STAND_IN_PROGRAM);
  EXPECT_EQ(note["unseen"], true);
  std::filesystem::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(
  Libraries, Shim, testing::Values("plain", "symbolic", "writable"),
  [](const auto & info) { return std::string(info.param); });

TEST(Shim, finds_what_a_program_without_rclcpp_opened_for_itself_alone)
{
  const Outcome outcome =
    run(kPreload + kImplementation + "'" TAKT_STAND_IN_OPENER "' '" TAKT_STAND_IN_RCL "'");
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(outcome.out, "stock publish\nstock trace 42\n7\n");
}

TEST(Shim, passes_through_programs_without_rclcpp)
{
  const Outcome outcome = run(kPreload + "sh -c 'echo \"${LD_PRELOAD##*/}\"'");
  EXPECT_EQ(outcome.out, "libtakt_preload.so\n");
  EXPECT_EQ(outcome.err, "");
}

}  // namespace
