#include "takt_plan/analysis_kind.hpp"

namespace takt_plan
{

std::string_view to_string(Analysis analysis) noexcept
{
  switch (analysis) {
    case Analysis::priority:
      return "priority";
    case Analysis::window:
      return "window";
    case Analysis::pool:
      return "pool";
    case Analysis::deadline:
      return "deadline";
    case Analysis::jobs:
      return "jobs";
    case Analysis::several:
      break;
  }
  return "several";
}

}  // namespace takt_plan
