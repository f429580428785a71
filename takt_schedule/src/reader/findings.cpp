#include "takt_schedule/reader/findings.hpp"

#include <algorithm>
#include <tuple>

namespace takt_schedule
{

void Findings::List::add(const Source & at, std::string what)
{
  ++count;
  std::string key = located("", at, what);
  if (known.contains(key)) {
    return;
  }
  if (kept.size() == kMostFindings) {
    ++left_out;
    return;
  }
  known.insert(std::move(key));
  kept.push_back({at, std::move(what)});
}

std::vector<std::string> Findings::sorted(const List & list, std::string_view kind) const
{
  std::vector<Finding> ordered = list.kept;
  std::stable_sort(ordered.begin(), ordered.end(), [](const Finding & a, const Finding & b) {
    return std::tie(a.at.line, a.at.column) < std::tie(b.at.line, b.at.column);
  });
  std::vector<std::string> result;
  for (const Finding & finding : ordered) {
    result.push_back(located(file_, finding.at, finding.what));
  }
  if (list.left_out > 0) {
    result.push_back(
      file_ + ": " + std::to_string(list.left_out) + " more " + std::string(kind) +
      (list.left_out == 1 ? "" : "s") + "; mend these first");
  }
  return result;
}

}  // namespace takt_schedule
