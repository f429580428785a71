// System models: their values, and the fault for each mistake.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "docs_example.hpp"
#include "takt_schedule/parse_system.hpp"
#include "takt_schedule/to_yaml.hpp"

namespace takt_schedule
{
namespace
{

using namespace std::chrono_literals;
using takt_rt::Faults;

System parse(const std::string & text)
{
  auto system = parse_system(text, "s.yaml");
  for (const std::string & fault : sentences(system.faults())) {
    ADD_FAILURE() << fault;
  }
  return system ? std::move(system.value()) : System{};
}

Faults faults(const std::string & text)
{
  return parse_system(text, "s.yaml").faults();
}

/// A host, and these callbacks in flow style, from line 4 on.
std::string with_callbacks(
  const std::vector<std::string> & callbacks, const std::string & more = "")
{
  std::string text = "version: 1\nhosts: {car: {cores: 2, reserved: [0]}}\ncallbacks:\n";
  for (const std::string & callback : callbacks) {
    text += "  - {" + callback + "}\n";
  }
  return text + more;
}

const std::string kTimer = "id: \"/a:timer(10ms)\", time: 1ms, period: 10ms, publishes: /x";

TEST(System, APeriodInAnIdHasOneSpelling)
{
  const System system = parse(with_callbacks(
    {"id: \"/a:timer(2500us)\", time: 1ms, period: 2.5ms"},
    "chains:\n  c: {path: [\"/a:timer(0.0025s)\"], deadline: 2ms}\n"));
  EXPECT_EQ(system.callbacks.at(0).id, "/a:timer(2.5ms)");
  EXPECT_EQ(system.chains.at(0).options.path.at(0), "/a:timer(2.5ms)");
}

TEST(System, ACallbackMaySleep)
{
  const System system = parse(with_callbacks({kTimer + ", sleep: 5ms"}));
  EXPECT_EQ(system.callbacks.at(0).sleep, 5ms);
  EXPECT_EQ(parse(to_yaml(system)).callbacks, system.callbacks);
}

TEST(System, ATimerMayHaveAPhaseThatNoScheduleSets)
{
  const System system = parse(with_callbacks({kTimer + ", offset: any"}));
  EXPECT_TRUE(system.callbacks.at(0).any_phase);
  EXPECT_FALSE(system.callbacks.at(0).offset);
  EXPECT_EQ(parse(to_yaml(system)).callbacks, system.callbacks);
  EXPECT_EQ(faults(with_callbacks({kTimer + ", offset: some"})).size(), 1U);
}

TEST(System, MessagesFromOutsideMayComeOnTheClockOfTheHost)
{
  const std::string outside = "id: \"/b:sub(/camera)\", time: 1ms, ";
  const System system =
    parse(with_callbacks({outside + "period: 10ms, offset: 3ms, jitter: 100us"}));
  EXPECT_EQ(system.callbacks.at(0).offset, 3ms);
  EXPECT_EQ(parse(to_yaml(system)).callbacks, system.callbacks);
  EXPECT_EQ(faults(with_callbacks({kTimer, outside + "triggers: /x, offset: 3ms"})).size(), 1U);
}

TEST(System, ASetMayTakeATopicBySeveralSubscriptions)
{
  const std::string twice =
    "id: [\"/f:sub(/x)\", \"/f:sub(/x)#2\"], time: 1ms, triggers: [/x, /x], trigger: newest";
  const System system = parse(with_callbacks({kTimer, twice}));
  EXPECT_EQ(system.callbacks.at(1).triggers, (std::vector<std::string>{"/x", "/x"}));
  EXPECT_EQ(parse(to_yaml(system)).callbacks, system.callbacks);
}

void expect_fault(const std::string & text, const std::string & fault)
{
  const Faults found = faults(text);
  ASSERT_EQ(found.size(), 1U) << text << (found.empty() ? "" : found.front());
  EXPECT_EQ(to_string(found.front()), "s.yaml:" + fault) << text;
}

TEST(System, ReadsEveryFieldOfTheExample)
{
  const System system = parse(test::docs_example("valid", "system.md"));
  EXPECT_TRUE(system.warnings.empty());
  ASSERT_EQ(system.hosts.size(), 1U);
  const HostModel & car = system.hosts[0];
  EXPECT_EQ(car.cores, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(car.reserved, std::vector<int>{0});
  EXPECT_EQ(car.utilization_cap, 0.9);
  EXPECT_EQ(car.least_priority, 10);
  EXPECT_EQ(car.most_priority, 80);
  EXPECT_EQ(car.overheads, (Overheads{1us, 15us, 3us}));
  ASSERT_EQ(car.other_threads.size(), 1U);
  EXPECT_EQ(
    car.other_threads[0],
    (OtherThread{"dds_receive", 85, {1}, 50us, 1ms, car.other_threads[0].source}));
  EXPECT_EQ(system.communication, (Communication{150us, 1ms}));
  ASSERT_EQ(system.groups.size(), 2U);
  EXPECT_EQ(system.groups[1].kind, takt_core::GroupKind::reentrant);

  ASSERT_EQ(system.callbacks.size(), 5U);
  const CallbackModel & front = system.callbacks[0];
  EXPECT_TRUE(front.is_timer());
  EXPECT_EQ(front.executor, "main");
  EXPECT_EQ(front.host, "car");
  EXPECT_EQ(front.time.worst, 2ms);
  EXPECT_EQ(front.time.best, 2ms);
  EXPECT_EQ(front.period, 100ms);
  EXPECT_EQ(front.offset, 0ms);
  EXPECT_EQ(front.publishes, std::vector<std::string>{"/front/points"});
  EXPECT_EQ(system.callbacks[1].jitter, 500us);
  EXPECT_EQ(system.callbacks[1].offset, 5ms);
  const CallbackModel & fuse = system.callbacks[2];
  EXPECT_EQ(fuse.group, "/fuse:group(inputs)");
  EXPECT_EQ(fuse.time.best, 4ms);
  EXPECT_EQ(fuse.trigger, Trigger::newest);
  EXPECT_EQ(fuse.ids.size(), 2U);
  EXPECT_EQ(fuse.triggers.size(), 2U);
  EXPECT_EQ(fuse.reads, std::vector<std::string>{"/map"});
  EXPECT_EQ(fuse.depth, 2U);
  const CallbackModel & detect = system.callbacks[3];
  EXPECT_EQ(detect.time.best, 12ms);
  ASSERT_EQ(detect.time.histogram.size(), 3U);
  EXPECT_EQ(detect.time.histogram[1], (std::pair<takt_rt::Duration, std::uint64_t>{15ms, 90}));
  EXPECT_EQ(detect.cores, (std::vector<int>{2, 3}));
  EXPECT_EQ(system.callbacks[4].executor, "maps");
  ASSERT_EQ(system.chains.size(), 1U);
  EXPECT_EQ(system.chains[0].options.deadline, 80ms);
}

std::vector<std::string> warnings_of(const std::string & callbacks, const std::string & groups = "")
{
  return sentences(
    parse(
      "version: 1\noverheads: {}\nhosts: {car: {cores: 2}}\n" + groups + "callbacks:\n" + callbacks)
      .warnings);
}

TEST(System, WarnsOfCallbacksOfANodeThatNameNoGroup)
{
  const std::string goal = "  - {id: \"/m:sub(/goal)\", time: 1ms, period: 50ms}\n";
  const std::string speed = "  - {id: \"/m:sub(/speed)\", time: 1ms, period: 50ms";
  const std::string other = "  - {id: \"/o:sub(/speed)\", time: 1ms, period: 50ms}\n";
  const auto warnings = warnings_of(goal + other + speed + "}\n");
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find(":7:5: 2 callbacks of '/m' name no group"), std::string::npos)
    << warnings[0];
  EXPECT_NE(warnings[0].find("group: \"/m:group(default)\""), std::string::npos) << warnings[0];
  EXPECT_TRUE(warnings_of(goal + other).empty());
  const std::string group = "\"/m:group(default)\"";
  const std::string callbacks =
    goal.substr(0, goal.size() - 2) + ", group: " + group + "}\n" + speed;
  EXPECT_TRUE(
    warnings_of(
      callbacks + ", group: " + group + "}\n", "groups: {" + group + ": mutually_exclusive}\n")
      .empty());
}

TEST(System, WarnsWhereNoOverheadsAreGiven)
{
  const auto of = [](const std::string & hosts) {
    return sentences(parse(
                       "version: 1\n" + hosts +
                       "callbacks: [{id: \"/a:timer(1s)\", host: a, time: 1ms, period: 1s}]\n")
                       .warnings);
  };
  EXPECT_EQ(of("hosts: {a: {cores: 1}, b: {cores: 1}}\n").size(), 2U);
  const auto warnings = of("hosts: {a: {cores: 1, overheads: {}}, b: {cores: 1}}\n");
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("host 'b' has no overheads: "), std::string::npos) << warnings[0];
  EXPECT_TRUE(of("overheads: {}\nhosts: {a: {cores: 1}}\n").empty());
  // Known overheads stay known after writing.
  System known = parse(
    "version: 1\noverheads: {}\nhosts: {a: {cores: 1}}\n"
    "callbacks: [{id: \"/a:timer(1s)\", time: 1ms, period: 1s}]\n");
  EXPECT_TRUE(parse(to_yaml(known)).warnings.empty());
}

TEST(System, WarnsOfSubscriptionsOfOtherTopicsThanWhatStartsThem)
{
  const std::string source =
    "  - {id: \"/a:timer(10ms)\", time: 1ms, period: 10ms, publishes: /scan}\n";
  const auto warnings =
    warnings_of(source + "  - {id: \"/b:sub(/image)\", time: 1ms, triggers: /scan}\n");
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(
    warnings[0].find("'/b:sub(/image)' is started by '/scan', and its id names another topic"),
    std::string::npos)
    << warnings[0];
  // A name given in code, not a topic.
  EXPECT_TRUE(
    warnings_of(source + "  - {id: \"/b:sub(image)\", time: 1ms, triggers: /scan}\n").empty());
}

TEST(System, WarnsOfSetsOfWhichOnlyOneSubscriptionHasAnId)
{
  const std::string set =
    "  - {id: \"/a:timer(10ms)\", time: 1ms, period: 10ms, publishes: [/x, /y]}\n"
    "  - {id: \"/b:sub(/x)\", time: 1ms, triggers: [/x, /y], trigger: newest}\n";
  const auto warnings = warnings_of(set);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(
    warnings[0].find("'/b:sub(/x)' is one of the 2 subscriptions of its set"), std::string::npos)
    << warnings[0];
}

TEST(System, ReadsTheDocumentationsSetOfNewestMessages)
{
  const std::string page = test::docs_example("set", "system.md");
  const System system = parse(page);
  EXPECT_TRUE(system.warnings.empty());
  ASSERT_EQ(system.callbacks.size(), 4U);
  const CallbackModel & fuse = system.callbacks[2];
  EXPECT_EQ(fuse.trigger, Trigger::newest);
  EXPECT_EQ(
    fuse.ids, (std::vector<std::string>{"/fuse:sub(/front/points)", "/fuse:sub(/rear/points)"}));
  EXPECT_EQ(fuse.triggers, (std::vector<std::string>{"/front/points", "/rear/points"}));
  ASSERT_EQ(system.chains.size(), 2U);
  EXPECT_EQ(system.chains[0].options.path[1], fuse.ids[0]);
  EXPECT_EQ(system.chains[1].options.path[1], fuse.ids[1]);

  // As the page says: one id for each topic, and a list is for sets only.
  std::string short_of_one = page;
  const std::string both = "[/front/points, /rear/points]";
  short_of_one.replace(short_of_one.find(both), both.size(), "[/front/points]");
  EXPECT_FALSE(parse_system(short_of_one, "system.yaml").ok());
  std::string crossed = page;
  crossed.replace(crossed.find(both), both.size(), "[/rear/points, /front/points]");
  crossed.erase(crossed.find("chains:"));
  EXPECT_EQ(
    sentences(parse_system(crossed, "system.yaml").faults()),
    std::vector<std::string>{
      "system.yaml:7:5: '/fuse:sub(/front/points)' is in the place of '/rear/points'; write "
      "the ids "
      "in the order of the topics in triggers"});
  std::string all = page;
  const std::string newest = "trigger: newest";
  all.replace(all.find(newest), newest.size(), "trigger: all");
  EXPECT_FALSE(parse_system(all, "system.yaml").ok());
}

TEST(System, TheFaultyExampleOfTheDocumentationHasExactlyTheFaultsShown)
{
  std::string shown;
  for (const std::string & fault :
       sentences(parse_system(test::docs_example("faulty", "system.md"), "system.yaml").faults())) {
    shown += fault + "\n";
  }
  EXPECT_EQ(shown, test::docs_example("its faults", "system.md"));
}

TEST(System, AnExecutorHasTheNamesItMayHaveInASchedule)
{
  const System system = parse(with_callbacks({kTimer + ", executor: rear.left/main_2"}));
  ASSERT_EQ(system.callbacks.size(), 1U);
  EXPECT_EQ(system.callbacks[0].executor, "rear.left/main_2");
  expect_fault(
    with_callbacks({kTimer + ", executor: rear left"}),
    "4:78: an executor cannot be named 'rear left'; use letters, digits, '_' and '-', '.', '/'");
}

TEST(System, WithoutABestTimeItIsTheShortestThatWasSeenOrTheWorst)
{
  const auto time = [](const std::string & words) {
    return parse(with_callbacks(
                   {"id: \"/a:timer(10ms)\", period: 10ms, publishes: /x, time: " + words}))
      .callbacks.at(0)
      .time;
  };
  EXPECT_EQ(time("{worst: 9ms}").best, 9ms);
  EXPECT_EQ(time("{worst: 9ms, histogram: {3ms: 1, 2ms: 7}}").best, 2ms);
  EXPECT_EQ(time("{worst: 9ms, best: 1ms, histogram: {2ms: 7}}").best, 1ms);
  EXPECT_EQ(time("{worst: 9ms, histogram: {}}").best, 9ms);
  // An invalid best time hides no other fault and causes none.
  expect_fault(
    with_callbacks({"id: \"/a:timer(10ms)\", period: 10ms, publishes: /x, time: {worst: 9ms, best: "
                    "x, histogram: {2ms: 7}}"}),
    "4:82: best: 'x' is not a number with a unit; write for example 100ms");
}

TEST(System, RefusesCallbacksThatCannotBe)
{
  expect_fault(
    with_callbacks({kTimer, kTimer}),
    "5:10: duplicate id '/a:timer(10ms)'; it is on line 4 already");
  expect_fault(
    with_callbacks({"id: \"/a:timer(10ms)\", period: 10ms"}),
    "4:5: callback '/a:timer(10ms)' has no time; add its worst execution time, as in time: 5ms");
  expect_fault(
    with_callbacks({"id: \"/a:timer(10ms)\", time: 1ms"}),
    "4:5: callback '/a:timer(10ms)' is a timer and has no period; add period: 100ms");
  expect_fault(
    with_callbacks({"id: \"/a:timer(10ms)\", time: 1ms, period: 0ms"}),
    "4:47: period must be longer than zero");
  expect_fault(
    with_callbacks({"id: \"/a:sub(/x)\", time: 1ms"}),
    "4:5: callback '/a:sub(/x)' is started by nothing; add triggers: /topic, or period: 100ms if "
    "its messages come from outside of the model");
  expect_fault(
    with_callbacks({kTimer, "id: \"/b:sub(/x)\", time: 1ms, triggers: /x, period: 10ms"}),
    "5:49: callback '/b:sub(/x)' is started by topics, so its rate is theirs; omit period");
  expect_fault(
    with_callbacks({"id: \"/a:timer(*)\", time: 1ms, period: 10ms"}),
    "4:10: '/a:timer(*)' is not a callback id; ids look like '/node:timer(100ms)'");
  expect_fault(
    with_callbacks({"id: \"/a\\x01:timer(10ms)\", time: 1ms, period: 10ms"}),
    "4:10: '/a\\x01:timer(10ms)' contains a control character; remove it");
  expect_fault(
    with_callbacks({"id: \"/a:timer(10ms) \", time: 1ms, period: 10ms"}),
    "4:10: '/a:timer(10ms) ' has a space in it; did you mean '/a:timer(10ms)'?");
  expect_fault(
    with_callbacks({kTimer + ", cores: [0]"}),
    "4:76: core 0 of host 'car' is reserved for the rest of the system");
  expect_fault(
    with_callbacks({kTimer + ", cores: [5]"}), "4:76: host 'car' has no core 5; its cores are 0-1");
  expect_fault(with_callbacks({kTimer + ", group: /a"}), "4:75: unknown group '/a'");
}

TEST(System, RefusesTopicsThatLeadNowhereAndCallbacksThatNeverRest)
{
  expect_fault(
    with_callbacks({kTimer, "id: \"/b:sub(/y)\", time: 1ms, triggers: /y"}),
    "5:5: nothing publishes '/y', which '/b:sub(/y)' is started by; did you mean '/x'? (if "
    "its messages come from outside of the model, give it a period instead of triggers)");
  const Faults cycle = faults(with_callbacks(
    {kTimer, "id: \"/b:sub(/x)\", time: 1ms, triggers: [/x, /z], publishes: /y",
     "id: \"/c:sub(/y)\", time: 1ms, triggers: /y, publishes: /z"}));
  ASSERT_EQ(cycle.size(), 1U);
  EXPECT_NE(
    to_string(cycle[0]).find(
      "'/b:sub(/x)' triggers itself: '/b:sub(/x)' -> '/c:sub(/y)' -> '/b:sub(/x)'"),
    std::string::npos)
    << cycle[0];
}

/// Whether a callback can reach itself, by a slow search. `edge[a][b]`: a triggers b.
bool has_cycle(std::vector<std::vector<char>> edge)
{
  for (std::size_t via = 0; via < edge.size(); ++via) {
    for (std::size_t a = 0; a < edge.size(); ++a) {
      for (std::size_t b = 0; b < edge.size(); ++b) {
        edge[a][b] = edge[a][b] || (edge[a][via] && edge[via][b]);
      }
    }
  }
  for (std::size_t a = 0; a < edge.size(); ++a) {
    if (edge[a][a]) {
      return true;
    }
  }
  return false;
}

// Topics have several publishers and several readers, which could mislead the search.
TEST(System, FindsCyclesWhereThereAreAnyAndOnlyThere)
{
  constexpr int kCallbacks = 6, kTopics = 4;
  std::mt19937 random(1);
  int cyclic = 0;
  constexpr int kSystems = 2000;
  for (int round = 0; round < kSystems; ++round) {
    // The last callback publishes every topic, so that cycles are the only faults.
    bool publishes[kCallbacks][kTopics] = {}, reads[kCallbacks][kTopics] = {};
    std::vector<std::string> callbacks;
    for (int i = 0; i < kCallbacks; ++i) {
      std::string in, out;
      for (int t = 0; t < kTopics; ++t) {
        const std::string topic = "/t" + std::to_string(t);
        if ((reads[i][t] = random() % 5 == 0)) {
          in += (in.empty() ? "" : ", ") + topic;
        }
        if ((publishes[i][t] = random() % 5 == 0)) {
          out += (out.empty() ? "" : ", ") + topic;
        }
      }
      callbacks.push_back(
        "id: \"/c" + std::to_string(i) + ":sub(/x)\", time: 1us, " +
        (in.empty() ? "period: 1ms" : "triggers: [" + in + "]") +
        (out.empty() ? "" : ", publishes: [" + out + "]"));
    }
    callbacks.push_back(
      "id: \"/z:timer(1s)\", time: 1us, period: 1s, publishes: [/t0, /t1, /t2, /t3]");
    std::vector<std::vector<char>> edge(kCallbacks, std::vector<char>(kCallbacks));
    for (int a = 0; a < kCallbacks; ++a) {
      for (int b = 0; b < kCallbacks; ++b) {
        for (int t = 0; t < kTopics; ++t) {
          edge[a][b] = edge[a][b] || (publishes[a][t] && reads[b][t]);
        }
      }
    }
    const std::string text = with_callbacks(callbacks);
    const Faults found = faults(text);
    const bool expected = has_cycle(edge);
    cyclic += expected;
    ASSERT_EQ(!found.empty(), expected) << text;
    for (const std::string & fault : sentences(found)) {
      const std::size_t way = fault.find(" triggers itself: ");
      ASSERT_NE(way, std::string::npos) << fault << "\n" << text;
      for (std::size_t at = fault.find("'/c", way), to = 0;; at = to) {
        to = fault.find(" -> '/c", at);
        if (to == std::string::npos) {
          break;
        }
        to += std::string(" -> ").size();
        const auto number = [&](std::size_t name) { return fault[name + 3] - '0'; };
        ASSERT_TRUE(edge[number(at)][number(to)]) << fault << "\n" << text;
      }
    }
  }
  EXPECT_GT(cyclic, kSystems / 10);
  EXPECT_LT(cyclic, kSystems * 9 / 10);
}

TEST(System, RefusesPathsThatAreNone)
{
  expect_fault(
    with_callbacks(
      {kTimer, "id: \"/b:timer(20ms)\", time: 1ms, period: 20ms"},
      "chains:\n  c: {path: [\"/a:timer(10ms)\", \"/b:timer(20ms)\"]}\n"),
    "7:32: '/b:timer(20ms)' neither is triggered by nor reads what '/a:timer(10ms)' publishes, /x");
}

TEST(System, RefusesExecutorsOnTwoHostsAndGroupsInTwoExecutors)
{
  const std::string head =
    "version: 1\nhosts: {a: {cores: 1}, b: {cores: 1}}\ngroups: {g: reentrant}\ncallbacks:\n";
  const auto callback = [](const std::string & id, const std::string & more) {
    return "  - {id: \"/" + id + ":timer(10ms)\", time: 1ms, period: 10ms, " + more + "}\n";
  };
  expect_fault(
    head + callback("a", "host: a, group: g") + callback("b", "host: b"),
    "6:5: executor 'main' is on host 'a' (line 5) and on host 'b'; an executor is one process");
  expect_fault(
    head + callback("a", "host: a, group: g") + callback("b", "host: b, executor: other, group: g"),
    "6:5: group 'g' has callbacks in executors 'main' and 'other'; a group belongs to one "
    "executor");
  const Faults none = faults(head + callback("a", "group: g"));
  ASSERT_EQ(none.size(), 1U);
  EXPECT_NE(
    to_string(none[0]).find("has no host, and there are several: a and b"), std::string::npos);
}

TEST(System, KnowsOtherKindsOfFiles)
{
  expect_fault(
    "version: 1\nexecutors: {}\n",
    "1:1: this is a schedule (it has 'executors'), where a system model is expected");
  expect_fault(
    "version: 1\nnodes: []\n",
    "1:1: this is a graph (it has 'nodes'), where a system model is expected");
  EXPECT_EQ(load_system("/").faults(), Faults{"/: is a directory; name a system model file"});
  EXPECT_EQ(
    load_system("/no/such").faults(),
    Faults{"/no/such: cannot be read: No such file or directory"});
}

// Costs that grow with the square of the entries would take minutes here.
TEST(System, ReadsManyCallbacksAndRefusesTooMany)
{
  const auto text = [](int callbacks) {
    std::string result = "version: 1\nhosts: {h: {cores: 16}}\ncallbacks:\n";
    for (int i = 0; i < callbacks; ++i) {
      const std::string n = std::to_string(i);
      result += i % 10 == 0 ? "- {id: \"/n" + n +
                                ":timer(10ms)\", time: 1us, period: 10ms, publishes: /t" + n + "}\n"
                            : "- {id: \"/n" + n + ":sub(/t)\", time: 1us, triggers: /t" +
                                std::to_string(i - 1) + ", publishes: /t" + n + "}\n";
    }
    return result;
  };
  EXPECT_EQ(parse(text(100'000)).callbacks.size(), 100'000U);
  const Faults many = faults(text(600'000));
  ASSERT_EQ(many.size(), 1U);
  EXPECT_NE(to_string(many[0]).find("more than"), std::string::npos) << many[0];
}

TEST(System, ReadsManyGroups)
{
  constexpr int kGroups = 600'000;
  std::string text = "version: 1\nhosts: {h: {cores: 1}}\ncallbacks: [{" + kTimer + "}]\ngroups:\n";
  for (int i = 0; i < kGroups; ++i) {
    text += "  g" + std::to_string(i) + ": reentrant\n";
  }
  EXPECT_EQ(parse(text).groups.size(), kGroups);
}

const std::string kOther = "id: \"/b:timer(20ms)\", time: 1ms, period: 20ms, publishes: /y";
const std::string kSet =
  "id: [\"/f:sub(/x)\", \"/f:sub(/y)\"], time: 1ms, triggers: [/x, /y], trigger: newest";

TEST(System, SubscriptionsOfASetAreOneCallbackWithSeveralIds)
{
  const System system = parse(with_callbacks(
    {kTimer, kOther, kSet}, "chains: {main: {path: [\"/b:timer(20ms)\", \"/f:sub(/y)\"]}}\n"));
  ASSERT_EQ(system.callbacks.size(), 3U);
  EXPECT_EQ(system.callbacks[2].trigger, Trigger::newest);
  EXPECT_EQ(system.callbacks[2].id, "/f:sub(/x)");
  EXPECT_EQ(system.callbacks[2].all_ids(), (std::vector<std::string>{"/f:sub(/x)", "/f:sub(/y)"}));
  EXPECT_EQ(system.callbacks[0].all_ids(), std::vector<std::string>{"/a:timer(10ms)"});
}

TEST(System, AChainEntersASetByTheSubscriptionOfItsTopic)
{
  expect_fault(
    with_callbacks(
      {kTimer, kOther, kSet}, "chains: {main: {path: [\"/b:timer(20ms)\", \"/f:sub(/x)\"]}}\n"),
    "7:42: '/f:sub(/x)' neither is triggered by nor reads what '/b:timer(20ms)' publishes, /y");
}

TEST(System, SeveralIdsNeedOneTopicEach)
{
  expect_fault(
    with_callbacks(
      {kTimer, kOther, "id: [\"/f:sub(/x)\", \"/f:sub(/y)\"], time: 1ms, triggers: [/x, /y]"}),
    "6:6: '/f:sub(/x)' has several ids; only the subscriptions of a set are described together, "
    "with trigger: newest");
  expect_fault(
    with_callbacks(
      {kTimer, kOther,
       "id: [\"/f:sub(/x)\", \"/f:sub(/y)\", \"/f:sub(/z)\"], time: 1ms, triggers: [/x, /y], "
       "trigger: newest"}),
    "6:6: '/f:sub(/x)' has 3 ids and 2 topics; write one id for each topic, in the same order");
  // An entry that is not a word is one fault.
  EXPECT_EQ(
    parse_system(
      with_callbacks(
        {kTimer, kOther,
         "id: [\"/f:sub(/x)\", \"/f:sub(/y)\"], time: 1ms, triggers: [/x, /y], trigger: latest"}),
      "system.yaml")
      .faults()
      .size(),
    1U);
  expect_fault(
    with_callbacks({kTimer, "id: \"/f:sub(/x)\", time: 1ms, triggers: /x, trigger: newest"}),
    "5:49: trigger: newest is about several topics; '/f:sub(/x)' is started by 1");
  expect_fault(
    with_callbacks({kTimer, kOther, kSet, "id: \"/f:sub(/y)\", time: 1ms, triggers: /y"}),
    "7:10: duplicate id '/f:sub(/y)'; it is on line 6 already");
}

const std::string kServer = "id: \"/s:service(/work)\", time: 1ms";
const std::string kClient = "id: \"/a:client(/work)\", time: 1ms";
const std::string kCaller =
  "id: \"/a:timer(1s)\", time: 1ms, period: 1s, waits_for: "
  "[\"/s:service(/work)\", \"/a:client(/work)\"]";

TEST(SystemWaits, ACallbackThatAnotherOneWaitsForNeedsNothingElseThatStartsIt)
{
  const System system = parse(with_callbacks({kServer, kClient, kCaller}));
  ASSERT_EQ(system.callbacks.size(), 3U);
  EXPECT_EQ(
    system.callbacks[2].waits_for,
    (std::vector<std::string>{"/s:service(/work)", "/a:client(/work)"}));
  EXPECT_FALSE(system.callbacks[0].period);
  const System again = parse(to_yaml(system));
  ASSERT_EQ(again.callbacks.size(), 3U);
  EXPECT_EQ(again.callbacks[2].waits_for, system.callbacks[2].waits_for);
}

TEST(SystemPublishesLast, ACallbackThatPublishesMaySaySo)
{
  const std::string last = kTimer + ", publishes_last: true";
  const System system = parse(with_callbacks({last}));
  EXPECT_TRUE(system.callbacks[0].publishes_last);
  EXPECT_TRUE(parse(to_yaml(system)).callbacks[0].publishes_last);
  EXPECT_FALSE(parse(with_callbacks({kTimer})).callbacks[0].publishes_last);
  expect_fault(
    with_callbacks({"id: \"/a:timer(10ms)\", time: 1ms, period: 10ms, publishes_last: true"}),
    "4:5: '/a:timer(10ms)' publishes nothing; publishes_last: true is for a callback that "
    "publishes right before it returns");
}

TEST(SystemStores, ASubscriptionMayStoreForOthersOfItsGroup)
{
  const std::string timer = kTimer + ", group: \"/a:group(0)\"";
  const std::string store = "id: \"/a:sub(/x)\", time: 1ms, triggers: /x, group: \"/a:group(0)\"";
  const std::string groups = "groups: {\"/a:group(0)\": mutually_exclusive}\n";
  const System system = parse(with_callbacks({timer, store + ", stores: true"}, groups));
  EXPECT_FALSE(system.callbacks[0].stores);
  EXPECT_TRUE(system.callbacks[1].stores);
  EXPECT_TRUE(parse(to_yaml(system)).callbacks[1].stores);
  EXPECT_FALSE(parse(with_callbacks({timer, store}, groups)).callbacks[1].stores);
  const std::string rest =
    "; stores: true is for a subscription of one topic that only stores its messages for other "
    "callbacks of its group";
  expect_fault(
    with_callbacks({timer + ", stores: true"}, groups),
    "4:5: '/a:timer(10ms)' is not a subscription" + rest);
  expect_fault(
    with_callbacks({timer, store + ", publishes: /y, stores: true"}, groups),
    "5:5: '/a:sub(/x)' publishes or waits for others" + rest);
  expect_fault(
    with_callbacks({timer, "id: \"/a:sub(/x)\", time: 1ms, triggers: /x, stores: true"}, groups),
    "5:5: '/a:sub(/x)' has no other callback in its group that uses the messages" + rest);
  expect_fault(
    with_callbacks({kTimer, store + ", stores: true"}, groups),
    "5:5: '/a:sub(/x)' has no other callback in its group that uses the messages" + rest);
}

TEST(SystemWaits, TheExampleOfThePageIsGood)
{
  const System system = parse(test::docs_example("waits", "system.md"));
  EXPECT_TRUE(system.warnings.empty());
  ASSERT_EQ(system.callbacks.size(), 3U);
  EXPECT_EQ(system.callbacks[0].waits_for.size(), 2U);
}

TEST(SystemWaits, WhatCannotBeWaitedForIsAFaultWithItsLine)
{
  const auto waits = [](const std::string & who) {
    return "id: \"/a:timer(1s)\", time: 1ms, period: 1s, waits_for: \"" + who + "\"";
  };
  const std::string server = kServer + ", period: 1s";
  expect_fault(
    with_callbacks({server, waits("/s:service(/wrok)")}),
    "5:5: '/a:timer(1s)' waits for '/s:service(/wrok)', and the model has no such callback; did "
    "you mean '/s:service(/work)'?");
  expect_fault(
    with_callbacks({server, waits("/a:timer(1s)")}),
    "5:5: '/a:timer(1s)' waits for '/a:timer(1s)', which is itself");
  expect_fault(
    with_callbacks(
      {kTimer, "id: \"/b:sub(/x)\", time: 1ms, triggers: /x, waits_for: \"/a:timer(10ms)\""}),
    "5:5: '/b:sub(/x)' waits for '/a:timer(10ms)', a timer, which no callback starts; waits_for "
    "names what a request starts: services, clients and subscriptions");
}

TEST(SystemWaits, InOneExclusiveGroupAWaitWouldNeverEnd)
{
  const auto text = [](const std::string & kind) {
    return "version: 1\nhosts: {car: {cores: 2}}\ngroups: {g: " + kind +
           "}\ncallbacks:\n"
           "  - {id: \"/s:service(/work)\", time: 1ms, group: g}\n"
           "  - {id: \"/a:timer(1s)\", time: 1ms, period: 1s, group: g, waits_for: "
           "\"/s:service(/work)\"}\n";
  };
  parse(text("reentrant"));
  expect_fault(
    text("mutually_exclusive"),
    "6:5: '/a:timer(1s)' waits for '/s:service(/work)', and both are in the exclusive group 'g', "
    "which runs one of them at a time: the wait would never end; give one of them another group");
}

TEST(SystemWaits, WaitsThatWaitForEachOtherAreAFault)
{
  expect_fault(
    with_callbacks(
      {"id: \"/a:service(/a)\", time: 1ms, waits_for: \"/b:service(/b)\"",
       "id: \"/b:service(/b)\", time: 1ms, waits_for: \"/a:service(/a)\""}),
    "4:5: '/a:service(/a)' waits for itself: '/a:service(/a)' -> '/b:service(/b)' -> "
    "'/a:service(/a)'; callbacks of an exclusive group wait for each other, too: give them groups "
    "of their own");
}

TEST(SystemWaits, GroupsJoinWaits)
{
  // Each timer holds the group that the other one's service needs.
  const auto text = [](const std::string & kind) {
    return "version: 1\nhosts: {car: {cores: 2}}\ngroups: {g: " + kind + ", h: " + kind +
           "}\ncallbacks:\n"
           "  - {id: \"/a:service(/a)\", time: 1ms, group: g}\n"
           "  - {id: \"/a:timer(1s)\", time: 1ms, period: 1s, group: g, waits_for: "
           "\"/b:service(/b)\"}\n"
           "  - {id: \"/b:service(/b)\", time: 1ms, group: h}\n"
           "  - {id: \"/b:timer(1s)\", time: 1ms, period: 1s, group: h, waits_for: "
           "\"/a:service(/a)\"}\n";
  };
  parse(text("reentrant"));
  const Faults found = faults(text("mutually_exclusive"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(to_string(found.front()).find("waits for itself"), std::string::npos);
}

TEST(SystemWaits, AMemberThatWaitsForSomethingElseMayShareItsGroup)
{
  parse(
    "version: 1\nhosts: {car: {cores: 2}}\ngroups: {g: mutually_exclusive}\ncallbacks:\n"
    "  - {id: \"/a:service(/a)\", time: 1ms, group: g, waits_for: \"/b:service(/b)\"}\n"
    "  - {id: \"/a:timer(1s)\", time: 1ms, period: 1s, group: g}\n"
    "  - {id: \"/b:service(/b)\", time: 1ms}\n"
    "  - {id: \"/c:timer(1s)\", time: 1ms, period: 1s, waits_for: \"/a:service(/a)\"}\n");
}

TEST(SystemWaits, ACallbackThatIsStartedByWhomItWaitsForTriggersItself)
{
  const Faults found = faults(with_callbacks(
    {kTimer, "id: \"/s:service(/w)\", time: 1ms, publishes: /y",
     "id: \"/b:sub(/y)\", time: 1ms, triggers: [/x, /y], waits_for: \"/s:service(/w)\""}));
  ASSERT_FALSE(found.empty());
  EXPECT_NE(to_string(found.front()).find("triggers itself"), std::string::npos);
}

}  // namespace
}  // namespace takt_schedule
