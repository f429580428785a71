#include "states/callback_states.hpp"

#include <algorithm>

#include "saturating.hpp"

namespace takt_trace::detail
{

std::map<std::uint32_t, std::vector<PlacedState>> callback_states(const ProcessTrace & process)
{
  std::map<std::uint32_t, std::vector<PlacedState>> all;
  for (std::size_t thread = 0; thread < process.threads.size(); ++thread) {
    for (const Record & record : process.threads[thread].records) {
      if (record.kind == RecordKind::callback_state) {
        all[record.id].push_back({thread, record.time, record.a, record.b, record.c});
      }
    }
  }
  for (auto & [callback, states] : all) {
    std::stable_sort(
      states.begin(), states.end(),
      [](const PlacedState & a, const PlacedState & b) { return a.time < b.time; });
    for (std::size_t i = 1; i < states.size(); ++i) {
      const std::int64_t more =
        saturating_subtract(states[i].overwritten, states[i - 1].overwritten);
      states[i].newly_overwritten = std::max<std::int64_t>(more, 0);
    }
  }
  return all;
}

}  // namespace takt_trace::detail
