#include "timeline/lanes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

namespace takt_trace::detail
{

std::vector<LongVector<Slice>> lanes_of(LongVector<Slice> slices)
{
  slices.sort([](const Slice & a, const Slice & b) {
    return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
  });
  using Busy = std::pair<std::int64_t, std::size_t>;  // end, lane
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy;
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> free;
  std::vector<LongVector<Slice>> lanes;
  for (const Slice slice : slices) {
    while (!busy.empty() && busy.top().first <= slice.begin) {
      free.push(busy.top().second);
      busy.pop();
    }
    if (free.empty()) {
      free.push(lanes.size());
      lanes.emplace_back();
    }
    const std::size_t lane = free.top();
    free.pop();
    busy.emplace(slice.end, lane);
    lanes[lane].push_back(slice);
  }
  return lanes;
}

}  // namespace takt_trace::detail
