// A schedule places each callback, at any time of its creation.
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <std_msgs/msg/u_int64.hpp>
#include <string>
#include <thread>

#include "engine.hpp"
#include "node_state.hpp"
#include "ros_test.hpp"
#include "takt_core/adapter/placer.hpp"
#include "takt_schedule/parse.hpp"

namespace takt_rcl::test
{

using Number = std_msgs::msg::UInt64;

class Scheduled : public RosTest
{
protected:
  static takt_schedule::Schedule parse(const std::string & text)
  {
    auto schedule = takt_schedule::parse_schedule(text, "schedule.yaml");
    for (const std::string & fault : sentences(schedule.faults())) {
      ADD_FAILURE() << fault;
    }
    return schedule.ok() ? schedule.value() : takt_schedule::Schedule{};
  }
};

constexpr const char * kSchedule = R"yaml(
version: 1
executors:
  main:
    order: priority
    missing_rights: report
    threads:
      hot: {}
      rest: {count: 2}
    default: rest
    callbacks:
      - match: "/n:timer(5ms)"
        threads: hot
        priority: 7
        offset: 3ms
        missed_periods: catch_up
      - match: "/n:sub(/*)"
        threads: [hot]
        priority: 9
chains:
  c:
    path: ["/n:timer(5ms)", "/n:sub(/numbers)"]
    deadline: 4ms
    priority: 3
)yaml";

TEST_F(Scheduled, PlacesCallbacksByTheirIds)
{
  const auto schedule = parse(kSchedule);
  auto e = Executor::from_schedule(context, schedule, "main");
  auto n = node("n");
  std::atomic<std::uint32_t> timer_thread{99};
  std::vector<TimerInfo> infos;
  auto timer = n->create_wall_timer(5ms, [&](const TimerInfo & info) {
    timer_thread = takt_core::current_run()->thread;
    infos.push_back(info);
  });
  auto early = n->create_subscription<Number>("/numbers", QoS(1), [](const Number &) {});
  auto other = n->create_wall_timer(1s, [] {});
  e.add_node(n);
  auto late = n->create_subscription<Number>("/late", QoS(1), [](const Number &) {});
  auto & scheduler = e.core().scheduler();
  EXPECT_EQ(scheduler.thread_count(), 3u);
  EXPECT_EQ(scheduler.threads(*timer->callback()), 0b001u);
  EXPECT_EQ(scheduler.priority(*timer->callback()), 7);
  EXPECT_EQ(scheduler.threads(*other->callback()), 0b110u);
  EXPECT_EQ(scheduler.threads(*late->callback()), 0b001u);
  EXPECT_EQ(scheduler.priority(*late->callback()), 9);
  ASSERT_EQ(scheduler.chains().size(), 1u);
  const takt_rt::Time epoch = takt_rt::now();
  std::thread spinning([&] { e.spin(epoch); });
  EXPECT_TRUE(wait_until([&] { return timer_thread == 0; }));
  e.cancel();
  spinning.join();
  EXPECT_EQ((infos[0].expected_call_time - Time(takt_rt::to_ns(epoch))) % 5ms, Duration(3ms));
}

TEST_F(Scheduled, UnknownExecutorIsOneClearError)
{
  const auto schedule = parse(kSchedule);
  try {
    Executor::from_schedule(context, schedule, "mian");
    FAIL() << "nothing was thrown";
  } catch (const Error & error) {
    EXPECT_NE(std::string(error.what()).find("mian"), std::string::npos) << error.what();
  }
}

