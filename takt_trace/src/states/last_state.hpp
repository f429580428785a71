// Detects whether a callback's state has changed since its last start in the same recording.
#ifndef TAKT_TRACE__SRC__STATES__LAST_STATE_HPP_
#define TAKT_TRACE__SRC__STATES__LAST_STATE_HPP_

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace takt_trace::detail
{

/// The state as in a record of kind callback_state.
struct CallbackState
{
  std::uint64_t waiting = 0;
  int priority = 0;  ///< 0 to 255
  std::uint64_t overwritten = 0;
};

class LastState
{
public:
  /// True if it changed, and at the first start in a recording. Simultaneous starts on several
  /// threads may all return true. Real-time safe.
  bool changes(std::uint32_t recording, const CallbackState & state) noexcept
  {
    const std::uint64_t now = word(recording, state);
    if (last_.load(std::memory_order_relaxed) == now) {
      return false;
    }
    last_.store(now, std::memory_order_relaxed);
    return true;
  }

  /// Call it before the slot gets another callback. Set-up only.
  void forget() noexcept { last_.store(0, std::memory_order_relaxed); }

private:
  // 16 bits each for the recording, never 0, and for the waiting messages; 8 for the priority; 24
  // for the lowest bits of the overwritten messages, which are enough to see a change.
  static constexpr std::uint64_t word(std::uint32_t recording, const CallbackState & state) noexcept
  {
    constexpr std::uint64_t kMost = 0xffff;
    const auto priority = static_cast<std::uint64_t>(std::clamp(state.priority, 0, 0xff));
    return (recording % kMost + 1) << 48 | std::min(state.waiting, kMost) << 32 | priority << 24 |
           (state.overwritten & 0xffffff);
  }

  std::atomic<std::uint64_t> last_{0};
};

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__STATES__LAST_STATE_HPP_
