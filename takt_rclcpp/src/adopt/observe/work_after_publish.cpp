#include "adopt/observe/work_after_publish.hpp"

#include <atomic>

#include "takt_core/executor.hpp"

namespace takt_rclcpp
{
namespace
{

std::atomic<WorkAfterPublish::Clock> g_clock{nullptr};  // null: nothing is measured

struct Work
{
  const takt_core::Run * run;  // the run that published last on this thread; null: none
  takt_rt::Duration since;     // CPU time of the thread at the end of its last publish
  takt_rt::Duration sum;
  unsigned depth;  // of publishes in progress
};
constinit thread_local Work t_work{};

WorkAfterPublish::Clock clock() noexcept
{
  return g_clock.load(std::memory_order_relaxed);
}

}  // namespace

void WorkAfterPublish::measure(Clock clock) noexcept
{
  g_clock.store(clock, std::memory_order_relaxed);
}

void WorkAfterPublish::publish_begins() noexcept
{
  const Clock now = clock();
  if (now == nullptr || t_work.depth++ > 0) {
    return;
  }
  const takt_core::Run * const run = takt_core::current_run();
  if (run != nullptr && t_work.run == run) {
    t_work.sum += now() - t_work.since;
  } else {
    t_work.run = run;
    t_work.sum = {};
  }
}

void WorkAfterPublish::publish_ends() noexcept
{
  const Clock now = clock();
  // Measuring may have begun within a publish.
  if (now == nullptr || t_work.depth == 0 || --t_work.depth > 0 || t_work.run == nullptr) {
    return;
  }
  t_work.since = now();
}

void WorkAfterPublish::published_within_process() noexcept
{
  publish_begins();
  publish_ends();
}

std::optional<takt_rt::Duration> WorkAfterPublish::ends(const takt_core::Run & run) noexcept
{
  const Clock now = clock();
  if (now == nullptr || t_work.run != &run) {
    return std::nullopt;
  }
  t_work.run = nullptr;
  return t_work.sum + (now() - t_work.since);
}

}  // namespace takt_rclcpp
