// Graph files: the parser reports all faults at once, with their lines. Random values depend only
// on the graph and the seed.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>

#include "graph/callback_table.hpp"
#include "graph/graph_parse.hpp"
#include "shipped_graph.hpp"

namespace takt_workload
{

using std::chrono::milliseconds;

TEST(GraphFile, ReportsAllFaultsWithTheirLines)
{
  const auto graph = parse_graph(
    "version: 1\n"
    "name: bad\n"
    "colour: red\n"
    "nodes:\n"
    "  - {name: A, kind: sensor}\n"
    "  - {name: B, kind: tranform, input: A}\n"
    "  - {name: C, kind: transform, input: X}\n"
    "  - {name: C, kind: sensor, period: 10}\n"
    "  - {name: D, kind: fusion, inputs: [A, A], groups: callback}\n",
    "g.yaml");
  ASSERT_FALSE(graph.ok());
  std::string all;
  for (const std::string & fault : sentences(graph.faults())) {
    all += fault + "\n";
  }
  for (const char * expected :
       {"g.yaml:3:1: unknown key 'colour' in a graph; known keys are version, name, message, ",
        "g.yaml:5:5: node 'A' has no 'period'; add period: 100ms",
        "g.yaml:6:21: kind cannot be 'tranform'; did you mean 'transform'?",
        "g.yaml:7:5: nobody publishes '/X'", "g.yaml:8:5: there is a node /C already",
        "g.yaml:8:37: period: '10' has no unit", "g.yaml:9:53: the callbacks of a fusion"}) {
    EXPECT_NE(all.find(expected), std::string::npos) << expected << "\nin\n" << all;
  }
}

TEST(GraphFile, FaultsOfNodesHideNoneOfChainsAndFigures)
{
  const auto graph = parse_graph(
    "version: 1\n"
    "name: bad\n"
    "message: Payload\n"
    "payload: 4GiB\n"
    "nodes:\n"
    "  - {name: A, kind: sensor}\n"
    "  - {name: B, kind: transform, input: A}\n"
    "  - {name: C, kind: tranform, input: B}\n"
    "chains:\n"
    "  - {name: follows, path: [A, B, C]}\n"
    "  - {name: own, path: [B, Z], deadline: 5}\n"
    "kpis:\n"
    "  hot_path: {roots: [Y], sink: C}\n",
    "g.yaml");
  EXPECT_EQ(
    sentences(graph.faults()),
    (std::vector<std::string>{
      "g.yaml:4:10: payload must be at most 64MiB, not 4GiB",
      "g.yaml:6:5: node 'A' has no 'period'; add period: 100ms",
      "g.yaml:8:21: kind cannot be 'tranform'; did you mean 'transform'?",
      "g.yaml:11:24: B has no timer; name a node that has one, or a timer's id",
      "g.yaml:11:41: deadline: '5' has no unit; write 5ms (units are ns, "
      "us, ms, s and min)",
      "g.yaml:13:22: there is no node 'Y'"}));
}

TEST(GraphFile, AFaultyPayloadHidesNoFaultOfAGraphWhoseNodesAreGood)
{
  const auto graph = parse_graph(
    "version: 1\nname: bad\nmessage: Payload\npayload: 1TB\nnodes:\n"
    "  - {name: A, kind: sensor, period: 1s}\n"
    "  - {name: B, kind: transform, input: C}\n"
    "  - {name: C, kind: transform, input: B}\n"
    "chains: [{name: c, path: [A, B]}]\n"
    "kpis: {hot_path: {roots: [A], sink: B}}\n",
    "g.yaml");
  std::string all;
  for (const std::string & fault : sentences(graph.faults())) {
    all += fault + "\n";
  }
  for (const char * expected :
       {"g.yaml:4:10: payload: '1TB'", "/B:sub(/C) never runs", "/C:sub(/B) never runs",
        "g.yaml:9:30: B does not subscribe to /A",
        "no path leads from /A:timer(1s) to /B:sub(/C)"}) {
    EXPECT_NE(all.find(expected), std::string::npos) << expected << "\nin\n" << all;
  }
}

TEST(GraphFile, OtherKindsOfFilesAreRecognised)
{
  EXPECT_EQ(
    sentences(
      parse_graph("version: 1\nexecutors: {main: {threads: {a: {}}, default: a}}\n", "g").faults()),
    std::vector<std::string>{
      "g:1:1: this is a schedule (it has 'executors'), where a graph is expected; `takt "
      "check "
      "FILE` checks a schedule, and `takt run GRAPH --schedule FILE` runs a graph under it"});
  EXPECT_EQ(
    sentences(parse_graph("version: 1\nhosts: {car: {cores: 2}}\ncallbacks: []\n", "g").faults()),
    std::vector<std::string>{
      "g:1:1: this is a system model (it has 'callbacks'), where a graph is expected; `takt "
      "plan FILE` makes a schedule for it"});
  EXPECT_EQ(
    sentences(
      parse_graph("version: 1\nname: x\nnodes:\n\t- {name: A, kind: sensor, period: 1ms}\n", "g")
        .faults()),
    std::vector<std::string>{
      "g:4:1: a tab stands here; YAML is indented with spaces only, so replace it by spaces"});
  EXPECT_EQ(
    sentences(load_graph("/").faults()),
    std::vector<std::string>{"/: is a directory; name a graph file"});
}

TEST(GraphFile, RefusesChainsThatDoNotConnect)
{
  const std::string head =
    "version: 1\nname: g\nnodes:\n"
    "  - {name: A, kind: sensor, period: 10ms}\n"
    "  - {name: B, kind: transform, input: A}\n"
    "  - {name: P, kind: cyclic, period: 10ms, inputs: [B]}\n"
    "  - {name: C, kind: command, input: P}\nchains:\n";
  const auto fault = [&](const std::string & path) {
    const auto graph = parse_graph(head + "  - {name: c, path: [" + path + "]}\n", "g");
    return graph ? std::string() : to_string(graph.faults().front());
  };
  EXPECT_EQ(fault("A, B, P"), "");
  EXPECT_EQ(fault("P, C"), "");
  EXPECT_EQ(fault("A, /B:sub(/A), P"), "");
  EXPECT_NE(fault("A, P").find("P does not subscribe to /A"), std::string::npos);
  EXPECT_NE(fault("B, P").find("B has no timer"), std::string::npos);
  EXPECT_NE(fault("A, B, P, C").find("a chain ends at a timer-driven reader"), std::string::npos);
  EXPECT_NE(fault("A, Z").find("there is no node 'Z'"), std::string::npos);
}

// The parser once accepted each of these. The run then failed later, or did not do what the file
// says.
TEST(GraphFile, RefusesWhatCannotBeMeant)
{
  const auto fault = [](const std::string & nodes, const std::string & rest = "") {
    const auto graph = parse_graph("version: 1\nname: g\nnodes:\n" + nodes + rest, "g");
    std::string all;
    for (const std::string & one : sentences(graph.faults())) {
      all += one + "\n";
    }
    return all;
  };
  const std::string sensor = "  - {name: A, kind: sensor, period: 10ms}\n";
  EXPECT_EQ(fault(sensor), "");
  EXPECT_EQ(
    fault("  - {name: A, kind: sensor, period: 1ns}\n"), "g:4:37: period must be at least 10us\n");
  EXPECT_NE(
    fault("  - {name: " + std::string(300, 'a') + ", kind: sensor, period: 10ms}\n")
      .find("a name of 301 letters; at most 200 are possible"),
    std::string::npos);
  EXPECT_EQ(
    fault(
      sensor + "  - {name: B, kind: transform, input: A, work: {min: 1ms, max: 3ms, "
               "deviation: 1ms}}\n"),
    "g:5:80: the deviation of work needs its mean; without both the work is uniform\n");
  EXPECT_EQ(
    fault(sensor, "---\nname: h\n"),
    "g:5:1: a graph file holds one document; remove what follows '---'\n");
  EXPECT_EQ(
    fault(sensor + "  - {kind: sensor, period: 10ms}\n  - {kind: sensor, period: 10ms}\n")
      .find("already"),
    std::string::npos);
  EXPECT_EQ(
    sentences(parse_graph("version: 2\nname: g\nnodes:\n" + sensor, "g").faults()),
    std::vector<std::string>{"g:1:10: format version '2' is unknown; this takt reads 1"});
  const std::string apart = sensor +
                            "  - {name: B, kind: sensor, period: 10ms}\n"
                            "  - {name: C, kind: transform, input: B}\n";
  EXPECT_EQ(fault(apart, "kpis:\n  hot_path: {roots: [B], sink: C}\n"), "");
  EXPECT_EQ(
    fault(apart, "kpis:\n  hot_path: {roots: [A, B], sink: C}\n"),
    "g:8:21: no path leads from /A:timer(10ms) to /C:sub(/B)\n");
}

TEST(GraphFile, SuggestsWhatIsClose)
{
  const auto fault = [](const std::string & text) {
    return to_string(parse_graph(text, "g").faults().front());
  };
  const std::string head = "version: 1\nname: g\nnodes:\n";
  EXPECT_EQ(
    fault(head + "  - {name: Camera, kind: sensor, perod: 10ms, period: 1ms}\n"),
    "g:4:34: unknown key 'perod' in node 'Camera'; did you mean 'period'?");
  EXPECT_EQ(
    fault(
      head + "  - {name: Camera, kind: sensor, period: 1ms}\n"
             "  - {name: B, kind: transform, input: Camara}\n"),
    "g:5:5: nobody publishes '/Camara'; did you mean '/Camera'?");
  EXPECT_EQ(
    fault(
      head + "  - {name: Camera, kind: sensor, period: 1ms}\n"
             "chains: [{name: c, path: [Camara]}]\n"),
    "g:5:27: there is no node 'Camara'; did you mean 'Camera'?");
}

TEST(GraphFile, ANodeMayTakeATopicTwiceAndEachSubscriptionHasItsIdAndItsGroup)
{
  const auto graph = parse_graph(
    "version: 1\nname: g\nnodes:\n"
    "  - {name: A, kind: sensor, period: 10ms}\n"
    "  - {name: F, kind: fusion, inputs: [A, A]}\n"
    "  - name: I\n    kind: intersection\n    connections:\n"
    "      - {input: A, output: left}\n      - {input: A, output: right}\n"
    "  - {name: L, kind: command, input: left}\n  - {name: R, kind: command, input: right}\n"
    "chains:\n  - {name: l, path: [A, I, L]}\n"
    "  - {name: r, path: [A, \"/I:sub(/A)#2\", R]}\n",
    "g");
  ASSERT_EQ(graph.faults(), takt_rt::Faults{});
  std::vector<std::pair<std::string, std::string>> found;
  const CallbackTable table(graph.value());
  for (const CallbackEntry & entry : table.callbacks()) {
    found.emplace_back(entry.id, entry.group);
  }
  EXPECT_EQ(
    found, (std::vector<std::pair<std::string, std::string>>{
             {"/A:timer(10ms)", "/A:group(default)"},
             {"/F:sub(/A)", "/F:group(default)"},
             {"/F:sub(/A)#2", "/F:group(default)"},
             {"/I:sub(/A)", "/I:group(A)"},
             {"/I:sub(/A)#2", "/I:group(A)#2"},
             {"/L:sub(/left)", "/L:group(default)"},
             {"/R:sub(/right)", "/R:group(default)"}}));
  EXPECT_EQ(graph->chains.at(0).path.at(1), "/I:sub(/A)") << "a node's name means the first one";
}

TEST(GraphFile, ACallbackMayWorkAndSleep)
{
  const auto graph = parse_graph(
    "version: 1\nname: g\ndefaults: {work: 1ms, sleep: 2ms}\nnodes:\n"
    "  - {name: A, kind: sensor, period: 10ms}\n"
    "  - {name: B, kind: transform, input: A, sleep: {min: 1ms, max: 3ms}}\n"
    "  - {name: C, kind: fusion, inputs: [A, B]}\n"
    "  - {name: D, kind: cyclic, period: 10ms, inputs: [C], sleep: 0ms}\n",
    "g");
  ASSERT_EQ(graph.faults(), takt_rt::Faults{});
  EXPECT_TRUE(graph->nodes.at(0).sleep.none()) << "a sensor does what it says itself";
  EXPECT_EQ(graph->nodes.at(1).inputs.at(0).sleep.longest, milliseconds(3));
  EXPECT_EQ(graph->nodes.at(2).sleep.longest, milliseconds(2));
  EXPECT_TRUE(graph->nodes.at(3).sleep.none());
  const Graph scaled = with_work_scaled(graph.value(), 0.5);
  EXPECT_EQ(scaled.nodes.at(2).sleep, graph->nodes.at(2).sleep) << "a sleep is no work";
  const auto bad = parse_graph(
    "version: 1\nname: g\nnodes:\n"
    "  - {name: A, kind: sensor, period: 10ms, sleep: {min: 3ms, max: 1ms}}\n"
    "  - {name: B, kind: command, input: A, sleep: 1ms}\n",
    "g");
  ASSERT_EQ(bad.faults().size(), 2u);
  EXPECT_EQ(to_string(bad.faults()[0]), "g:4:50: sleep of node 'A' must be min <= mean <= max");
  EXPECT_NE(to_string(bad.faults()[1]).find("unknown key 'sleep'"), std::string::npos);
}

TEST(GraphFile, RefusesWhatNoTimerDrives)
{
  const auto graph = parse_graph(
    "version: 1\nname: g\nnodes:\n"
    "  - {name: A, kind: transform, input: B}\n"
    "  - {name: B, kind: transform, input: A}\n",
    "g");
  ASSERT_FALSE(graph.ok());
  EXPECT_NE(to_string(graph.faults().front()).find("never runs"), std::string::npos);
}

TEST(GraphFile, TheDocumentedExampleIsValid)
{
  std::ifstream file(TAKT_DOCS "/graphs.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto begin = text.find("```yaml\n") + 8;
  const auto end = text.find("```", begin);
  ASSERT_NE(end, std::string::npos);
  const auto graph = parse_graph(text.substr(begin, end - begin), "graphs.md");
  for (const std::string & fault : sentences(graph.faults())) {
    ADD_FAILURE() << fault;
  }
  // A first example shall meet its own deadline. Work, and waiting for the partner, take half of
  // the deadline.
  ASSERT_TRUE(graph.ok());
  const CallbackTable table(graph.value());
  const Chain & chain = graph->chains.at(0);
  takt_rt::Duration taken = *graph->nodes.at(1).offset - *graph->nodes.at(0).offset;
  for (const std::string & id : chain.path) {
    const CallbackEntry & callback = table.callbacks()[table.find(id)];
    taken += callback.output_topic == kNone ? takt_rt::Duration{} : callback.work.longest;
  }
  EXPECT_LE(2 * taken, chain.deadline);
}

// As faults of schedules: what is wrong, the text of the file, and what to write instead.
TEST(GraphFile, FaultsSayWhatStandsThereAndWhatToWrite)
{
  const std::string head = "version: 1\nname: x\n";
  const std::vector<std::pair<std::string, std::string>> cases{
    {"", "1:1: the file is empty; a graph starts with 'version: 1'"},
    {"# nothing\n", "1:1: the file is empty; a graph starts with 'version: 1'"},
    {"- a\n",
     "1:1: a graph must be a map with version, name, message, payload, defaults, nodes, chains or "
     "kpis, not a list"},
    {"just words\n", "or kpis, not 'just words'"},
    {head + "nodes: [\n", "4:1: not YAML: "},
    {head + "name: y\n", "3:1: duplicate key 'name'; it is on line 2 already"},
    {head + "nodes: 3\n", "3:8: nodes must be a list, not '3'"},
    {head + "nodes: [7]\n", "3:9: node must be a map with name, kind, "},
    {head + "message: [a]\n", "3:10: message must be Message4kb, Int32 or Payload, not a list"},
    {head + "message: Text\n",
     "message cannot be 'Text'; choices are Message4kb, Int32 and Payload"},
    {head + "nodes: [{name: A, kind: sensor, period: [1]}]\n",
     "period must be a duration such as 100ms, not a list"},
    {head + "nodes: [{name: A}]\n", "3:9: node 'A' has no 'kind'; add kind: sensor"},
    {head + "nodes: [{name: 1a, kind: sensor}]\n", "'/1a' is not a valid ROS name; use letters"},
    {head + "nodes: [{name: A, kind: sensor, groups: all}]\n",
     "groups cannot be 'all'; choices are node, callback and reentrant"},
    {head + "? [a]\n: 3\n", "3:3: a key must be a word"},
    {head + "\"a\\nb\": 3\n", "3:1: unknown key 'a\\nb' in a graph"},
    {head + "---\nname: y\n", "a graph file holds one document; remove what follows '---'"}};
  for (const auto & [text, said] : cases) {
    std::string all;
    for (const std::string & fault : sentences(parse_graph(text, "g").faults())) {
      all += fault + "\n";
    }
    EXPECT_NE(all.find(said), std::string::npos) << said << "\nin\n" << all;
  }
}

TEST(GraphFile, ADeadlineOfZeroIsAFault)
{
  EXPECT_EQ(
    sentences(parse_graph(
                "version: 1\nname: x\nnodes:\n  - {name: A, kind: sensor, period: 10ms}\n"
                "  - {name: B, kind: command, input: A}\nchains: [{name: c, path: [A, B], "
                "deadline: 0ms}]\n",
                "g")
                .faults()),
    std::vector<std::string>{"g:6:44: deadline must be longer than zero"});
}

// The bounds of schedules hold for graphs too: no hostile file takes gigabytes or minutes.
TEST(GraphFile, IsBoundedInSizeDepthAndAliases)
{
  std::string bomb = "version: 1\nname: x\na: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string to = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + to;
    for (int n = 1; n < 10; ++n) {
      bomb += ", " + to;
    }
    bomb += "]\n";
  }
  const std::vector<std::pair<std::string, std::string>> cases{
    {bomb, "more than 1000000 nodes with aliases expanded"},
    {"nodes: " + std::string(100, '['), "nested more than 64 deep"},
    {std::string((16U << 20U) + 1, '#'), "g:1:1: more than 16777216 bytes of text"}};
  for (const auto & [text, said] : cases) {
    const auto faults = parse_graph(text, "g").faults();
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_NE(to_string(faults.front()).find(said), std::string::npos) << faults.front();
  }
  EXPECT_EQ(
    sentences(load_graph("/dev/zero").faults()),
    std::vector<std::string>{"/dev/zero:1:1: more than 16777216 bytes of text"});
}

TEST(GraphFile, MayShareWithAliases)
{
  const auto graph = parse_graph(
    "version: 1\nname: x\nnodes:\n"
    "  - &a {name: A, kind: sensor, period: 10ms, work: &w {min: 1ms, max: 2ms}}\n"
    "  - {<<: *a, name: B}\n  - {name: C, kind: transform, input: A, work: *w}\n",
    "g");
  ASSERT_EQ(graph.faults(), takt_rt::Faults{});
  EXPECT_EQ(graph->nodes.at(1).period, milliseconds(10));
  EXPECT_EQ(graph->nodes.at(2).inputs.at(0).work.longest, milliseconds(2));
}

TEST(GraphFile, SurvivesAnything)
{
  for (const char * text :
       {"", "[", "- a", "version: 1", "version: 2\nname: x", "version: 1\nname: x\nnodes: 3",
        "version: 1\nname: x\nnodes: [1, [2], {}]", "{version: 1, version: 1}", "\x01\xff",
        "version: 1\nname: x\nnodes: [{name: A, kind: sensor, period: 1ms}]\nkpis: 3",
        "version: 1\nname: x\nnodes: [{name: A, kind: sensor, period: 1ms}]\nchains: [{}]"}) {
    EXPECT_FALSE(parse_graph(text, "g").ok()) << text;
  }
  EXPECT_FALSE(load_graph("/nowhere/g.yaml").ok());
}

TEST(WorkTimes, AreDeterministicPerSeedAndWithinTheirBounds)
{
  const WorkTime normal =
    WorkTime::normal(milliseconds(5), milliseconds(2), milliseconds(2), milliseconds(8));
  double sum = 0.0;
  int differ = 0;
  for (std::uint64_t run = 0; run < 2000; ++run) {
    const auto value = normal.sample(7, 3, run);
    EXPECT_EQ(value, normal.sample(7, 3, run));
    EXPECT_GE(value, milliseconds(2));
    EXPECT_LE(value, milliseconds(8));
    differ += value != normal.sample(8, 3, run) ? 1 : 0;
    sum += static_cast<double>(value.count());
  }
  EXPECT_NEAR(sum / 2000, 5e6, 0.2e6);
  EXPECT_GT(differ, 1000);
  const WorkTime uniform = WorkTime::uniform(milliseconds(1), milliseconds(3));
  EXPECT_GE(uniform.sample(1, 1, 1), milliseconds(1));
  EXPECT_EQ(uniform.mean, milliseconds(2));
  EXPECT_EQ(WorkTime::constant(milliseconds(4)).scaled(0.5).sample(1, 2, 3), milliseconds(2));
}

TEST(Phases, AreDeterministicPerSeedAndWithinThePeriod)
{
  const Graph graph = shipped("autoware_reference");
  const Graph once = with_random_phases(graph, 5);
  const Graph again = with_random_phases(graph, 5);
  const Graph other = with_random_phases(graph, 6);
  bool differs = false;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    EXPECT_EQ(once.nodes[i].offset, again.nodes[i].offset);
    differs = differs || once.nodes[i].offset != other.nodes[i].offset;
    if (graph.nodes[i].has_timer()) {
      ASSERT_TRUE(once.nodes[i].offset.has_value());
      EXPECT_LE(*once.nodes[i].offset, graph.nodes[i].period);
    }
  }
  EXPECT_TRUE(differs);
}

}  // namespace takt_workload
