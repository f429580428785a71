// The document of one run of an exercise. Set-up only: allocates.
#ifndef TAKT_BENCH__SRC__WORKSHOP__REPORT_HPP_
#define TAKT_BENCH__SRC__WORKSHOP__REPORT_HPP_

#include <nlohmann/json.hpp>
#include <string>

#include "workshop/found.hpp"
#include "workshop/setting.hpp"

namespace takt_bench::workshop
{

/// The document `workshop`. `trace`: path of the recorded trace, or empty.
nlohmann::ordered_json report(
  const Setting & setting, const Found & found, const std::string & trace);

}  // namespace takt_bench::workshop

#endif  // TAKT_BENCH__SRC__WORKSHOP__REPORT_HPP_