// Timers, messages and services of isolated groups, made before and during the spin.
TEST_F(Scheduled, IsolatedGroupsHaveThreadsOfTheirOwn)
{
  const auto schedule = parse(R"yaml(
version: 1
executors:
  main:
    threads: {shared: {}}
    default: shared
    groups:
      - {match: "/alone:group(**)", isolate: true}
      - {match: "/late:group(**)", isolate: true, nice: 3}
)yaml");
  auto e = Executor::from_schedule(context, schedule, "main");
  auto shared = node("shared");
  auto alone = node("alone");
  std::atomic<std::uint32_t> shared_thread{99}, alone_thread{99}, late_thread{99};
  std::atomic<int> late_runs{0};
  std::shared_ptr<Node> late;
  std::shared_ptr<Timer> late_timer;
  auto publisher = shared->create_publisher<Number>("numbers", 10);
  auto on_shared = shared->create_wall_timer(1ms, [&] {
    shared_thread = takt_core::current_run()->thread;
    publisher->publish(Number());
  });
  std::atomic<int> heard{0};
  auto subscription =
    alone->create_subscription<Number>("numbers", 10, [&](const Number &) { ++heard; });
  auto on_alone = alone->create_wall_timer(1ms, [&] {
    alone_thread = takt_core::current_run()->thread;
    if (late == nullptr) {
      late = node("late");
      late_timer = late->create_wall_timer(1ms, [&] {
        late_thread = takt_core::current_run()->thread;
        ++late_runs;
      });
      e.add_node(late);
    }
  });
  e.add_node(shared);
  e.add_node(alone);
  std::thread spins([&] { e.spin(); });
  const bool all_ran = wait_until([&] { return heard >= 5 && late_runs >= 5; });
  EXPECT_TRUE(all_ran) << heard << " messages heard, " << late_runs << " runs of the late timer";
  if (!all_ran) {
    e.cancel();
    spins.join();
    return;
  }
  EXPECT_EQ(shared_thread, 0U);
  EXPECT_GT(alone_thread, 1U) << "behind the schedule's and the visitor's";
  EXPECT_GT(late_thread, 1U);
  EXPECT_NE(alone_thread, late_thread);
  late_timer->cancel();
  EXPECT_TRUE(late_timer->is_canceled());
  e.remove_node(late);
  e.cancel();
  spins.join();
}

TEST_F(Scheduled, RulesThatMatchNothingAreWarnings)
{
  const auto schedule = parse(kSchedule);
  auto e = Executor::from_schedule(context, schedule, "main");
  auto n = node("other");
  e.add_node(n);
  bool named = false;
  for (const std::string & warning : sentences(e.schedule_warnings())) {
    named = named || warning.find("/n:timer(5ms)") != std::string::npos;
  }
  EXPECT_TRUE(named);
}

// Runs `function` on a thread without the right to real-time priorities, for any user of the test.
void without_realtime(const std::function<void()> & function)
{
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_RTPRIO, &before), 0);
  rlimit none = before;
  none.rlim_cur = 0;
  ASSERT_EQ(::setrlimit(RLIMIT_RTPRIO, &none), 0);
  std::thread([&] {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[2]{};
    ASSERT_EQ(::syscall(SYS_capget, &header, data), 0);
    data[0].effective &= ~(1U << CAP_SYS_NICE);
    ASSERT_EQ(::syscall(SYS_capset, &header, data), 0);
    function();
  }).join();
  ASSERT_EQ(::setrlimit(RLIMIT_RTPRIO, &before), 0);
}

TEST_F(Scheduled, WhatTheProcessWasRefusedIsAWarning)
{
  const auto schedule = parse(R"yaml(
version: 1
executors:
  main:
    missing_rights: report
    middleware_ceiling: 99
    threads: {one: {}}
    default: one
)yaml");
  auto e = Executor::from_schedule(context, schedule, "main");
  without_realtime([&] {
    e.cancel();
    e.spin();
  });
  const auto warnings = e.schedule_warnings();
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(to_string(warnings[0]).find("middleware ceiling"), std::string::npos) << warnings[0];
}

TEST_F(Scheduled, StrictRefusesTheFirstSpinWithAllThatMatchedNothing)
{
  const auto schedule = parse(std::string("strict: true\n") + (kSchedule + 1));
  auto e = Executor::from_schedule(context, schedule, "main");
  auto n = node("n");
  std::atomic<int> runs{0};
  auto other = n->create_wall_timer(1ms, [&] { ++runs; });
  e.add_node(n);
  EXPECT_EQ(e.defaulted_callbacks(), std::vector<std::string>{"/n:timer(1ms)"});
  const takt_rt::Faults faults = e.schedule_faults();
  EXPECT_EQ(faults.size(), 4u) << "two rules, two ids of the chain";
  const auto refused = [&](const auto & spin) {
    try {
      spin();
      ADD_FAILURE() << "it ran";
    } catch (const ScheduleError & error) {
      for (const std::string & fault : sentences(faults)) {
        EXPECT_NE(std::string(error.what()).find(fault), std::string::npos) << error.what();
      }
    }
  };
  refused([&] { e.spin(); });
  refused([&] { e.spin_once(1ms); });
  refused([&] { e.spin_some(); });
  EXPECT_EQ(runs, 0) << "the gate stayed closed";
  // The callback of a rule may come later. After the executor has started, removals and additions
  // do not matter.
  auto timer = n->create_wall_timer(5ms, [&] {
    if (runs > 0) {
      e.cancel();
    }
  });
  auto sub = n->create_subscription<Number>("/numbers", QoS(1), [](const Number &) {});
  EXPECT_EQ(e.schedule_faults(), takt_rt::Faults{});
  e.spin();
}

