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
  std::size_t here = 0;  // where the findings of this position begin
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    const Source & at = ordered[i].at;
    if (i > 0 && (ordered[i - 1].at.line != at.line || ordered[i - 1].at.column != at.column)) {
      here = result.size();
    }
    std::string text = located(file_, at, ordered[i].what);
    const auto begin = result.begin() + static_cast<std::ptrdiff_t>(here);
    if (std::find(begin, result.end(), text) == result.end()) {
      result.push_back(std::move(text));
    }
  }
  return result;
}

}  // namespace takt_schedule::detail
