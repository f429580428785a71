// takt_check as its users meet it: output and exit codes.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "docs_example.hpp"

namespace takt_schedule
{
namespace
{

struct Outcome
{
  int code = -1;
  std::string text;
};

class CheckProgram : public testing::Test
{
protected:
  CheckProgram()
  {
    std::string pattern = (std::filesystem::temp_directory_path() / "takt_check.XXXXXX").string();
    directory_ = ::mkdtemp(pattern.data());
  }
  ~CheckProgram() override { std::filesystem::remove_all(directory_); }

  std::string write(const std::string & name, const std::string & text) const
  {
    std::ofstream(directory_ / name) << text;
    return name;
  }

  /// `redirect`: what becomes of the error output.
  Outcome run(const std::string & arguments, const std::string & redirect = "2>&1") const
  {
    const std::string command =
      "cd '" + directory_.string() + "' && '" TAKT_CHECK "' " + arguments + " " + redirect;
    Outcome outcome;
    FILE * const pipe = ::popen(command.c_str(), "r");
    std::array<char, 4096> buffer;
    while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
      outcome.text.append(buffer.data(), n);
    }
    const int status = ::pclose(pipe);
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return outcome;
  }

  std::filesystem::path directory_;
};

constexpr const char * kSmall =
  "version: 1\nexecutors:\n  main:\n    threads: {a: {}, b: {count: 2}}\n    default: b\n"
  "    callbacks:\n      - {match: \"/x:timer(*)\", threads: a}\n";
constexpr const char * kIds =
  R"json({"callbacks": [{"id": "/x:timer(1s)", "kind": "timer", "group": "/x:group(0)"},
                    {"id": "/y:sub(/p)", "kind": "sub"}]})json";

TEST_F(CheckProgram, SummarisesAGoodSchedule)
{
  write("s.yaml", test::docs_example("valid"));
  const Outcome outcome = run("s.yaml --cores 2", "2>/dev/null");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(
    outcome.text,
    "s.yaml: good\n"
    "executor main: order priority, 4 threads (hot.0 hot.1 rest.0 rest.1), 2 rules, default rest\n"
    "executor planning: order edf, 1 thread (main), 0 rules, default all\n"
    "chain hot_path: 4 callbacks, priority 90\n");
}

TEST_F(CheckProgram, PrintsAllFaultsToTheErrorOutputAndReturns2)
{
  write("schedule.yaml", test::docs_example("faulty"));
  const Outcome outcome = run("schedule.yaml --cores 4");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.text, test::docs_example("its faults") + "13 faults\n");
  EXPECT_EQ(run("schedule.yaml --cores 4", "2>/dev/null").text, "");
}

TEST_F(CheckProgram, ListsWhoGetsTheDefaultThreads)
{
  write("s.yaml", kSmall);
  write("ids.json", kIds);
  const Outcome outcome = run("s.yaml --ids ids.json");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(
    outcome.text.find("1 callback on the default threads:\n  /y:sub(/p)\n"), std::string::npos)
    << outcome.text;
  EXPECT_EQ(run("s.yaml --ids - < ids.json").text, outcome.text);
}

TEST_F(CheckProgram, ListsNeitherAllThatAScheduleWithoutRulesLeavesNorTooMany)
{
  std::string ids = "{\"callbacks\": [";
  for (int i = 0; i < 30; ++i) {
    ids += (i == 0 ? "" : ", ") + std::string("{\"kind\": \"sub\", \"id\": \"/n") +
           std::to_string(i) + ":sub(/p)\"}";
  }
  write("ids.json", ids + "]}");
  write("stock.yaml", "version: 1\nexecutors: {main: {threads: {a: {}}, default: a}}\n");
  const Outcome stock = run("stock.yaml --ids ids.json");
  EXPECT_TRUE(stock.text.ends_with("\n30 callbacks on the default threads\n")) << stock.text;
  write("s.yaml", kSmall);
  const Outcome some = run("s.yaml --ids ids.json");
  EXPECT_NE(some.text.find("30 callbacks on the default threads:\n  /n0:sub(/p)\n"), some.text.npos)
    << some.text;
  EXPECT_NE(
    some.text.find("  /n19:sub(/p)\n  and 10 more; --json lists them all\n"), some.text.npos)
    << some.text;
}

