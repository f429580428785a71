#include "findings.hpp"

#include <algorithm>
#include <tuple>

namespace takt_schedule::detail
{

std::vector<std::string> Findings::sorted(const std::vector<Finding> & findings) const
{
  std::vector<Finding> ordered = findings;
  std::stable_sort(ordered.begin(), ordered.end(), [](const Finding & a, const Finding & b) {
    return std::tie(a.at.line, a.at.column) < std::tie(b.at.line, b.at.column);
  });
  std::vector<std::string> result;
  for (const Finding & finding : ordered) {
    std::string text = located(file_, finding.at, finding.what);
    if (std::find(result.begin(), result.end(), text) == result.end()) {
      result.push_back(std::move(text));
    }
  }
  return result;
}

}  // namespace takt_schedule::detail
