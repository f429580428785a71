// The page of a channel in shared memory: the words on which subscribers sleep, and the sequence of each publisher.
//
// One file in /dev/shm for each channel of the host, owned by the user of the channel: another user who opens it is refused.
// Publishers map it writable, subscribers read-only: these write to the file, when they come and
// when they see a new publisher.
//
// Locks on the file, which the kernel takes from a killed process, say who has the channel. Each user has a shared lock.
// A user that could lock exclusively is the only one: everything that the channel has in shared memory is then of ended
// processes, and is removed whatever state it is in. Users come and go one at a time, under a second lock.
//
// Each subscriber has a word of its own, of which `ring` wakes one sleeper: of several threads that sleep for the
// subscriber one wakes, the most urgent.
//
// Set-up only, except `ring`, `published`, `published_since`, `saw`, the counts and the word.
#ifndef BELL_HPP_
#define BELL_HPP_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "takt_channel/channel.hpp"

namespace takt_channel
{

/// Where a publisher stands.
struct Standing
{
  std::uint64_t publisher = 0;
  std::uint64_t next = 0;  // the sequence of its next message
};

inline constexpr std::uint32_t kMostSubscribers = 64;

class Bell
{
public:
  enum class Access
  {
    ring,
    listen
  };

  /// What the file holds. Zeros are a page without publishers.
  struct Page
  {
    struct Place
    {
      std::atomic<std::uint64_t> publisher;
      std::atomic<std::uint64_t> next;
    };

    std::atomic<std::uint64_t> listeners;    // a bit for each place of a subscriber that may sleep
    std::atomic<std::uint32_t> subscribers;  // that came so far
    std::atomic<std::uint32_t> publishers;   // that came so far
    std::atomic<std::uint32_t>
      seen[kMostSubscribers];  // so many publishers had come at each subscriber's last take
    std::atomic<std::uint32_t> words[kMostSubscribers];
    alignas(64) Place places[Options::kMostPublishers];
  };

  Bell() = default;
  Bell(Bell && other) noexcept;
  Bell & operator=(Bell && other) noexcept;
  /// Removes the channel if this was its only user.
  ~Bell();

  /// The bell of a channel, with a change begun; `refusal` and `error` say why there is none.
  static Bell open(const std::string & channel, Access access, Refusal & refusal, int & error);
  /// Removes the channels of this user that no process has.
  static void clean();

  /// One process at a time opens or closes the channel: waits for the others. The destructor ends a change, too.
  void begin_change() noexcept;
  void end_change() noexcept;

  explicit operator bool() const noexcept { return page_ != nullptr; }
  /// The subscriber's own.
  const std::atomic<std::uint32_t> & word() const noexcept { return page_->words[place_]; }
  /// The channel's folder for other files, and how names of its other parts in shared memory begin.
  const std::string & folder() const noexcept { return folder_; }
  std::string prefix() const;
  /// Whether other processes or objects have the channel, too. Only within a change.
  bool has_other_users() const noexcept;

  /// Takes one of the first `most` places for a publisher; false if living publishers have all of them.
  bool take_place(std::uint64_t publisher, std::size_t most);
  /// Counts a publisher that came, after its port did. Only within a change, and only with a bell to ring.
  void publisher_came() noexcept
  {
    arrival_ = page_->publishers.fetch_add(1, std::memory_order_acq_rel) + 1;
  }
  /// Counts a subscriber that came, after its port did; false if living subscribers have all places. Only within a change,
  /// and only with a bell to listen.
  bool subscriber_came() noexcept;
  /// Publishers and subscribers that live. Set-up only.
  std::size_t living_publishers() const noexcept;
  std::size_t living_subscribers() const noexcept;
  /// Notes that the subscriber has seen the publishers that came until `publishers` was `count`.
  void saw(std::uint32_t count) noexcept
  {
    if (count != seen_) {
      note_seen(count);
    }
  }
  /// Whether all living subscribers have seen this publisher. Set-up only.
  bool seen_by_all() const noexcept;
  /// How many came since the channel is there.
  std::uint32_t publishers() const noexcept
  {
    return page_->publishers.load(std::memory_order_acquire);
  }
  std::uint32_t subscribers() const noexcept
  {
    return page_->subscribers.load(std::memory_order_acquire);
  }
  /// Notes that the publisher's messages before `next` were sent.
  void published(std::uint64_t next) noexcept
  {
    page_->places[place_].next.store(next, std::memory_order_release);
  }
  /// Changes the words of all subscribers, and wakes a sleeper of each.
  void ring() noexcept;
  /// Where all publishers stand, also dead ones.
  std::vector<Standing> standings() const;
  /// How many messages were published since `last`, which becomes the present standings; zeros are a channel that never
  /// had a publisher.
  using Standings = std::array<Standing, Options::kMostPublishers>;
  std::uint64_t published_since(Standings & last) const noexcept;

private:
  void note_seen(std::uint32_t count) noexcept;
  std::uint64_t locked_subscribers() const noexcept;
  void write_listeners(std::uint64_t listeners) noexcept;

  int file_ = -1;
  Page * page_ = nullptr;
  std::size_t place_ = 0;      // of the publisher or of the subscriber
  bool listens_ = false;       // the place is a subscriber's
  std::uint32_t arrival_ = 0;  // which publisher it is, from 1
  std::uint32_t seen_ = 0;
  std::string path_;
  std::string folder_;
};

}  // namespace takt_channel

#endif  // BELL_HPP_
