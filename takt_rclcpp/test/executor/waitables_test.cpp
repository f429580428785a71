// Waitables that programs write, on takt_rclcpp::Executor: they run when a wait set would find them
// ready.
#include <gtest/gtest.h>

#include <thread>

#include "takt_rclcpp/executor.hpp"
#include "work.hpp"

namespace
{

using namespace std::chrono_literals;
using takt_rclcpp::Executor;

class Waitables : public testing::TestWithParam<std::size_t>
{
protected:
  static void SetUpTestSuite() { rclcpp::init(0, nullptr); }
  static void TearDownTestSuite() { rclcpp::shutdown(); }

  Executor executor{rclcpp::ExecutorOptions(), "", "", GetParam()};

  static std::shared_ptr<Work> work(Work::Announces announces)
  {
    auto made = std::make_shared<Work>();
    made->announces = announces;
    return made;
  }
  // Adds only the worker's group, without the other groups of its node.
  void add(const Worker & worker)
  {
    executor.add_callback_group(worker.group, worker.node->get_node_base_interface());
  }
  // During a spin gives `count` pieces of work one after the other, and then ends the spin.
  void give_while_it_spins(Work & work, int count)
  {
    std::thread other([&] {
      while (!executor.is_spinning()) {
        std::this_thread::yield();
      }
      for (int i = 0; i < count; ++i) {
        const int before = work.ran();
        work.give();
        while (work.ran() == before) {
          std::this_thread::sleep_for(100us);
        }
      }
      executor.cancel();
    });
    executor.spin();
    other.join();
  }
};

INSTANTIATE_TEST_SUITE_P(Threads, Waitables, testing::Values(1, 3));

TEST_P(Waitables, run_as_often_as_they_are_ready_and_not_as_often_as_they_are_triggered)
{
  const Worker one("one");
  one.work->give();
  one.work->give(0);
  one.work->give(0);
  one.work->then = [&, more = 2]() mutable {
    if (more-- > 0) {
      one.work->give();
      one.work->give(0);
    }
  };
  add(one);
  executor.spin_some();
  EXPECT_EQ(one.work->ran(), 1);
  executor.spin_all(10s);
  EXPECT_EQ(one.work->ran(), 3);
  give_while_it_spins(*one.work, 20);
  EXPECT_EQ(one.work->ran(), 23);
  EXPECT_EQ(one.work->waiting(), 0);
}

TEST_P(Waitables, that_cannot_announce_are_waited_for)
{
  for (const auto announces : {Work::Announces::no, Work::Announces::throwing}) {
    const Worker one("one", work(announces));
    add(one);
    for (int i = 0; i < 20; ++i) {
      one.work->give();
      executor.spin_some();
      EXPECT_EQ(one.work->ran(), 4 * i + 1);
      one.work->give();
      executor.spin_once(0ms);
      EXPECT_EQ(one.work->ran(), 4 * i + 2);
      one.work->give(2);
      executor.spin_all(10s);
      EXPECT_EQ(one.work->ran(), 4 * i + 4);
    }
    const int before = one.work->ran();
    give_while_it_spins(*one.work, 20);
    EXPECT_EQ(one.work->ran(), before + 20);
    executor.remove_callback_group(one.group);
  }
}

TEST_P(Waitables, may_keep_the_wait_set_to_which_they_were_added)
{
  for (const auto announces : {Work::Announces::yes, Work::Announces::no}) {
    const Worker one("one", work(announces));
    one.work->added_by_condition = true;
    add(one);
    one.work->give();
    executor.spin_some();
    give_while_it_spins(*one.work, 20);
    give_while_it_spins(*one.work, 20);
    EXPECT_EQ(one.work->ran(), 41);
    executor.remove_callback_group(one.group);
  }
}

TEST_P(Waitables, that_are_ready_whenever_they_are_asked_run_when_something_woke_them)
{
  for (const auto announces : {Work::Announces::yes, Work::Announces::no}) {
    const Worker one("one", work(announces));
    one.work->ready_whenever_asked = true;
    one.work->give();
    add(one);
    executor.spin_all(10s);
    give_while_it_spins(*one.work, 20);
    EXPECT_GE(one.work->ran(), 21);
    EXPECT_LE(one.work->ran(), 2 * 21 + 1);
    executor.remove_callback_group(one.group);
  }
}

TEST_P(Waitables, that_cannot_be_in_a_wait_set_run_once_for_each_event)
{
  const Worker one("one");
  one.work->only_events = true;
  one.work->give();
  one.work->give();
  add(one);
  executor.spin_all(10s);
  EXPECT_EQ(one.work->ran(), 2);
  give_while_it_spins(*one.work, 20);
  EXPECT_EQ(one.work->ran(), 22);
}

TEST_P(Waitables, and_timers_on_ros_time_that_are_due_run_in_the_first_spin_some)
{
  for (int i = 0; i < 20; ++i) {
    Executor fresh(rclcpp::ExecutorOptions(), "", "", GetParam());
    auto node = std::make_shared<rclcpp::Node>("timed");
    int fired = 0;
    auto timer = node->create_timer(1ms, [&] { ++fired; });
    fresh.add_node(node);
    std::this_thread::sleep_for(3ms);
    fresh.spin_some();
    EXPECT_EQ(fired, 1);
  }
}

}  // namespace
