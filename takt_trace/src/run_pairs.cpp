#include "run_pairs.hpp"

#include <cstdint>
#include <unordered_map>

namespace takt_trace::detail
{

LongVector<std::size_t> pair_runs(const LongVector<Record> & records)
{
  LongVector<std::size_t> others(records.size(), kNoRecord);
  struct Start
  {
    std::size_t record = 0;
    std::int64_t time = 0;
  };
  std::unordered_map<std::uint32_t, LongVector<Start>> started;  // by callback, latest last
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Record record = records[i];
    if (record.kind == RecordKind::run_start) {
      started[record.id].push_back({i, record.time});
    } else if (record.kind == RecordKind::run_end) {
      // Later starts are of runs inside this run whose ends are lost.
      LongVector<Start> & starts = started[record.id];
      std::size_t first = kNoRecord;
      while (!starts.empty() && starts.back().time >= record.a) {
        first = starts.back().record;
        starts.pop_back();
      }
      if (first != kNoRecord) {
        others.set(first, i);
        others.set(i, first);
      }
    }
  }
  return others;
}

}  // namespace takt_trace::detail
