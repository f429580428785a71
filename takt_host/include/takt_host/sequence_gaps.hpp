// Counts messages lost on their way, from gaps in publication sequence numbers.
//
// No middleware reports a message that a KEEP_LAST history overwrites before its take; only the gap
// in the sequence shows it. A publisher's first message sets the beginning. A late message takes
// back the loss that was counted for it. A publisher that restarts its count under its old gid is
// noticed at its second message.
#ifndef TAKT_HOST__SEQUENCE_GAPS_HPP_
#define TAKT_HOST__SEQUENCE_GAPS_HPP_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "takt_core/message_key.hpp"

namespace takt_host
{

using takt_core::Gid;

/// The gaps of one reader, over all publishers.
class SequenceGaps
{
public:
  /// The least number of publishers that are remembered. Beyond the capacity, the publisher that
  /// has been silent for longest is forgotten: its next message sets a new beginning, and losses
  /// before that are not counted.
  static constexpr std::size_t kPublishers = 64;

  /// Makes room for `kPublishers` publishers. Set-up only: allocates.
  SequenceGaps();

  /// Makes room for twice as many publishers, for later ones. Set-up only: allocates; not while
  /// `note` runs.
  void expect(std::size_t publishers);

  /// The result of `note`.
  enum class Noted : std::uint8_t
  {
    expected,         ///< no message is missing before it
    missing,          ///< messages are missing before it
    first,            ///< the first message of the first publisher
    first_of_another  ///< the first message of a further publisher
  };
  /// Notes a taken message. One thread at a time. Real-time safe.
  Noted note(const Gid & publisher, std::uint64_t sequence) noexcept;

  /// The number of messages lost so far. Any thread. Real-time safe.
  std::uint64_t lost() const noexcept { return lost_.load(std::memory_order_relaxed); }

  /// The number of publishers forgotten for lack of room. Any thread. Real-time safe.
  std::uint64_t forgotten() const noexcept { return forgotten_.load(std::memory_order_relaxed); }

private:
  struct Entry
  {
    Gid publisher{};
    std::uint64_t newest = 0;
    std::uint64_t seen = 0;     // bit i: newest - i arrived or was before the beginning
    std::uint64_t restart = 0;  // number that would confirm that the publisher counts anew; 0: none
    std::uint64_t used = 0;     // when its last message came
  };

  static void begin(Entry & entry, std::uint64_t sequence) noexcept;
  Entry & find(const Gid & publisher, bool & known) noexcept;

  std::vector<Entry> entries_;  // grows beyond its capacity only in set-up
  std::uint64_t clock_ = 0;
  std::atomic<std::uint64_t> lost_{0};
  std::atomic<std::uint64_t> forgotten_{0};
};

}  // namespace takt_host

#endif  // TAKT_HOST__SEQUENCE_GAPS_HPP_
