// The numbers of a model from the two files: the threads of callbacks, their priorities and their
// costs.
#include "model/build_model.hpp"

#include <gtest/gtest.h>

#include "takt_schedule/parse.hpp"
#include "takt_schedule/parse_system.hpp"

namespace takt_plan
{
namespace
{

using takt_rt::Faults;

const std::string kSystem = R"yaml(version: 1
hosts:
  car:
    cores: [0, 1, 2]
    reserved: [2]
    other_threads:
      dds: {priority: 85, cores: [1], time: 50us, period: 1ms}
overheads: {dispatch: 1us, middleware: 10us, context_switch: 3us}
communication: {processes: 150us}
groups:
  "/b:group(two)": reentrant
callbacks:
  - {id: "/a:timer(10ms)", time: 1ms, period: 10ms, jitter: 1ms, publishes: [/x, /y]}
  - {id: "/b:sub(/x)", time: 2ms, triggers: /x, group: "/b:group(two)", publishes: /z}
  - {id: "/c:sub(/z)", executor: far, time: 3ms, triggers: [/z, /y], trigger: all, reads: /x}
chains:
  main: {path: ["/a:timer(10ms)", "/b:sub(/x)", "/c:sub(/z)"], priority: 9, deadline: 30ms}
)yaml";

const std::string kSchedule = R"yaml(version: 1
executors:
  main:
    order: priority
    threads:
      hot: {count: 2, policy: fifo, priority: 80, cores: [0, 1], spread: true}
      rest: {policy: other}
    default: rest
    callbacks:
      - {match: "/a:timer(*)", threads: hot.1, priority: 7, offset: 2ms}
      - {match: "/b:**", threads: hot}
  far:
    threads: {only: {policy: fifo, priority: 10, cores: [1]}}
    default: all
chains:
  other: {path: ["/a:timer(10ms)", "/b:sub(/x)"], priority: 5}
)yaml";

takt_rt::Result<Model> build(const std::string & system_text, const std::string & schedule_text)
{
  auto system = takt_schedule::parse_system(system_text, "system.yaml");
  auto schedule = takt_schedule::parse_schedule(schedule_text, "schedule.yaml");
  Faults faults = system.faults();
  const Faults more = schedule.faults();
  faults.insert(faults.end(), more.begin(), more.end());
  if (!faults.empty()) {
    return faults;
  }
  return build_model(*system, *schedule);
}

Model built(const std::string & system = kSystem, const std::string & schedule = kSchedule)
{
  auto model = build(system, schedule);
  for (const std::string & fault : sentences(model.faults())) {
    ADD_FAILURE() << fault;
  }
  return model ? *model : Model{};
}

std::string replaced(std::string text, const std::string & what, const std::string & with)
{
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), with);
}

std::string only_fault(const std::string & system, const std::string & schedule)
{
  const Faults faults = build(system, schedule).faults();
  return faults.size() == 1 ? to_string(faults.front()) : std::to_string(faults.size()) + " faults";
}

