// The options of one run of an exercise: takt_workshop's command line as a value. Set-up only.
#ifndef TAKT_BENCH__SRC__WORKSHOP__SETTING_HPP_
#define TAKT_BENCH__SRC__WORKSHOP__SETTING_HPP_

#include <string>
#include <string_view>
#include <vector>

#include "takt_rt/time.hpp"

namespace takt_bench::workshop
{

struct Setting
{
  std::string exercise{};
  std::string variant{};
  takt_rt::Duration duration = std::chrono::seconds(10);
  std::vector<int> cores{};
  bool stress = true;      ///< one busy thread of SCHED_OTHER on each core
  std::string schedule{};  ///< file; exercises 3-1 to 4-2
  /// Samples of this time after the start do not count: threads, middleware and caches begin.
  takt_rt::Duration warm_up = std::chrono::milliseconds(500);
};

/// The cyclic threads of exercises 1 to 2-3; their priority under SCHED_FIFO.
constexpr takt_rt::Duration kCyclePeriod = std::chrono::milliseconds(1);
constexpr int kCyclePriority = 80;
/// A wake-up that is later than this is looked at, as by `takt latency`: the host may have caused
/// it.
constexpr takt_rt::Duration kLate = std::chrono::microseconds(300);

/// The exercises with variants of their own; the others take a schedule file.
struct Exercise
{
  std::string_view name;
  std::vector<std::string_view> variants;  ///< empty: any name, of a schedule
};
const std::vector<Exercise> & exercises();

}  // namespace takt_bench::workshop

#endif  // TAKT_BENCH__SRC__WORKSHOP__SETTING_HPP_
