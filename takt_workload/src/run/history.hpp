// The history in a message of the reference system: one entry for each node that the message
// passed.
//
// `Message4kb` and `Payload` have a history. `Int32` has none; these functions then do nothing. All
// functions are real-time safe.
#ifndef TAKT_WORKLOAD__SRC__RUN__HISTORY_HPP_
#define TAKT_WORKLOAD__SRC__RUN__HISTORY_HPP_

#include <algorithm>
#include <cstdint>
#include <std_msgs/msg/int32.hpp>
#include <string_view>

#include "takt_msgs/msg/message4kb.hpp"
#include "takt_msgs/msg/payload.hpp"
#include "takt_rt/time.hpp"

namespace takt_workload
{

using Entry = takt_msgs::msg::TransmissionStats;

template <typename Msg>
inline constexpr bool has_history = requires(Msg message)
{
  message.stats;
};

/// The name of a node in entries: without the leading slash, and cut to the size of the field.
inline std::string_view entry_name(std::string_view node) noexcept
{
  node.remove_prefix(node.starts_with('/') ? 1 : 0);
  return node.substr(0, Entry{}.node_name.size() - 1);
}

inline std::string_view name_of(const Entry & entry) noexcept
{
  const auto end = std::find(entry.node_name.begin(), entry.node_name.end(), 0);
  return {
    reinterpret_cast<const char *>(entry.node_name.data()),
    static_cast<std::size_t>(end - entry.node_name.begin())};
}

/// The number of entries in use: the message's number, but at most as many as fit.
template <typename Msg>
std::size_t used_entries(const Msg & message) noexcept
{
  return std::min<std::size_t>(message.size, message.stats.size());
}

/// The entry of `node`, or nullptr.
template <typename Msg>
const Entry * find_entry(const Msg & message, std::string_view node) noexcept
{
  for (std::size_t i = 0; i < used_entries(message); ++i) {
    if (name_of(message.stats[i]) == node) {
      return &message.stats[i];
    }
  }
  return nullptr;
}

template <typename Msg>
void clear_history(Msg & message) noexcept
{
  if constexpr (has_history<Msg>) {
    message.size = 0;
  }
}

/// Adds the entries of `from` for nodes that `message` does not have yet. If `message` is full, it
/// drops further entries without a report, as the reference system does.
template <typename Msg>
void merge_history(Msg & message, const Msg & from) noexcept
{
  if constexpr (has_history<Msg>) {
    const std::size_t before = used_entries(message);
    for (std::size_t i = 0; i < used_entries(from); ++i) {
      const auto same = [&](const Entry & entry) {
        return name_of(entry) == name_of(from.stats[i]);
      };
      const auto begin = message.stats.begin();
      if (
        message.size < message.stats.size() &&
        std::none_of(begin, begin + static_cast<std::ptrdiff_t>(before), same)) {
        message.stats[message.size++] = from.stats[i];
      }
    }
  }
}

/// Adds a node's own entry.
template <typename Msg>
void append_entry(
  Msg & message, std::string_view node, takt_rt::Time stamp, std::uint32_t sequence,
  std::uint32_t dropped) noexcept
{
  if constexpr (has_history<Msg>) {
    if (message.size < message.stats.size()) {
      Entry & entry = message.stats[message.size++];
      entry.timestamp = static_cast<std::uint64_t>(takt_rt::to_ns(stamp));
      entry.sequence_number = sequence;
      entry.dropped_samples = dropped;
      entry.node_name.fill(0);
      std::copy(node.begin(), node.end(), entry.node_name.begin());
    }
  }
}

/// Stores the result of the work, so that the compiler cannot remove the work.
template <typename Msg>
void store_result(Msg & message, std::uint64_t result) noexcept
{
  if constexpr (has_history<Msg>) {
    if (message.data.size() > 0) {
      using Value = typename std::decay_t<decltype(message.data)>::value_type;
      message.data[0] = static_cast<Value>(result);
    }
  } else {
    message.data = static_cast<std::int32_t>(result);
  }
}

/// Messages missed at one input, from the sequence numbers of the last entries.
class MissedSamples
{
public:
  template <typename Msg>
  std::uint32_t note(const Msg & message) noexcept
  {
    std::uint32_t missed = 0;
    if constexpr (has_history<Msg>) {
      if (const std::size_t used = used_entries(message); used > 0) {
        const std::uint32_t sequence = message.stats[used - 1].sequence_number;
        missed = sequence > last_ ? sequence - last_ - 1 : 0;
        last_ = sequence;
      }
    }
    return missed;
  }

private:
  std::uint32_t last_ = 0;
};

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SRC__RUN__HISTORY_HPP_
