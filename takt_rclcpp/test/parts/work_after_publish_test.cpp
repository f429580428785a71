// How long a run works on after its publishes, by a clock of the test.
#include "adopt/observe/work_after_publish.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "takt_core/callback.hpp"
#include "takt_core/executor.hpp"
#include "takt_core/scheduler.hpp"

namespace takt_rclcpp
{
namespace
{

using std::chrono::microseconds;

takt_rt::Duration g_cpu_time{};
takt_rt::Duration cpu_time() noexcept
{
  return g_cpu_time;
}

void work(int us)
{
  g_cpu_time += microseconds(us);
}

// Of a publish that itself takes 7 us.
void publish()
{
  WorkAfterPublish::publish_begins();
  work(7);
  WorkAfterPublish::publish_ends();
}

struct Runs : takt_core::Callback
{
  explicit Runs(std::function<void()> what)
  : Callback([] {
      takt_core::CallbackOptions options;
      options.id = "/talks:waitable(it)";
      return options;
    }()),
    function(std::move(what))
  {
  }
  void run(const takt_core::Run & run) override
  {
    function();
    after = WorkAfterPublish::ends(run);
  }

  const std::function<void()> function;
  std::optional<takt_rt::Duration> after;
};

// The work that is measured in a run of `function`; absent: none is.
std::optional<takt_rt::Duration> after_publish(std::function<void()> function)
{
  WorkAfterPublish::measure(cpu_time);
  auto executor = *takt_core::Executor::create();
  const auto callback = std::make_shared<Runs>(std::move(function));
  EXPECT_TRUE(executor->add(callback).ok());
  executor->scheduler().ready(*callback, 1, takt_rt::now());
  std::size_t ran = 0;
  EXPECT_TRUE(executor->spin_some(takt_rt::Duration::zero(), &ran).ok());
  EXPECT_EQ(ran, 1U);
  return callback->after;
}

TEST(WorkAfterPublish, does_not_count_the_publish_and_the_work_before_it)
{
  const auto after = after_publish([] {
    work(500);
    publish();
  });
  EXPECT_EQ(after, microseconds(0));
}

TEST(WorkAfterPublish, counts_from_the_first_publish_on_but_not_the_publishes)
{
  const auto after = after_publish([] {
    work(500);
    publish();
    work(20);
    publish();
    WorkAfterPublish::published_within_process();
    work(3);
  });
  EXPECT_EQ(after, microseconds(23));
}

TEST(WorkAfterPublish, counts_a_publish_within_a_publish_as_one)
{
  const auto after = after_publish([] {
    WorkAfterPublish::publish_begins();
    work(100);  // of a listener
    publish();
    work(100);
    WorkAfterPublish::publish_ends();
    work(4);
  });
  EXPECT_EQ(after, microseconds(4));
}

TEST(WorkAfterPublish, is_absent_of_a_run_that_does_not_publish)
{
  EXPECT_FALSE(after_publish([] { work(500); }));
  publish();  // outside of runs
  EXPECT_FALSE(after_publish([] { work(500); }));
}

TEST(WorkAfterPublish, is_absent_where_nothing_is_measured)
{
  EXPECT_FALSE(after_publish([] {
    WorkAfterPublish::measure(nullptr);
    publish();
  }));
}

}  // namespace
}  // namespace takt_rclcpp
