// takt_check for its users: output and exit codes.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "docs_example.hpp"
#include "program_test.hpp"

namespace takt_schedule
{
namespace
{

using test::Outcome;

class CheckProgram : public test::ProgramTest
{
protected:
  CheckProgram() : ProgramTest(TAKT_CHECK) {}
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
  const Outcome outcome = run("s.yaml --cores 2");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(
    outcome.out,
    "s.yaml: good\n"
    "executor main: order priority, epoch start, 4 threads (hot.0 hot.1 rest.0 rest.1), 3 rules, "
    "default rest\n"
    "executor planning: order edf, epoch start, 1 thread (main), 0 rules, default all\n"
    "chain hot_path: 4 callbacks, priority 90\n");
}

TEST_F(CheckProgram, PrintsAllFaultsToTheErrorOutputAndReturns2)
{
  write("schedule.yaml", test::docs_example("faulty"));
  const Outcome outcome = run("schedule.yaml --cores 4");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err, test::docs_example("its faults") + "15 faults\n");
  EXPECT_EQ(outcome.out, "");
}

TEST_F(CheckProgram, RefusesIdsThatOnlyANameInCodeCouldHave)
{
  const std::string head =
    "version: 1\nexecutors:\n  main:\n    threads: {a: {}}\n    default: a\n    callbacks:\n";
  for (const auto & [written, meant] : std::map<std::string, std::string>{
         {"/d:sub(images)", "/d:sub(/images)"},
         {"/d:service(reset)#2", "/d:service(/reset)#2"},
         {"**/d*:client(map/load)", "**/d*:client(/map/load)"},
         {"/d:timer(100 ms)", "/d:timer(100ms)"},
         {"/d:timer(100)", "/d:timer(100ms)"}}) {
    write("s.yaml", head + "      - {match: \"" + written + "\"}\n");
    const Outcome outcome = run("s.yaml");
    EXPECT_EQ(outcome.code, 2) << written;
    EXPECT_NE(outcome.err.find("s.yaml:7:9: '" + written + "' is the id of no "), std::string::npos)
      << outcome.err;
    EXPECT_NE(outcome.err.find("did you mean '" + meant + "'?"), std::string::npos) << outcome.err;
  }
  for (const std::string good :
       {"/d:sub(/images)", "/d:sub(*)", "/d:timer(camera)", "/d:timer(*)", "/d:timer(2.5ms)"}) {
    write("s.yaml", head + "      - {match: \"" + good + "\"}\n");
    EXPECT_EQ(run("s.yaml").code, 0) << good;
  }
  write(
    "s.yaml", head + "      - {match: \"/d:sub(*)\"}\nchains: {c: {path: [\"/d:sub(images)\"]}}\n");
  const Outcome in_chain = run("s.yaml");
  EXPECT_EQ(in_chain.code, 2);
  EXPECT_NE(in_chain.err.find("did you mean '/d:sub(/images)'?"), std::string::npos)
    << in_chain.err;
  // The list of callbacks has the name given in code.
  write("s.yaml", head + "      - {match: \"/d:sub(images)\"}\n");
  write("ids.json", R"json({"callbacks": [{"id": "/d:sub(images)", "kind": "subscription"}]})json");
  EXPECT_EQ(run("s.yaml --ids ids.json").code, 0);
}

// An earlier takt_check found each of these only after the earlier faults were fixed.
TEST_F(CheckProgram, FindsInOneRunWhatOtherFaultsHaveNoPartIn)
{
  write(
    "s.yaml",
    "version: 1\nstrict: true\nexecutors:\n  main:\n    oder: fifo\n    threads: {a: {}, b: {}}\n"
    "    default: a\n    callbacks:\n"
    "      - {match: \"/x:timer(1s)\", threads: c}\n"
    "      - {match: \"/x:sub(images)\"}\n"
    "      - {match: \"/x:timer(9s)\"}\n"
    "      - {match: \"/x:timer(9s)\"}\n"
    "chains:\n  c: {path: [\"/x:timer(1s)\", \"/y:sub(/q)\"], deadline: soon}\n");
  write("ids.json", kIds);
  const Outcome all = run("s.yaml --ids ids.json");
  EXPECT_EQ(all.code, 2);
  EXPECT_EQ(
    all.err,
    "s.yaml:5:5: unknown key 'oder' in executor 'main'; did you mean 'order'?\n"
    "s.yaml:9:42: unknown thread 'c'; threads are all, a and b\n"
    "s.yaml:10:9: '/x:sub(images)' is the id of no topic or service; did you mean "
    "'/x:sub(/images)'? If the code names this callback 'images', check the schedule against its "
    "system model\n"
    "s.yaml:10:9: '/x:sub(images)' matches no callback\n"
    "s.yaml:11:9: '/x:timer(9s)' matches no callback; did you mean '/x:timer(1s)'?\n"
    "s.yaml:12:17: duplicate id '/x:timer(9s)'; it is on line 11 already\n"
    "s.yaml:14:30: chain 'c' names the unknown callback '/y:sub(/q)'; did you mean '/y:sub(/p)'?\n"
    "s.yaml:14:55: deadline: 'soon' is not a number with a unit; write for example 100ms\n"
    "8 faults\n");
  const Outcome elsewhere = run("s.yaml --executor other");
  EXPECT_NE(elsewhere.err.find("unknown key 'oder'"), std::string::npos) << elsewhere.err;
  EXPECT_NE(elsewhere.err.find("no executor 'other'"), std::string::npos) << elsewhere.err;
}

// A faulty list may lack callbacks, so missing names cause no findings.
TEST_F(CheckProgram, JudgesNoNamesByAListWithFaults)
{
  write("s.yaml", std::string(kSmall) + "    oder: fifo\n");
  write("car.yaml", "version: 1\nhosts: {car: {core: 2}}\n");
  const Outcome outcome = run("s.yaml --system car.yaml");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("unknown key 'oder'"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("car.yaml:2:15: "), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("matches no callback"), std::string::npos) << outcome.err;
}

TEST_F(CheckProgram, APeriodInTheListOfCallbacksMayBeSpelledInAnyWay)
{
  write(
    "s.yaml",
    "version: 1\nexecutors:\n  main:\n    threads: {a: {}}\n    default: a\n    callbacks:\n"
    "      - {match: \"/d:timer(2.5ms)\", threads: a}\n");
  write("ids.json", R"json({"callbacks": [{"id": "/d:timer(2500us)", "kind": "timer"}]})json");
  const Outcome outcome = run("s.yaml --ids ids.json");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "") << "it matches";
}

