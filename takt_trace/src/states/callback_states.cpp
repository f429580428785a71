#include "states/callback_states.hpp"

#include <algorithm>
#include <tuple>

#include "saturating.hpp"

namespace takt_trace::detail
{

LongVector<PlacedState> callback_states(const LongTrace & process)
{
  LongVector<PlacedState> states;
  for (std::size_t thread = 0; thread < process.threads.size(); ++thread) {
    for (const Record & record : process.threads[thread].records) {
      if (record.kind == RecordKind::callback_state) {
        states.push_back({record.id, thread, record.time, record.a, record.b, record.c, 0});
      }
    }
  }
  states.sort([](const PlacedState & a, const PlacedState & b) {
    return std::tie(a.callback, a.time) < std::tie(b.callback, b.time);
  });
  for (std::size_t i = 1; i < states.size(); ++i) {
    const PlacedState before = states[i - 1];
    PlacedState state = states[i];
    if (state.callback == before.callback) {
      const std::int64_t more = saturating_subtract(state.overwritten, before.overwritten);
      state.newly_overwritten = std::max<std::int64_t>(more, 0);
      states.set(i, state);
    }
  }
  return states;
}

}  // namespace takt_trace::detail
