#include "run_pairs.hpp"

#include <cstdint>
#include <unordered_map>

namespace takt_trace::detail
{

std::vector<std::size_t> pair_runs(const std::vector<Record> & records)
{
  std::vector<std::size_t> others(records.size(), kNoRecord);
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> started;  // by callback, latest last
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (records[i].kind == RecordKind::run_start) {
      started[records[i].id].push_back(i);
    } else if (records[i].kind == RecordKind::run_end) {
      // Starts after the first one are of runs inside this run whose ends are lost.
      std::vector<std::size_t> & starts = started[records[i].id];
      std::size_t first = kNoRecord;
      while (!starts.empty() && records[starts.back()].time >= records[i].a) {
        first = starts.back();
        starts.pop_back();
      }
      if (first != kNoRecord) {
        others[first] = i;
        others[i] = first;
      }
    }
  }
  return others;
}

}  // namespace takt_trace::detail
