// What a measurement found, as JSON for programs. Set-up only.
#ifndef TAKT_BENCH__SRC__LATENCY__REPORT_HPP_
#define TAKT_BENCH__SRC__LATENCY__REPORT_HPP_

#include <nlohmann/json.hpp>

#include "latency/measurement.hpp"

namespace takt_bench::latency
{

/// One document of a measurement that is done. Times are in ns. Each cycle counts in one of two histograms:
/// `ordinary`, or `held_up` for cycles that no thread of this machine made late.
nlohmann::ordered_json report(const Measurement & all);

/// One line of progress, with an end of line.
std::string progress_line(const Progress & progress, const Setting & setting);

/// Everything that the kernel refused, each sentence once.
std::vector<std::string> refusals(const Measurement & all);

}  // namespace takt_bench::latency

#endif  // TAKT_BENCH__SRC__LATENCY__REPORT_HPP_
