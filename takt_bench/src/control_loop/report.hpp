// The documents of the program takt_control_loop. Set-up only: allocates.
#ifndef TAKT_BENCH__SRC__CONTROL_LOOP__REPORT_HPP_
#define TAKT_BENCH__SRC__CONTROL_LOOP__REPORT_HPP_

#include <nlohmann/json.hpp>
#include <vector>

#include "control_loop/loop.hpp"
#include "takt_trace/stall_witness.hpp"

namespace takt_bench::control_loop
{

/// The document `control_loop`.
nlohmann::ordered_json loop_json(const LoopSetting & setting, const Found & found);

/// The document `host_stalls`: what a witness on `core` saw, whose threads have ended.
nlohmann::ordered_json stalls_json(
  int core, const takt_trace::StallWitness & witness,
  const std::vector<takt_trace::Stall> & stalls);

}  // namespace takt_bench::control_loop

#endif  // TAKT_BENCH__SRC__CONTROL_LOOP__REPORT_HPP_
