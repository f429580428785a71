// How long the run in progress on a thread works on after it has published, in CPU time of the
// thread. The time of the publishes themselves does not count.
//
// For `takt model -- PROGRAM`: a callback that publishes right before it returns may have
// `publishes_last` in a schedule. Measures only after `measure`; until then the functions do
// nothing. A publish in a nested spin ends the measurement of the outer run, which then has none.
#ifndef ADOPT__OBSERVE__WORK_AFTER_PUBLISH_HPP_
#define ADOPT__OBSERVE__WORK_AFTER_PUBLISH_HPP_

#include <cstdint>
#include <optional>

#include "takt_core/callback.hpp"
#include "takt_rt/thread_cpu_time.hpp"
#include "takt_rt/time.hpp"

namespace takt_rclcpp
{

class WorkAfterPublish
{
public:
  using Clock = takt_rt::Duration (*)() noexcept;

  /// Measures from here on, in all executors of the process. `clock`: the CPU time of the calling
  /// thread; tests have one of their own. Any thread.
  static void measure(Clock clock = takt_rt::thread_cpu_time) noexcept;

  // ---- real-time safe; two looks at the thread's CPU clock for a publish ----

  /// The calling thread begins a publish. Publishes nest: a listener may publish inside a publish.
  static void publish_begins() noexcept;
  static void publish_ends() noexcept;
  /// A message within the process, of which takt learns while it is published.
  static void published_within_process() noexcept;
  /// `run` of the calling thread ends. Absent: it published nothing, or was not measured.
  static std::optional<takt_rt::Duration> ends(const takt_core::Run & run) noexcept;
};

}  // namespace takt_rclcpp

#endif  // ADOPT__OBSERVE__WORK_AFTER_PUBLISH_HPP_
