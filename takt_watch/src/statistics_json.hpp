// Makes the answer to a request for statistics: all figures of the executors, callbacks and chains
// of this process.
//
// Any thread; may block as set-up of the executors does; allocates.
#ifndef TAKT_WATCH__SRC__STATISTICS_JSON_HPP_
#define TAKT_WATCH__SRC__STATISTICS_JSON_HPP_

#include <memory>
#include <string>
#include <vector>

#include "alarms/alarm_history.hpp"
#include "executor_watch.hpp"
#include "takt_rt/time.hpp"

namespace takt_watch
{

struct ProcessStatistics
{
  takt_rt::Time since{};  ///< the time when watching began
  AlarmHistory::Counts alarms{};
  std::vector<AlarmHistory::Active> active{};
};

std::string statistics_json(
  const ProcessStatistics & process, const std::vector<std::shared_ptr<ExecutorWatch>> & executors);

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__STATISTICS_JSON_HPP_