TEST_F(CheckProgram, KnowsTheGroupsOfASystemModel)
{
  write(
    "s.yaml",
    "version: 1\nexecutors:\n  main:\n    threads: {a: {}, b: {}}\n    default: b\n    callbacks:\n"
    "      - {match: \"/x:timer(1s)\", threads: a}\n      - {match: \"/x:timer(2s)\", threads: "
    "b}\n");
  write(
    "car.yaml",
    "version: 1\nhosts: {car: {cores: 2}}\noverheads: {}\n"
    "groups: {\"/x:group(default)\": mutually_exclusive}\ncallbacks:\n"
    "  - {id: \"/x:timer(1s)\", time: 1ms, period: 1s, group: \"/x:group(default)\"}\n"
    "  - {id: \"/x:timer(2s)\", time: 1ms, period: 2s, group: \"/x:group(default)\"}\n"
    "  - {id: \"/y:timer(3s)\", time: 1ms, period: 3s}\n");
  const Outcome outcome = run("s.yaml --system car.yaml");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(
    outcome.err,
    "warning: s.yaml:8:9: group '/x:group(default)' holds '/x:timer(2s)' and '/x:timer(1s)', "
    "which are bound to different threads, and runs one of its callbacks at a time; bind them to "
    "one thread, or give one of them a callback group of its own in the code\n");
  EXPECT_NE(
    outcome.out.find("1 callback on the default threads:\n  /y:timer(3s)\n"), std::string::npos)
    << outcome.out;
  write("car.yaml", "version: 1\nhosts: {car: {core: 2}}\n");
  const Outcome wrong = run("s.yaml --system car.yaml");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("car.yaml:2:15: "), std::string::npos) << wrong.err;
}

constexpr const char * kCar =
  "version: 1\nhosts: {car: {cores: 2}}\noverheads: {}\n"
  "callbacks: [{id: \"/x:timer(1s)\", time: 1ms, period: 1s}]\n";

TEST_F(CheckProgram, TakesTheSystemModelThatTheScheduleNames)
{
  const std::string rest =
    "executors:\n  main:\n    threads: {a: {}}\n    default: a\n    callbacks:\n"
    "      - {match: \"/x:timer(2s)\"}\n";
  write("car.yaml", kCar);
  write("s.yaml", "version: 1\nsystem: car.yaml\n" + rest);
  const Outcome own = run("s.yaml");
  EXPECT_EQ(own.code, 0);
  EXPECT_NE(own.err.find("s.yaml:8:9: '/x:timer(2s)' matches no callback"), own.err.npos)
    << own.err;
  EXPECT_NE(own.out.find("checked against the system model car.yaml\n"), own.out.npos) << own.out;
  write("s.yaml", "version: 1\nsystem: car\n" + rest);
  EXPECT_EQ(run("s.yaml --models .").err, own.err) << "a shipped model";
  // A list of callbacks counts in place of the model.
  write("ids.json", R"json({"callbacks": [{"id": "/x:timer(2s)", "kind": "timer"}]})json");
  EXPECT_EQ(run("s.yaml --models . --ids ids.json").err, "");
  // The machine that runs a schedule need not have its model.
  write("s.yaml", "version: 1\nsystem: gone.yaml\n" + rest);
  const Outcome gone = run("s.yaml");
  EXPECT_EQ(gone.code, 0);
  EXPECT_EQ(
    gone.err,
    "warning: s.yaml:2:9: the model it was made for is not there: 'gone.yaml'; name the model with "
    "--system; until then the callbacks of the schedule are not checked\n");
}

