// The results of a measurement as JSON. Set-up only.
#ifndef TAKT_BENCH__SRC__LATENCY__REPORT_HPP_
#define TAKT_BENCH__SRC__LATENCY__REPORT_HPP_

#include <nlohmann/json.hpp>

#include "latency/measurement.hpp"

namespace takt_bench::latency
{

/// The document of a measurement that is done. Times are in ns. Each cycle counts in one of two
/// histograms: `held_up` for late cycles that no thread of this machine caused, `ordinary` for all
/// others.
nlohmann::ordered_json report(const Measurement & all);

/// One line of progress, with a line end.
std::string progress_line(const Progress & progress, const Setting & setting);

/// The sentences of all refusals of the kernel, each once.
std::vector<std::string> refusals(const Measurement & all);

}  // namespace takt_bench::latency

#endif  // TAKT_BENCH__SRC__LATENCY__REPORT_HPP_