TEST_F(Scheduled, StrictCountsThreadsOfTheProcessToo)
{
  const auto schedule = parse(R"yaml(
version: 1
strict: true
executors:
  main:
    threads: {one: {}}
    default: one
    process_threads:
      - {match: "nobody.*", nice: 19}
)yaml");
  auto e = Executor::from_schedule(context, schedule, "main");
  auto n = node("n");
  e.add_node(n);
  ASSERT_EQ(e.schedule_faults().size(), 1u);
  EXPECT_NE(
    to_string(e.schedule_faults()[0]).find("'nobody.*' matches no thread"), std::string::npos);
  EXPECT_THROW(e.spin(), ScheduleError);
}

TEST_F(Scheduled, ThreadsOfTheMiddlewareGetTheirAttributes)
{
  const auto schedule = parse(R"yaml(
version: 1
executors:
  main:
    threads:
      one: {}
    default: one
    process_threads:
      - match: "dds.ev.*"
        policy: batch
)yaml");
  auto e = Executor::from_schedule(context, schedule, "main");
  auto n = node("n");
  e.add_node(n);
  // A middleware thread sets its own name some time after its creation. So each new entity makes
  // takt check all threads.
  Publisher<Number>::SharedPtr pub;
  EXPECT_TRUE(wait_until([&] {
    pub = n->create_publisher<Number>("numbers", QoS(1));
    return e.schedule_warnings().empty();
  }));
  for (const std::string & warning : sentences(e.schedule_warnings())) {
    ADD_FAILURE() << warning;
  }
}

// On a busy machine a thread of the middleware may name itself after the last entity was made.
TEST_F(Scheduled, ThreadsThatNameThemselvesLateGetTheirAttributesAtTheSpin)
{
  const auto schedule = parse(R"yaml(
version: 1
executors:
  main:
    threads:
      one: {}
    default: one
    process_threads:
      - match: "late.*"
        policy: batch
)yaml");
  auto e = Executor::from_schedule(context, schedule, "main");
  auto n = node("n");
  e.add_node(n);
  std::atomic<pid_t> tid{0};
  std::atomic<bool> ends{false};
  std::thread late([&] {
    ::prctl(PR_SET_NAME, "late.0");
    tid = ::gettid();
    ends.wait(false);
  });
  ASSERT_TRUE(wait_until([&] { return tid != 0; }));
  auto timer = n->create_wall_timer(1ms, [&] { e.cancel(); });
  EXPECT_EQ(::sched_getscheduler(tid), SCHED_OTHER);
  e.spin();
  EXPECT_EQ(::sched_getscheduler(tid), SCHED_BATCH);
  ends = true;
  ends.notify_all();
  late.join();
}

class RefusingPlacer : public takt_core::adapter::Placer
{
public:
  takt_rt::Result<takt_core::adapter::CallbackSettings> place(
    const std::string &, takt_core::Kind, const std::string &) override
  {
    return takt_core::adapter::CallbackSettings{};
  }
  takt_rt::Status entity_made() override
  {
    return takt_rt::Faults{"threads of the middleware cannot be set"};
  }
  takt_rt::Faults faults() override { return {}; }
  takt_rt::Faults warnings() const override { return {}; }
  std::vector<std::string> defaulted() const override { return {}; }
  void started() noexcept override {}
};

// The check after all callbacks were added is the last one that can fail.
TEST_F(Scheduled, ARefusalAtTheEndOfAddNodeUndoesIt)
{
  auto core = takt_core::Executor::create();
  ASSERT_TRUE(core.ok());
  auto refusing = Engine::create(
    context, takt_host::HostedExecutor::of_placer(
               {}, std::move(core.value()), std::make_unique<RefusingPlacer>(), "refusing"));
  ParameterMap overrides;
  auto state = std::make_shared<NodeState>("n", "", options(), overrides);
  auto guard = std::make_shared<GuardCondition>(
    state, [] {}, GuardConditionOptions());
  state->adopt(guard);
  EXPECT_THROW(refusing->add(state), Error);
  EXPECT_EQ(guard->number(), 0u);
  EXPECT_TRUE(refusing->core().scheduler().callbacks().empty());
  EXPECT_THROW(refusing->remove(*state), Error);
  EXPECT_THROW(refusing->add(state, state->default_group()), Error);
  EXPECT_EQ(guard->number(), 0u);

  auto another = takt_core::Executor::create();
  ASSERT_TRUE(another.ok());
  auto willing = Engine::create(
    context,
    takt_host::HostedExecutor::of_placer({}, std::move(another.value()), nullptr, "willing"));
  willing->add(state);
  EXPECT_NE(guard->number(), 0u);
  willing->close();
}

}  // namespace takt_rcl::test
