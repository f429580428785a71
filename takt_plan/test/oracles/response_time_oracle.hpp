// Reads the answers of the response-time-analysis crate (oracles/response_time_oracle/README.md).
#ifndef TAKT_PLAN__TEST__ORACLES__RESPONSE_TIME_ORACLE_HPP_
#define TAKT_PLAN__TEST__ORACLES__RESPONSE_TIME_ORACLE_HPP_

#include <cstddef>
#include <vector>

#include "takt_plan/executor_bounds.hpp"

namespace takt_plan::test
{

/// An executor, and the crate's answers; kUnbounded: none below the limit.
struct OracleSystem
{
  Supply supply = Supply::dedicated();
  bool reserved = false;
  std::vector<ExecutorTask> tasks;
  std::vector<Ns> event_source, timer, blocked_timer, polled;  // ECRTS 2019, one per task
  std::vector<std::size_t> chain;
  Ns chain_bound = 0;
  std::vector<Ns> round_robin, busy_window;  // RTSS 2021, one per task
  std::vector<std::size_t> run;
  Ns round_robin_run = 0, busy_window_run = 0;
};

struct Oracle
{
  Ns limit = 0;  ///< for each search
  std::vector<OracleSystem> systems;
};

/// Throws if the file cannot be read.
Oracle read_oracle();

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__ORACLES__RESPONSE_TIME_ORACLE_HPP_
