#include "adopt/observe/work_after_publish.hpp"

#include <atomic>

#include "takt_core/executor.hpp"
#include "takt_rt/thread_cpu_time.hpp"

namespace takt_rclcpp
{
namespace
{

std::atomic<bool> g_measures{false};

struct Work
{
  const takt_core::Run * run;  // the run that published last on this thread; null: none
  takt_rt::Duration since;     // CPU time of the thread at the end of its last publish
  takt_rt::Duration sum;
  unsigned depth;  // of publishes in progress
};
constinit thread_local Work t_work{};

bool measures() noexcept
{
  return g_measures.load(std::memory_order_relaxed);
}

}  // namespace

void WorkAfterPublish::measure() noexcept
{
  g_measures.store(true, std::memory_order_relaxed);
}

void WorkAfterPublish::publish_begins() noexcept
{
  if (!measures() || t_work.depth++ > 0) {
    return;
  }
  const takt_core::Run * const run = takt_core::current_run();
  if (run != nullptr && t_work.run == run) {
    t_work.sum += takt_rt::thread_cpu_time() - t_work.since;
  } else {
    t_work.run = run;
    t_work.sum = {};
  }
}

void WorkAfterPublish::publish_ends() noexcept
{
  // Measuring may have begun within a publish.
  if (!measures() || t_work.depth == 0 || --t_work.depth > 0 || t_work.run == nullptr) {
    return;
  }
  t_work.since = takt_rt::thread_cpu_time();
}

void WorkAfterPublish::published_within_process() noexcept
{
  publish_begins();
  publish_ends();
}

std::optional<takt_rt::Duration> WorkAfterPublish::ends(const takt_core::Run & run) noexcept
{
  if (!measures() || t_work.run != &run) {
    return std::nullopt;
  }
  t_work.run = nullptr;
  return t_work.sum + (takt_rt::thread_cpu_time() - t_work.since);
}

}  // namespace takt_rclcpp
