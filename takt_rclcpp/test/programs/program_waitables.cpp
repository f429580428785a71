// Waitables that programs write, and how often they run.
#include <rclcpp/experimental/executors/events_executor/events_executor.hpp>
#include <thread>

#include "program.hpp"
#include "work.hpp"

namespace
{

using namespace std::chrono_literals;

void spin_with_work(rclcpp::Executor & executor, Work & work, int count)
{
  std::thread other([&] {
    while (!executor.is_spinning()) {
      std::this_thread::yield();
    }
    for (int i = 0; i <= count; ++i) {
      while (work.waiting() > 0) {
        std::this_thread::sleep_for(100us);
      }
      if (i < count) {
        work.give();
      }
    }
    executor.cancel();
  });
  executor.spin();
  other.join();
  say("ran " + std::to_string(work.ran()) + ", waiting " + std::to_string(work.waiting()));
}

template <typename Executor>
void work_between_and_in_spins(Work::Announces announces, bool added_by_condition)
{
  const Worker one("worker");
  one.work->announces = announces;
  one.work->added_by_condition = added_by_condition;
  Executor executor;
  executor.add_node(one.node);
  one.work->give();
  executor.spin_some();
  one.work->give();  // one piece of work that triggers three times
  one.work->give(0);
  one.work->give(0);
  for (int round = 0; round < 3; ++round) {
    spin_with_work(executor, *one.work, 10);
  }
}

template <typename Executor>
void work_of_each_kind()
{
  for (const auto announces :
       {Work::Announces::yes, Work::Announces::no, Work::Announces::throwing}) {
    for (const bool by_condition : {false, true}) {
      work_between_and_in_spins<Executor>(announces, by_condition);
    }
  }
}

// rclcpp's EventsExecutor runs the waitable once for each event.
void waitables_for_events()
{
  const Worker one("worker");
  rclcpp::experimental::executors::EventsExecutor executor;
  executor.add_node(one.node);
  one.work->give();
  executor.spin_some();
  for (int round = 0; round < 3; ++round) {
    spin_with_work(executor, *one.work, 10);
  }
}

// Under a single-threaded executor no function of the waitable runs beside a callback.
void waitables_beside_callbacks()
{
  const Worker one("worker");
  one.work->announces = Work::Announces::no;
  std::atomic<bool> inside{false};
  std::atomic<int> beside{0};
  one.work->when_asked = [&] { beside += inside ? 1 : 0; };
  int ran = 0;
  rclcpp::executors::SingleThreadedExecutor executor;
  auto timer = one.node->create_wall_timer(1ms, [&] {
    inside = true;
    one.work->give();
    std::this_thread::sleep_for(3ms);  // time enough for takt to ask the waitable
    inside = false;
    if (++ran == 20) {
      executor.cancel();
    }
  });
  executor.add_node(one.node);
  executor.spin();
  say("asked beside a callback: " + std::to_string(beside));
}

}  // namespace

Ways ways_of_waitables()
{
  return {
    {"waitables", work_of_each_kind<rclcpp::executors::SingleThreadedExecutor>},
    {"waitables_in_a_pool", work_of_each_kind<rclcpp::executors::MultiThreadedExecutor>},
    {"waitables_beside_callbacks", waitables_beside_callbacks},
    {"waitables_for_events", waitables_for_events}};
}
