// For callbacks whose arrival ring is shorter than their history: what they know better.
#ifndef TAKT_CORE__ADAPTER__MESSAGE_COUNTER_HPP_
#define TAKT_CORE__ADAPTER__MESSAGE_COUNTER_HPP_

#include <cstdint>
#include <optional>

namespace takt_core::adapter
{

struct MessageCounts
{
  std::uint64_t waiting = 0;      ///< announced and not yet taken, at most the history
  std::uint64_t overwritten = 0;  ///< lost to the history before they were taken
  std::uint32_t history = 1;      ///< messages that the middleware keeps for it
  /// All that came; absent: as `Callback::arrivals` says, which also counts what was announced again.
  std::optional<std::uint64_t> arrivals{};
};

/// A callback may be one, too. Whoever watches callbacks asks it instead of `Callback::backlog`, `overwritten`,
/// `depth` and `arrivals`.
class MessageCounter
{
public:
  /// Any thread. Real-time safe.
  virtual MessageCounts message_counts() const noexcept = 0;

protected:
  ~MessageCounter() = default;
};

}  // namespace takt_core::adapter

#endif  // TAKT_CORE__ADAPTER__MESSAGE_COUNTER_HPP_
