// Counts messages that were lost on their way, from gaps in publication sequence numbers.
//
// A KEEP_LAST history that overwrites a message before it was taken raises no status in any
// middleware; the gap it leaves is the one way to see it. The first message from a publisher only
// sets the beginning. A message that arrives late takes back the loss that was counted for it. A
// publisher that starts anew under its old gid is noticed at its second message.
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

class SequenceGaps
{
public:
  /// Publishers remembered at least. Of more than there is room for, the one not heard of for
  /// longest is forgotten: its next message sets a new beginning, and what was lost before that is
  /// not counted.
  static constexpr std::size_t kPublishers = 64;

  SequenceGaps();

  /// Makes room for twice as many publishers, so that some may come later. Set-up only: allocates;
  /// not while `note` runs.
  void expect(std::size_t publishers);

  enum class Noted : std::uint8_t
  {
    expected,         ///< nothing is missing before it
    missing,          ///< something is
    first,            ///< it is the first message of the first publisher
    first_of_another  ///< it is the first one of a publisher, and others had been heard of
  };
  /// Notes a taken message. One thread at a time. Real-time safe.
  Noted note(const Gid & publisher, std::uint64_t sequence) noexcept;

  /// Messages lost so far. Any thread. Real-time safe.
  std::uint64_t lost() const noexcept { return lost_.load(std::memory_order_relaxed); }

  /// How often a publisher was forgotten because there was no room. Any thread. Real-time safe.
  std::uint64_t forgotten() const noexcept { return forgotten_.load(std::memory_order_relaxed); }

private:
  struct Entry
  {
    Gid publisher{};
    std::uint64_t newest = 0;
    std::uint64_t seen = 0;     // bit i: newest - i arrived or was before the beginning
    std::uint64_t restart = 0;  // what would confirm that the publisher counts anew; 0: nothing
    std::uint64_t used = 0;     // when it was last heard of
  };

  static void begin(Entry & entry, std::uint64_t sequence) noexcept;
  Entry & find(const Gid & publisher, bool & known) noexcept;

  std::vector<Entry> entries_;  // never grows beyond its capacity outside of set-up
  std::uint64_t clock_ = 0;
  std::atomic<std::uint64_t> lost_{0};
  std::atomic<std::uint64_t> forgotten_{0};
};

}  // namespace takt_host

#endif  // TAKT_HOST__SEQUENCE_GAPS_HPP_