TEST_F(CheckProgram, SaysInOneSentenceThatTheScheduleIsForAnotherSystem)
{
  const std::string head =
    "version: 1\nexecutors:\n  main:\n    threads: {a: {}}\n    default: a\n    callbacks:\n";
  std::string rules = "      - {match: \"/x:timer(1s)\"}\n";
  std::string path;
  for (int i = 0; i < 5; ++i) {
    const std::string id = "\"/n" + std::to_string(i) + ":timer(1s)\"";
    rules += "      - {match: " + id + "}\n";
    path += (i == 0 ? "" : ", ") + id;
  }
  const std::string sentence =
    "s.yaml: the schedule names 6 callbacks, and the system lacks 5 of them, such as "
    "'/n0:timer(1s)': was the schedule made for another system? takt check --json has each of "
    "them\n";
  write("car.yaml", kCar);
  write("s.yaml", head + rules);
  const Outcome rules_only = run("s.yaml --system car.yaml");
  EXPECT_EQ(rules_only.code, 0);
  EXPECT_EQ(rules_only.err, "warning: " + sentence);
  write("s.yaml", head + rules + "chains: {c: {path: [" + path + "]}}\n");
  const Outcome chains = run("s.yaml --system car.yaml");
  EXPECT_EQ(chains.code, 2);
  EXPECT_EQ(chains.err, sentence + "1 fault\n");
  const Outcome json = run("s.yaml --system car.yaml --json");
  EXPECT_NE(json.out.find("'/n4:timer(1s)' matches no callback"), json.out.npos) << json.out;
}

TEST_F(CheckProgram, ListsWhoGetsTheDefaultThreads)
{
  write("s.yaml", kSmall);
  write("ids.json", kIds);
  const Outcome outcome = run("s.yaml --ids ids.json");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(
    outcome.out.find("1 callback on the default threads:\n  /y:sub(/p)\n"), std::string::npos)
    << outcome.out;
  EXPECT_EQ(run("s.yaml --ids - < ids.json").out, outcome.out);
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
  EXPECT_TRUE(stock.out.ends_with("\n30 callbacks on the default threads\n")) << stock.out;
  write("s.yaml", kSmall);
  const Outcome some = run("s.yaml --ids ids.json");
  EXPECT_NE(some.out.find("30 callbacks on the default threads:\n  /n0:sub(/p)\n"), some.out.npos)
    << some.out;
  EXPECT_NE(some.out.find("  /n19:sub(/p)\n  and 10 more; --json lists them all\n"), some.out.npos)
    << some.out;
}

TEST_F(CheckProgram, ABadCommandLineIsOneSentence)
{
  const Outcome outcome = run("s.yaml --cores none");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(outcome.err.starts_with("takt_check: --cores: ")) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

TEST_F(CheckProgram, PrintsEverythingAsJson)
{
  write("s.yaml", kSmall);
  write("ids.json", kIds);
  const Outcome good = run("s.yaml --ids ids.json --json");
  EXPECT_EQ(good.code, 0);
  EXPECT_NE(good.out.find("\"ok\": true"), std::string::npos) << good.out;
  EXPECT_NE(good.out.find("\"defaulted_callbacks\": [\n    \"/y:sub(/p)\"\n  ]"), good.out.npos);
  write("bad.yaml", "version: 1\n");
  const Outcome bad = run("bad.yaml --json");
  EXPECT_EQ(bad.code, 2);
  EXPECT_NE(bad.out.find("\"ok\": false"), std::string::npos) << bad.out;
  EXPECT_NE(bad.out.find("bad.yaml:1:1: no executors"), std::string::npos) << bad.out;
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
    EXPECT_NE(outcome.err.find("ids.json: "), std::string::npos) << outcome.err;
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
    EXPECT_NE(outcome.err.find(fault), std::string::npos) << outcome.err;
  }
}

TEST_F(CheckProgram, SaysWhenItsOutputCannotBeWritten)
{
  write("s.yaml", kSmall);
  for (const char * flag : {"", "--json"}) {
    const Outcome outcome = run(std::string("s.yaml ") + flag, "/dev/full");
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    EXPECT_NE(outcome.err.find("cannot be written: No space left"), std::string::npos)
      << outcome.err;
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
