// takt_exec as a user meets it. Shell scripts take the place of ROS programs: they write the
// reports that an adopted executor would write.
#include <gtest/gtest.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "model/reports.hpp"

namespace takt_exec::test
{

using namespace takt_trace::test;  // NOLINT: the reports of adopted executors
namespace
{

namespace fs = std::filesystem;

struct Outcome
{
  int code = -1;
  std::string out;
  std::string err;
};

class TaktExec : public testing::Test
{
protected:
  TaktExec()
  {
    std::string pattern = testing::TempDir() + "/takt_exec_test.XXXXXX";
    here_ = fs::canonical(::mkdtemp(pattern.data()));
    fs::create_directory(here_ / "tmp");
    fs::create_directory(here_ / "scripts");
    install("takt", TAKT_INERT, TAKT_INERT);
  }
  ~TaktExec() override
  {
    std::error_code error;
    fs::permissions(here_ / "tmp", fs::perms::owner_all, error);
    fs::remove_all(here_);
  }

  /// Puts takt_exec with these libraries beside it into the folder `folder`. From then on `takt`
  /// runs this takt_exec.
  void install(
    const std::string & folder, const std::string & preload, const std::string & implementation)
  {
    program_ = here_ / folder / "lib" / "takt_rclcpp" / "takt_exec";
    fs::create_directories(program_.parent_path());
    fs::copy_file(TAKT_EXEC, program_);
    fs::copy_file(preload, here_ / folder / "lib" / "libtakt_preload.so");
    fs::copy_file(implementation, here_ / folder / "lib" / "libtakt_rclcpp.so");
  }

  /// A program that writes `report` as an adopted executor does.
  std::string reporting(const ordered_json & report, const std::string & more = "") const
  {
    static int number = 0;
    const fs::path script = here_ / "scripts" / std::to_string(++number);
    std::ofstream(script) << "#!/bin/sh\ncat > $TAKT_REPORT_DIR/$$.1.json <<'END'\n"
                          << report.dump() << "\nEND\n"
                          << more << "\n";
    fs::permissions(script, fs::perms::owner_all);
    return script.string();
  }

  Outcome takt(const std::string & arguments, const std::string & environment = "") const
  {
    const std::string errors = (here_ / "errors").string();
    const std::string command = "cd '" + here_.string() + "' && env TMPDIR='" +
                                (here_ / "tmp").string() + "' " + environment + " '" +
                                program_.string() + "' " + arguments + " 2>'" + errors + "'";
    FILE * const pipe = ::popen(command.c_str(), "r");
    Outcome outcome;
    std::array<char, 4096> some{};
    while (const std::size_t n = std::fread(some.data(), 1, some.size(), pipe)) {
      outcome.out.append(some.data(), n);
    }
    const int status = ::pclose(pipe);
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    outcome.err = content("errors");
    return outcome;
  }
  void write(const std::string & name, const std::string & text) const
  {
    std::ofstream(here_ / name) << text;
  }

