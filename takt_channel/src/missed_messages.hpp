// Counts a subscriber's missed messages by gaps in the sequences of its publishers.
#ifndef MISSED_MESSAGES_HPP_
#define MISSED_MESSAGES_HPP_

#include <array>
#include <cstddef>
#include <cstdint>

namespace takt_channel
{

/// Real-time safe: fixed size, no allocation.
class MissedMessages
{
public:
  /// The next message that the subscriber may expect of a publisher that was there before it.
  void expect(std::uint64_t publisher, std::uint64_t next) noexcept
  {
    place(publisher).next = next;
  }

  /// Notes a taken message; returns how many of the same publisher were missed before it.
  std::uint64_t taken(std::uint64_t publisher, std::uint64_t sequence) noexcept
  {
    Place & one = place(publisher);
    // Of its history a late subscriber gets messages from before its beginning.
    const std::uint64_t missed = sequence > one.next ? sequence - one.next : 0;
    if (sequence >= one.next) {
      one.next = sequence + 1;
    }
    all_ += missed;
    return missed;
  }

  std::uint64_t all() const noexcept { return all_; }

private:
  struct Place
  {
    std::uint64_t publisher = 0;
    std::uint64_t next = 0;
  };

  // Of a publisher that came later than the subscriber every message counts: it begins at 0.
  Place & place(std::uint64_t publisher) noexcept
  {
    for (Place & one : places_) {
      if (one.publisher == publisher) {
        return one;
      }
    }
    Place & oldest = places_[oldest_++ % places_.size()];
    oldest = {publisher, 0};
    return oldest;
  }

  std::array<Place, 64> places_{};
  std::size_t oldest_ = 0;
  std::uint64_t all_ = 0;
};

}  // namespace takt_channel

#endif  // MISSED_MESSAGES_HPP_