TEST(BuildModel, ThreadsAreNumberedAndSpreadAsTheExecutorDoesIt)
{
  const Model model = built();
  ASSERT_EQ(model.threads.size(), 4U);
  EXPECT_EQ(model.threads[0].name, "hot.0");
  EXPECT_EQ(model.threads[0].cores, std::vector<Index>{0});
  EXPECT_EQ(model.threads[1].cores, std::vector<Index>{1});
  EXPECT_EQ(model.threads[1].kind, ThreadClass::fixed_priority);
  EXPECT_EQ(model.threads[1].priority, 80);
  // A thread without cores may use any core, also reserved ones.
  EXPECT_EQ(model.threads[2].cores, (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(model.threads[2].kind, ThreadClass::fair);
  EXPECT_EQ(model.threads[3].executor, 1U);
  EXPECT_EQ(model.threads[3].order, takt_core::Order::fifo);
}

TEST(BuildModel, DeadlineThreadsHaveTheirReservationAndWhatSwitchesTakeFromIt)
{
  const Model model = built(
    kSystem, replaced(
               kSchedule, "rest: {policy: other}",
               "rest: {policy: deadline, runtime: 2ms, deadline: 5ms, period: 10ms}"));
  EXPECT_EQ(model.threads[2].kind, ThreadClass::deadline);
  EXPECT_EQ(model.threads[2].cores, (std::vector<Index>{0, 1, 2})) << "as the kernel demands";
  const Reservation & reservation = model.threads[2].reservation;
  EXPECT_EQ(reservation.runtime, 2'000'000);
  EXPECT_EQ(reservation.deadline, 5'000'000);
  EXPECT_EQ(reservation.period, 10'000'000);
  EXPECT_EQ(reservation.context_switch, 3'000);
  const Model whole = built(
    kSystem,
    replaced(
      kSchedule, "rest: {policy: other}", "rest: {policy: deadline, runtime: 2ms, period: 10ms}"));
  EXPECT_EQ(whole.threads[2].reservation.deadline, 10'000'000) << "the period if not given";
}

TEST(BuildModel, TheCeilingIsThereOnlyWhereThreadsDiffer)
{
  const Model model = built();
  EXPECT_EQ(model.threads[0].ceiling, 81);
  EXPECT_EQ(model.threads[3].ceiling, 0);
}

TEST(BuildModel, TheCeilingIsTheOneTheExecutorAsksFor)
{
  const auto with_far = [](const std::string & threads) {
    const std::string rule = "\n    callbacks: [{match: \"/c:**\", priority: 4}]";
    return built(
      kSystem, replaced(
                 kSchedule, "only: {policy: fifo, priority: 10, cores: [1]}}\n    default: all",
                 threads + "}\n    default: all" + rule));
  };
  const Model following = with_far("only: {policy: fifo, priority: 10, cores: [1], follow: true}");
  EXPECT_EQ(following.threads[3].ceiling, 11) << "they differ while they run";
  const Model nice = with_far("only: {policy: other, cores: [1]}, more: {policy: other, nice: 5}");
  EXPECT_EQ(nice.threads[3].ceiling, 0) << "of nice levels there is none";
}

TEST(BuildModel, RulesAndChainsDecideThreadsAndPriorities)
{
  const Model model = built();
  ASSERT_EQ(model.tasks.size(), 3U);
  EXPECT_EQ(model.tasks[0].threads, std::vector<Index>{1});
  EXPECT_EQ(model.tasks[0].priority, 7);
  EXPECT_EQ(model.tasks[1].threads, (std::vector<Index>{0, 1}));
  // The priority of the schedule's chain counts for execution. The system's priority tells only the
  // importance.
  EXPECT_EQ(model.tasks[1].priority, 5);
  EXPECT_EQ(model.tasks[2].threads, std::vector<Index>{3});
  EXPECT_EQ(model.tasks[2].priority, 0);
}

TEST(BuildModel, ReleasesLinksAndGroupsAreThoseOfTheSystem)
{
  const Model model = built();
  ASSERT_TRUE(model.tasks[0].release.has_value());
  EXPECT_TRUE(model.tasks[0].timer);
  EXPECT_FALSE(model.tasks[1].timer);
  EXPECT_EQ(model.tasks[0].release->period, 10'000'000);
  EXPECT_EQ(model.tasks[0].release->jitter, 1'000'000);
  EXPECT_EQ(model.tasks[0].release->offset, 2'000'000) << "the schedule's";
  ASSERT_EQ(model.tasks[1].triggers.size(), 1U);
  EXPECT_EQ(model.tasks[1].triggers[0].from, 0U);
  EXPECT_EQ(model.tasks[1].triggers[0].delay, 0);
  ASSERT_EQ(model.tasks[2].triggers.size(), 2U);
  EXPECT_TRUE(model.tasks[2].all);
  EXPECT_EQ(model.tasks[2].triggers[0].from, 1U);
  EXPECT_EQ(model.tasks[2].triggers[0].delay, 150'000) << "another process";
  EXPECT_EQ(model.tasks[2].triggers[1].topic, 1U);
  ASSERT_EQ(model.tasks[2].reads.size(), 1U);
  ASSERT_EQ(model.groups.size(), 1U);
  EXPECT_FALSE(model.groups[0].exclusive);
  EXPECT_EQ(model.tasks[1].group, 0U);
  EXPECT_EQ(model.tasks[0].group, kNone);
}

TEST(BuildModel, OverheadsArePartOfTheCost)
{
  const Model model = built();
  // A timer takes no message, and publishes two.
  EXPECT_EQ(model.tasks[0].cost(), 1'000'000 + 1'000 + 2 * 3'000 + 2 * 10'000);
  // The callback takes one message and publishes one.
  EXPECT_EQ(model.tasks[1].cost(), 2'000'000 + 1'000 + 2 * 3'000 + 2 * 10'000);
  ASSERT_EQ(model.others.size(), 1U);
  EXPECT_EQ(model.others[0].time, 50'000 + 2 * 3'000);
  EXPECT_EQ(model.others[0].cores, std::vector<Index>{1});
}

TEST(BuildModel, ThreadsThatTakeTurnsSwitchAtTheEndOfEachQuantum)
{
  const auto dispatch_of = [](const std::string & policy, const std::string & other) {
    const Model model = built(
      R"yaml(version: 1
hosts: {car: {cores: 2}}
overheads: {context_switch: 3us}
callbacks:
  - {id: "/a:timer(1s)", time: 250ms, period: 1s}
  - {id: "/b:timer(1s)", time: 1ms, period: 1s}
)yaml",
      "version: 1\nexecutors:\n  main:\n    threads:\n      a: {policy: " + policy +
        ", priority: 50, cores: [0]}\n      b: {policy: fifo, " + other +
        "}\n    default: a\n    callbacks: [{match: \"/b:**\", threads: b}]\n");
    EXPECT_EQ(model.tasks[1].dispatch, 2 * 3'000);
    return model.tasks[0].dispatch;
  };
  const std::string equal = "priority: 50, cores: [0]";
  EXPECT_EQ(dispatch_of("rr", equal), (1 + 3) * 2 * 3'000) << "quanta of 100 ms";
  EXPECT_EQ(dispatch_of("fifo", equal), 2 * 3'000);
  EXPECT_EQ(dispatch_of("rr", "priority: 51, cores: [0]"), 2 * 3'000);
  EXPECT_EQ(dispatch_of("rr", "priority: 50, cores: [1]"), 2 * 3'000);
}

TEST(BuildModel, EveryMessageThatARunTakesIsPartOfItsCost)
{
  const Ns run = 1'000 + 2 * 3'000;
  EXPECT_EQ(built().tasks[2].cost(), 3'000'000 + run + 2 * 10'000) << "one of each topic";
  const Model outside = built(replaced(
    kSystem, "  - {id: \"/c:sub(/z)\"",
    "  - {id: \"/d:sub(/lidar)\", time: 1ms, period: 10ms}\n  - {id: \"/c:sub(/z)\""));
  ASSERT_EQ(outside.tasks.size(), 4U);
  EXPECT_EQ(outside.tasks[2].cost(), 1'000'000 + run + 10'000) << "from outside of the model";
}

TEST(BuildModel, ChainsOfBothFilesAreThere)
{
  const Model model = built();
  ASSERT_EQ(model.chains.size(), 2U);
  EXPECT_EQ(model.chains[0].name, "main");
  EXPECT_EQ(model.chains[0].path, (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(model.chains[0].deadline, 30'000'000);
  EXPECT_EQ(model.chains[1].name, "other");
  EXPECT_EQ(model.chains[1].deadline, kUnbounded);
}

TEST(BuildModel, AnExecutorTheScheduleLacksIsAFault)
{
  EXPECT_EQ(
    only_fault(replaced(kSystem, "executor: far", "executor: near"), kSchedule),
    "schedule.yaml:3:3: no executor 'near'; executors are main and far");
}

TEST(BuildModel, CoresThatAreNotThereOrReservedAreFaults)
{
  EXPECT_EQ(
    only_fault(
      replaced(kSystem, "cores: [0, 1, 2]\n    reserved: [2]", "cores: [1, 2]"), kSchedule),
    "schedule.yaml:6:7: threads 'hot' are on core 0, which 'car' does not have");
  EXPECT_EQ(
    only_fault(replaced(kSystem, "reserved: [2]", "reserved: [0]"), kSchedule),
    "schedule.yaml:6:7: threads 'hot' are on core 0, which is reserved on 'car'");
}

TEST(BuildModel, SpreadingOverTheHostsCoresMeetsReservedOnesToo)
{
  const std::string spread = "rest: {count: 3, policy: other, spread: true}";
  EXPECT_EQ(
    only_fault(kSystem, replaced(kSchedule, "rest: {policy: other}", spread)),
    "schedule.yaml:7:7: threads 'rest' are on core 2, which is reserved on 'car'");
  EXPECT_EQ(
    built(kSystem, replaced(kSchedule, "rest: {policy: other}", replaced(spread, "3", "2")))
      .threads[3]
      .cores,
    std::vector<Index>{1})
    << "as far as it goes";
}

TEST(BuildModel, ACoreThatACallbackMayNotUseIsAFault)
{
  EXPECT_EQ(
    only_fault(replaced(kSystem, "time: 2ms,", "time: 2ms, cores: [0],"), kSchedule),
    "system.yaml:14:5: '/b:sub(/x)' may not use core 1, on which its thread 'hot.1' may be");
}

TEST(BuildModel, AChainOfTheScheduleThatIsNotInTheModelIsAFault)
{
  EXPECT_EQ(
    only_fault(
      kSystem, replaced(kSchedule, "path: [\"/a:timer(10ms)\"", "path: [\"/q:timer(10ms)\"")),
    "schedule.yaml:16:3: chain 'other': the model has no callback '/q:timer(10ms)'");
}

}  // namespace
}  // namespace takt_plan