TEST_F(CheckProgram, ABadCommandLineIsOneSentence)
{
  const Outcome outcome = run("s.yaml --cores none");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(outcome.text.starts_with("takt_check: --cores: ")) << outcome.text;
  EXPECT_EQ(std::count(outcome.text.begin(), outcome.text.end(), '\n'), 1) << outcome.text;
}

TEST_F(CheckProgram, PrintsEverythingAsJson)
{
  write("s.yaml", kSmall);
  write("ids.json", kIds);
  const Outcome good = run("s.yaml --ids ids.json --json");
  EXPECT_EQ(good.code, 0);
  EXPECT_NE(good.text.find("\"ok\": true"), std::string::npos) << good.text;
  EXPECT_NE(good.text.find("\"defaulted_callbacks\": [\n    \"/y:sub(/p)\"\n  ]"), good.text.npos);
  write("bad.yaml", "version: 1\n");
  const Outcome bad = run("bad.yaml --json", "2>/dev/null");
  EXPECT_EQ(bad.code, 2);
  EXPECT_NE(bad.text.find("\"ok\": false"), std::string::npos) << bad.text;
  EXPECT_NE(bad.text.find("bad.yaml:1:1: no executors"), std::string::npos) << bad.text;
}

TEST_F(CheckProgram, RefusesListsItCannotRead)
{
  write("s.yaml", kSmall);
  EXPECT_EQ(run("s.yaml --ids nowhere.json").code, 2);
  for (const char * text :
       {"", "[]", "{\"callbacks\": 3}", "{\"callbacks\": [3]}",
        "{\"callbacks\": [{\"id\": \"/a\"}]}",
        "{\"callbacks\": [{\"id\": \"/a\", \"kind\": \"tmier\"}]}"}) {
    write("ids.json", text);
    const Outcome outcome = run("s.yaml --ids ids.json");
    EXPECT_EQ(outcome.code, 2) << text;
    EXPECT_NE(outcome.text.find("ids.json: "), std::string::npos) << outcome.text;
  }
}

TEST_F(CheckProgram, RefusesListsWithValuesOfAnotherType)
{
  write("s.yaml", kSmall);
  write(
    "ids.json", R"json({"callbacks": [{"id": "/x:timer(1s)", "kind": "timer", "reentrant": "yes",
                "executor": 7, "group": null}]})json");
  const Outcome outcome = run("s.yaml --ids ids.json");
  EXPECT_EQ(outcome.code, 2);
  for (const char * fault :
       {"ids.json: callbacks[0]: \"reentrant\" must be true or false, not \"yes\"\n",
        "ids.json: callbacks[0]: \"executor\" must be a text, not 7\n",
        "ids.json: callbacks[0]: \"group\" must be a text, not null\n"}) {
    EXPECT_NE(outcome.text.find(fault), std::string::npos) << outcome.text;
  }
}

TEST_F(CheckProgram, SaysWhenItsOutputCannotBeWritten)
{
  write("s.yaml", kSmall);
  for (const char * flag : {"", "--json"}) {
    const Outcome outcome = run(std::string("s.yaml ") + flag, "2>&1 >/dev/full");
    EXPECT_EQ(outcome.code, 1) << outcome.text;
    EXPECT_NE(outcome.text.find("cannot be written: No space left"), std::string::npos)
      << outcome.text;
  }
}

TEST_F(CheckProgram, ReturnsTwoForUsageErrorsAndZeroForHelp)
{
  write("s.yaml", kSmall);
  EXPECT_EQ(run("").code, 2);
  EXPECT_EQ(run("s.yaml --nonsense").code, 2);
  EXPECT_EQ(run("s.yaml --cores 0").code, 2);
  EXPECT_EQ(run("nowhere.yaml").code, 2);
  EXPECT_EQ(run("s.yaml --executor other").code, 2);
  EXPECT_EQ(run("s.yaml --executor main").code, 0);
  EXPECT_EQ(run("--help").code, 0);
}

}  // namespace
}  // namespace takt_schedule