  std::string content(const std::string & name) const
  {
    std::ifstream file(here_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// True if takt removed all files of its run.
  bool left_nothing() const { return fs::is_empty(here_ / "tmp"); }

  fs::path here_;

private:
  fs::path program_;
};

long lines(const std::string & text)
{
  return std::count(text.begin(), text.end(), '\n');
}

// ---- --duration

TEST_F(TaktExec, gives_the_code_of_a_program_that_ends_before_its_time)
{
  EXPECT_EQ(takt("--duration 1min -- sh -c 'exit 3'").code, 3);
  EXPECT_EQ(takt("--duration 1min -- sh -c 'kill -9 $$'").code, 128 + 9);
  EXPECT_EQ(takt("--duration 1min -- true").code, 0);
}

TEST_F(TaktExec, says_that_a_signal_ended_the_program)
{
  for (const std::string options : {"", "--strict ", "--observing -o model.yaml "}) {
    const Outcome killed = takt(options + "-- sh -c 'kill -9 $$'");
    EXPECT_NE(killed.err.find("signal 9 (Killed) ended the program"), std::string::npos)
      << killed.err;
    EXPECT_EQ(killed.err.find("saw no executor"), std::string::npos) << killed.err;
  }
}

TEST_F(TaktExec, ends_with_code_zero_where_the_time_ended_the_program)
{
  EXPECT_EQ(
    takt("--duration 100ms -- sh -c 'trap \"exit 5\" INT; while :; do sleep 0.01; done'").code, 0);
  EXPECT_EQ(takt("--duration 100ms -- sleep 600").code, 0);
  const auto without_unit = takt("--duration 0.1 -- sleep 600");
  EXPECT_EQ(without_unit.code, 2);
  EXPECT_NE(without_unit.err.find("--duration: '0.1' has no unit; write 0.1s"), std::string::npos)
    << without_unit.err;
}

TEST_F(TaktExec, writes_no_model_where_the_time_ended_a_program_that_reports_nothing)
{
  EXPECT_EQ(takt("--observing -o model.yaml --duration 100ms -- sleep 600").code, 1);
}

// ---- why there is no report

TEST_F(TaktExec, names_the_libraries_that_the_loader_does_not_find)
{
  // The environment of the tests may name a folder that has the library.
  const Outcome outcome = takt("-- '" TAKT_STAND_IN_PROGRAM "' stack", "LD_LIBRARY_PATH=");
  EXPECT_EQ(outcome.code, 127);
  EXPECT_NE(
    outcome.err.find("the loader could not start " TAKT_STAND_IN_PROGRAM), std::string::npos)
    << outcome.err;
  EXPECT_NE(outcome.err.find("does not find librclcpp.so"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("saw no executor"), std::string::npos) << outcome.err;
}

// takt prints one line, short enough to be read beside the program's own lines.
TEST_F(TaktExec, says_in_one_short_sentence_that_something_was_not_found)
{
  const Outcome shell = takt("-- sh -c /no/such/program");
  EXPECT_EQ(shell.code, 127);
  const std::size_t own = shell.err.find("takt has no report of an executor: ");
  ASSERT_NE(own, std::string::npos) << shell.err;
  EXPECT_NE(shell.err.find("ended with exit code 127", own), std::string::npos) << shell.err;
  EXPECT_LE(shell.err.size() - own, 160U) << shell.err;
  EXPECT_EQ(lines(shell.err.substr(own)), 1) << shell.err;
  const Outcome itself = takt("-- /no/such/program");
  EXPECT_EQ(itself.code, 127);
  EXPECT_EQ(itself.err, "takt exec: /no/such/program: No such file or directory\n");
}

TEST_F(TaktExec, tells_a_program_of_takt_rcl_from_one_without_an_executor)
{
  const Outcome ported = takt("-- '" TAKT_PORTED_PROGRAM "'");
  EXPECT_EQ(ported.code, 0) << ported.err;
  EXPECT_NE(ported.err.find("uses takt_rcl and not rclcpp"), std::string::npos) << ported.err;
  EXPECT_EQ(lines(ported.err), 1) << ported.err;
  EXPECT_EQ(takt("-- true").err, "takt saw no executor of rclcpp in the program\n");
  EXPECT_EQ(
    takt("-- sh -c 'exit 3'").err,
    "takt saw no executor of rclcpp in the program, which ended with exit code 3\n");
}

// ThreadSanitizer may need addresses that are the same in each run. A shell may start a program
// with ThreadSanitizer; the other program has callbacks of its own, and is none.
TEST_F(TaktExec, under_the_audit_other_programs_keep_random_addresses)
{
  const auto flags = [this](const std::string & program) {
    const Outcome outcome = takt("--audit --quiet -- " + program);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return std::atoi(outcome.out.c_str());
  };
  const int own = ::personality(0xffffffff);
  EXPECT_EQ(flags("'" TAKT_PORTED_PROGRAM "' flags"), own);
  const int of_shell = flags("sh -c \"'" TAKT_PORTED_PROGRAM "' flags\"");
  if (std::system("setarch -R true 2>/dev/null") == 0) {  // a container may refuse it
    EXPECT_EQ(of_shell, own | ADDR_NO_RANDOMIZE);
  }
}

TEST_F(TaktExec, names_what_the_program_left_running)
{
  const Outcome outcome = takt(
    // The child is called sh until it has become sleep.
    "-- sh -c 'sleep 600 >&- 2>&- & until grep -q sleep /proc/$!/comm; do :; done; echo $!'");
  EXPECT_EQ(outcome.code, 0);
  const std::string process = outcome.out.substr(0, outcome.out.find('\n'));
  ASSERT_NE(process, "");
  ::kill(std::stoi(process), SIGKILL);
  EXPECT_NE(
    outcome.err.find("left process " + process + " (sleep) running in the background"),
    std::string::npos)
    << outcome.err;
}

// ---- the program's environment and streams are the user's

TEST_F(TaktExec, gives_the_program_the_environment_from_before_takts_own)
{
  const Outcome outcome = takt(
    "-- env",
    "FOO=takts \"TAKT_USER_ENV_0=$(printf 'FOO=a b\\0PATH=/usr/bin:/bin\\0' | base64 | head -c "
    "12)\" "
    "\"TAKT_USER_ENV_1=$(printf 'FOO=a b\\0PATH=/usr/bin:/bin\\0' | base64 | tail -c +13)\"");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  std::set<std::string> names;
  std::istringstream words(outcome.out);
  for (std::string line; std::getline(words, line);) {
    names.insert(line.substr(0, line.find('=')));
  }
  EXPECT_EQ(names, (std::set<std::string>{"FOO", "LD_PRELOAD", "PATH", "TAKT_REPORT_DIR"}))
    << outcome.out;
  EXPECT_EQ(outcome.out.find("FOO=a b\nPATH=/usr/bin:/bin\n"), 0U) << outcome.out;
}

TEST_F(TaktExec, looks_for_the_program_in_that_environment)
{
  std::ofstream(here_ / "scripts" / "mine") << "#!/bin/sh\necho mine\n";
  fs::permissions(here_ / "scripts" / "mine", fs::perms::owner_all);
  const std::string path = "PATH=" + (here_ / "scripts").string();
  EXPECT_EQ(takt("-- mine").code, 127);
  EXPECT_EQ(
    takt("-- mine", "TAKT_USER_ENV_0=$(printf '" + path + "\\0' | base64 -w 0)").out, "mine\n");
}

TEST_F(TaktExec, closes_streams_that_were_closed)
{
  const std::string look = "-- sh -c '[ -e /proc/self/fd/0 ] && echo open || echo closed'";
  EXPECT_EQ(takt(look).out, "open\n");
  EXPECT_EQ(takt(look, "TAKT_CLOSED_STREAMS=0").out, "closed\n");
}

#ifdef TAKT_ASAN_PROGRAM
TEST_F(TaktExec, puts_the_runtime_of_the_address_sanitizer_first)
{
  const Outcome outcome = takt("-- '" TAKT_ASAN_PROGRAM "'");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err.find("does not come first"), std::string::npos) << outcome.err;
}
#endif

// ---- --strict

TEST_F(TaktExec, strict_is_an_error_where_takt_ran_no_executor)
{
  for (const char * const program : {"true", "sh -c 'exit 3'"}) {
    const Outcome strict = takt(std::string("--strict -- ") + program);
    EXPECT_EQ(strict.code, 2) << program;
    EXPECT_EQ(lines(strict.err), 1) << strict.err;
    EXPECT_NE(strict.err.find("saw no executor of rclcpp"), std::string::npos) << strict.err;
  }
  EXPECT_EQ(takt("--strict --duration 100ms -- sleep 600").code, 2);
  EXPECT_EQ(takt("--strict --report report.json -- true").code, 2);
  EXPECT_EQ(takt("--strict --quiet -- true").code, 2);
  const Outcome observe = takt("--observing --strict -o model.yaml -- true");
  EXPECT_EQ(observe.code, 2);
  EXPECT_NE(observe.err.find("no model is written"), std::string::npos) << observe.err;
  EXPECT_EQ(takt("-- true").code, 0);
  EXPECT_EQ(takt("-- sh -c 'exit 3'").code, 3);
}

TEST_F(TaktExec, strict_names_loops_that_stayed_rclcpps_own)
{
  const Outcome strict = takt("--strict -- " + reporting(stock(71, "spin_some")));
  EXPECT_EQ(strict.code, 2);
  EXPECT_EQ(lines(strict.err), 1) << strict.err;
  EXPECT_NE(strict.err.find("spin_some in process 71 (talker)"), std::string::npos) << strict.err;
  const Outcome lenient = takt("-- " + reporting(stock(71, "spin_some")));
  EXPECT_EQ(lenient.code, 0);
  EXPECT_NE(lenient.err.find("spin_some in process 71"), std::string::npos) << lenient.err;
  EXPECT_EQ(lenient.err.find("saw no executor"), std::string::npos) << lenient.err;
}

TEST_F(TaktExec, strict_gives_the_programs_code_where_takt_ran_an_executor)
{
  const auto report = executor(71, "/a", {timer("/a", 100)});
  EXPECT_EQ(takt("--strict -- " + reporting(report)).code, 0);
  EXPECT_EQ(takt("--strict -- " + reporting(report, "exit 3")).code, 3);
  EXPECT_TRUE(left_nothing());
}

TEST_F(TaktExec, strict_ends_with_2_where_no_executor_ran_under_the_schedule)
{
  const std::string text =
    "executors: {main: {threads: {main: {}}, default: main, "
    "callbacks: [{match: '/else:**', threads: main}]}}\n";
  write("s.yaml", "version: 1\n" + text);
  write("strict.yaml", "version: 1\nstrict: true\n" + text);
  auto report = executor(71, "/a", {timer("/a", 100)});
  report["schedule_executor"] = "";
  const std::string without = reporting(report);
  EXPECT_EQ(takt("--schedule s.yaml -- " + without).code, 0);
  for (const char * const options : {"--strict --schedule s.yaml", "--schedule strict.yaml"}) {
    const Outcome strict = takt(std::string(options) + " -- " + without);
    EXPECT_EQ(strict.code, 2) << options;
    EXPECT_NE(strict.err.find("without the schedule: /a"), std::string::npos) << strict.err;
  }
  report["schedule_executor"] = "main";
  EXPECT_EQ(takt("--strict --schedule s.yaml -- " + reporting(report)).code, 0);
}

TEST_F(TaktExec, check_ends_with_1_where_a_chain_missed_its_deadline)
{
  write("s.yaml", "version: 1\nexecutors: {main: {threads: {main: {}}, default: main}}\n");
  const auto report = [this](std::uint64_t late, bool measured = true) {
    ordered_json brake{{"name", "brake"}, {"activations", 100}, {"deadline_ns", 5 * kMs}};
    if (measured) {
      brake["late"] = late;
      brake["response"] = times(kMs, kMs, kMs);
      brake["response"]["p99_ns"] = nullptr;
    }
    ordered_json one = executor(71, "/a", {timer("/a", 100)});
    one["schedule_executor"] = "main";
    one["chains"] = ordered_json::array({brake});
    return reporting(one);
  };
  EXPECT_EQ(takt("--schedule s.yaml -- " + report(3)).code, 0);
  EXPECT_EQ(takt("--schedule s.yaml --check -- " + report(0)).code, 0);
  const Outcome late = takt("--schedule s.yaml --check --quiet -- " + report(3));
  EXPECT_EQ(late.code, 1);
  EXPECT_EQ(late.err, "takt exec: deadlines were missed by brake (3 of 100)\n");
  const Outcome elsewhere = takt("--schedule s.yaml --check --quiet -- " + report(0, false));
  EXPECT_EQ(elsewhere.code, 0);
  EXPECT_NE(elsewhere.err.find("another executor or process: brake"), std::string::npos)
    << elsewhere.err;
  const Outcome none = takt("--check -- true");
  EXPECT_EQ(none.code, 2);
  EXPECT_EQ(none.err, "takt exec: --check needs --schedule\n");
}

TEST_F(TaktExec, check_ends_with_1_where_it_judged_nothing)
{
  write(
    "s.yaml",
    "version: 1\n"
    "chains:\n"
    "  brake: {path: [\"/a:timer(100ms)\", \"/b:sub(/x)\"], deadline: 5ms}\n"
    "  free: {path: [\"/a:timer(100ms)\", \"/b:sub(/x)\"]}\n"
    "executors: {main: {threads: {main: {}}, default: main}}\n");
  ordered_json one = executor(71, "/a", {timer("/a", 100)});
  const auto check = [&] { return takt("--schedule s.yaml --check --quiet -- " + reporting(one)); };
  const Outcome unplaced = check();
  EXPECT_EQ(unplaced.code, 1);
  EXPECT_NE(unplaced.err.find("--check judged no deadline: no rule of"), std::string::npos)
    << unplaced.err;
  one["schedule_executor"] = "main";
  EXPECT_EQ(check().code, 0) << "the chain ends in another program";
  one["callbacks"].push_back(subscription("/b", "/x", 0));
  const Outcome open = check();
  EXPECT_EQ(open.code, 1);
  EXPECT_EQ(open.err, "takt exec: chains began and never ended: brake\n");
  one["callbacks"][0]["runs"] = 0;
  EXPECT_EQ(check().code, 0);
  const Outcome nothing = takt("--schedule s.yaml --check --quiet -- true");
  EXPECT_EQ(nothing.code, 1);
  EXPECT_NE(nothing.err.find("--check judged no deadline"), std::string::npos) << nothing.err;
}

TEST_F(TaktExec, replaces_files_only_with_force)
{
  write("there", "mine");
  for (const char * const options : {"--report there", "--observing -o there"}) {
    const Outcome refused = takt(std::string(options) + " -- " + reporting(stock(71, "spin")));
    EXPECT_EQ(refused.code, 2) << options;
    EXPECT_NE(refused.err.find("there exists; name another file"), std::string::npos)
      << refused.err;
    EXPECT_EQ(content("there"), "mine");
  }
  EXPECT_EQ(takt("--report there --force -- " + reporting(stock(71, "spin"))).code, 0);
  EXPECT_NE(content("there"), "mine");
}

TEST_F(TaktExec, writes_a_report_that_has_all_loops)
{
  EXPECT_EQ(takt("--report report.json -- " + reporting(stock(71, "spin_some"))).code, 0);
  const auto report = ordered_json::parse(content("report.json"));
  EXPECT_TRUE(report["executors"].empty());
  EXPECT_EQ(report["stock"][0]["stock"], "spin_some");
}

TEST_F(TaktExec, observes)
{
  const auto report = executor(71, "/a", {timer("/a", 100)});
  const Outcome outcome = takt("--observing -o model.yaml -- " + reporting(report));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(content("model.yaml").find("/a:timer(100ms)"), std::string::npos);
}

TEST_F(TaktExec, warns_of_a_wait_that_would_never_end)
{
  const auto write = [&](const std::string & name, const std::string & text) {
    std::ofstream(here_ / name) << text;
  };
  write(
    "model.yaml",
    "version: 1\noverheads: {}\nhosts: {car: {cores: 2}}\ncallbacks:\n"
    "  - {id: \"/a:timer(100ms)\", time: 1ms, period: 100ms, waits_for: \"/s:service(/w)\"}\n"
    "  - {id: \"/s:service(/w)\", time: 1ms}\n");
  const auto schedule = [&](const std::string & threads) {
    write(
      "s.yaml", "version: 1\nsystem: model.yaml\nexecutors: {main: {threads: {" + threads +
                  "}, default: pool}}\n");
    return takt("--schedule s.yaml -- true").err;
  };
  EXPECT_NE(
    schedule("pool: {}")
      .find(
        "'/a:timer(100ms)' waits within a run for '/s:service(/w)', and the schedule puts both on "
        "thread 'pool'"),
    std::string::npos);
  EXPECT_EQ(schedule("pool: {count: 2}").find("waits within a run"), std::string::npos);
}

// ---- where takt and the temporary files are

TEST_F(TaktExec, preloads_from_a_folder_whose_name_has_spaces_and_colons)
{
  install("a takt: mine", TAKT_INERT, TAKT_INERT);
  const Outcome outcome = takt("-- cat /proc/self/maps");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.out.find("libtakt_preload.so"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.err.find("ld.so"), std::string::npos) << outcome.err;
  EXPECT_TRUE(left_nothing());
  EXPECT_TRUE(fs::exists(here_ / "a takt: mine" / "lib" / "libtakt_preload.so"));
}

TEST_F(TaktExec, finds_its_library_from_such_a_folder)
{
  install("a takt: mine", TAKT_PRELOAD, TAKT_STAND_IN_IMPLEMENTATION);
  // The sanitizer's runtime would come after the preloaded library, and would end the program then.
  const Outcome outcome = takt(
    "-- '" TAKT_STAND_IN_PROGRAM "' stack",
    "ASAN_OPTIONS=verify_asan_link_order=0 LD_LIBRARY_PATH='" TAKT_STAND_IN_LIBRARIES "'");
  EXPECT_EQ(outcome.out, "takt spin 1\n") << outcome.err;
}

TEST_F(TaktExec, gives_launchers_such_a_word_too)
{
  install("a takt: mine", TAKT_INERT, TAKT_INERT);
  const Outcome outcome = takt("--environment tmp");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = ordered_json::parse(outcome.out);
  const std::string word = json["LD_PRELOAD"];
  EXPECT_EQ(word.find_first_of(" :"), std::string::npos) << word;
  EXPECT_TRUE(fs::exists(word)) << word;
  EXPECT_EQ(json["TAKT_REPORT_DIR"], (here_ / "tmp").string());
}

TEST_F(TaktExec, refuses_where_temporary_files_are_in_such_a_folder_too)
{
  install("a takt: mine", TAKT_INERT, TAKT_INERT);
  const fs::path temporary = here_ / "my tmp";
  fs::create_directory(temporary);
  const Outcome outcome = takt("-- echo ran", "TMPDIR='" + temporary.string() + "'");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(lines(outcome.err), 1) << outcome.err;
  EXPECT_NE(outcome.err.find("set TMPDIR to a folder without"), std::string::npos) << outcome.err;
  EXPECT_TRUE(fs::is_empty(temporary));
}

TEST_F(TaktExec, says_that_the_folder_for_temporary_files_is_not_there)
{
  const Outcome outcome = takt("-- echo ran", "TMPDIR=/nowhere/at/all");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err.find("takt exec: TMPDIR=/nowhere/at/all: "), 0U) << outcome.err;
  EXPECT_TRUE(outcome.err.ends_with("; set TMPDIR to a folder that exists\n")) << outcome.err;
}

// ---- what takt did not foresee

TEST_F(TaktExec, ends_with_a_sentence_where_a_report_is_not_as_expected)
{
  auto strange = executor(71, "/a", {timer("/a", 100)});
  strange["callbacks"][0]["runs"] = "many";
  const Outcome outcome = takt("-- " + reporting(strange));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(lines(outcome.err), 1) << outcome.err;
  EXPECT_EQ(outcome.err.find("takt exec: "), 0U) << outcome.err;
  EXPECT_TRUE(left_nothing());
}

}  // namespace
}  // namespace takt_exec::test
