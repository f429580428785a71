// Counts a subscriber's missed messages by gaps in the sequences of its publishers.
#ifndef MISSED_MESSAGES_HPP_
#define MISSED_MESSAGES_HPP_

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>

namespace takt_channel
{

/// Remembers 64 publishers. With more, it forgets the publisher that has been silent for longest.
/// If a forgotten publisher publishes again, counting begins anew with that message: losses before
/// it are not counted. Real-time safe: fixed size, no allocation.
class MissedMessages
{
public:
  static constexpr std::size_t kPublishers = 64;

  /// Sets the first message that counts, of a publisher that came before the subscriber.
  void expect(std::uint64_t publisher, std::uint64_t next) noexcept
  {
    place(publisher, next).next = next;
  }

  /// Notes a taken message. Returns the number of the publisher's messages that were missed before
  /// it.
  std::uint64_t taken(std::uint64_t publisher, std::uint64_t sequence) noexcept
  {
    Place & one = place(publisher, sequence);
    // A late subscriber's history has messages from before its beginning.
    const std::uint64_t missed = sequence > one.next ? sequence - one.next : 0;
    if (sequence >= one.next) {
      one.next = sequence + 1;
    }
    all_ += missed;
    return missed;
  }

  /// The publisher's first message that neither was taken nor counts as missed. For a forgotten
  /// publisher: `current`.
  std::uint64_t next(std::uint64_t publisher, std::uint64_t current) const noexcept
  {
    for (const Place & one : places_) {
      if (one.publisher == publisher) {
        return one.next;
      }
    }
    return forgotten_.test(bit(publisher)) ? current : 0;
  }

  std::uint64_t all() const noexcept { return all_; }

private:
  struct Place
  {
    std::uint64_t publisher = 0;  // 0: free
    std::uint64_t next = 0;
    std::uint64_t used = 0;  // when its last message came
  };

  // The place of a publisher. For a new publisher counting begins at its message 0, so each message
  // counts. For a forgotten publisher counting begins at `current`.
  Place & place(std::uint64_t publisher, std::uint64_t current) noexcept
  {
    ++clock_;
    Place * silent = places_.data();
    for (Place & one : places_) {
      if (one.publisher == publisher) {
        one.used = clock_;
        return one;
      }
      if (one.used < silent->used) {
        silent = &one;
      }
    }
    if (silent->publisher != 0) {
      forgotten_.set(bit(silent->publisher));
    }
    *silent = {publisher, forgotten_.test(bit(publisher)) ? current : 0, clock_};
    return *silent;
  }

  // Numbers of publishers are random. A new publisher that has the bit of a forgotten one is
  // mistaken for the forgotten one.
  static constexpr std::size_t kBits = 4096;
  static std::size_t bit(std::uint64_t publisher) noexcept { return publisher % kBits; }

  std::array<Place, kPublishers> places_{};
  std::bitset<kBits> forgotten_;
  std::uint64_t clock_ = 0;
  std::uint64_t all_ = 0;
};

}  // namespace takt_channel

#endif  // MISSED_MESSAGES_HPP_
