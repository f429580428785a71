// The report of `takt exec` as an observer of benchmarks. Its recorder is of takt_rclcpp, so it
// exists only where the build found rclcpp.
#ifndef TAKT_BENCH__SINKS__REPORT_HPP_
#define TAKT_BENCH__SINKS__REPORT_HPP_

#include <memory>

#include "takt_core/callback.hpp"
#include "takt_core/observer.hpp"

namespace takt_bench
{

/// The recorder of a report, which also requests CPU times. Null: the build did not find rclcpp.
std::shared_ptr<takt_core::Observer> report_recorder();

/// A callback that does nothing, of the kind that the recorder reports.
std::shared_ptr<takt_core::Callback> empty_callback(takt_core::CallbackOptions options);

}  // namespace takt_bench

#endif  // TAKT_BENCH__SINKS__REPORT_HPP_
