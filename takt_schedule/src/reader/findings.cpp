#include "takt_schedule/reader/findings.hpp"

#include <algorithm>
#include <tuple>

namespace takt_schedule
{

void Findings::List::add(const Source & at, takt_rt::Fault what)
{
  ++count;
  takt_rt::Fault found = located({}, at, std::move(what));
  std::string key =
    std::to_string(at.line) + ":" + std::to_string(at.column) + ":" + to_string(found);
  if (known.contains(key)) {
    return;
  }
  if (kept.size() == kMostFindings) {
    ++left_out;
    return;
  }
  known.insert(std::move(key));
  kept.push_back(std::move(found));
}

takt_rt::Faults Findings::sorted(const List & list, std::string_view kind) const
{
  takt_rt::Faults result = list.kept;
  std::stable_sort(
    result.begin(), result.end(), [](const takt_rt::Fault & a, const takt_rt::Fault & b) {
      return std::tie(a.line, a.column) < std::tie(b.line, b.column);
    });
  for (takt_rt::Fault & finding : result) {
    finding.file = file_;
  }
  if (list.left_out > 0) {
    result.emplace_back(
      std::to_string(list.left_out) + " more " + std::string(kind) +
      (list.left_out == 1 ? "" : "s") + "; fix these first");
    result.back().file = file_;
  }
  return result;
}

}  // namespace takt_schedule
