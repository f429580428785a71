// The page of a channel in shared memory: the words on which subscribers sleep, and the sequence of
// each publisher.
//
// Each channel of the host has one file in /dev/shm, owned by the channel's user: other users are
// refused. Publishers map the file writable. Subscribers map it read-only, and write to the file
// when they come and when they see a new publisher.
//
// Locks on the file, which the kernel takes from a killed process, tell which users (publishers and
// subscribers) have the channel. Each user has a shared lock. A user that could lock exclusively is
// the only one: then all that the channel has in shared memory is left from ended processes, and is
// removed whatever its state. Users come and go one at a time, under a second lock.
//
// Each subscriber has a word of its own. `ring` wakes one sleeper of each word: of several threads
// that sleep for one subscriber, the most urgent.
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

/// A publisher, and its progress.
struct Standing
{
  std::uint64_t publisher = 0;
  std::uint64_t next = 0;   // the sequence of its next message
  std::int64_t newest = 0;  // when it published the one before, ns
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

  /// The content of the file. A page of zeros has no publishers.
  struct Page
  {
    struct Place
    {
      std::atomic<std::uint64_t> publisher;
      std::atomic<std::uint64_t> next;
      std::atomic<std::int64_t> newest;  // may already be that of the next message
    };

    std::atomic<std::uint64_t> listeners;    // a bit for each place of a subscriber that may sleep
    std::atomic<std::uint32_t> subscribers;  // the number that came so far
    std::atomic<std::uint32_t> publishers;   // the number that came so far
    // The number of publishers that had come at each subscriber's last take.
    std::atomic<std::uint32_t> seen[kMostSubscribers];
    std::atomic<std::uint32_t> words[kMostSubscribers];
    alignas(64) Place places[Options::kMostPublishers];
  };

  Bell() = default;
  Bell(Bell && other) noexcept;
  Bell & operator=(Bell && other) noexcept;
  /// Removes the channel if this bell was its only user.
  ~Bell();

  /// Opens the bell of a channel and begins a change. `refusal` and `error`: the reason if it
  /// fails.
  static Bell open(const std::string & channel, Access access, Refusal & refusal, int & error);
  /// Removes the channels of this user that no process uses.
  static void clean();

  /// Begins a change: only this process opens or closes the channel. Waits for other processes.
  void begin_change() noexcept;
  /// Ends a change, as the destructor does.
  void end_change() noexcept;

  explicit operator bool() const noexcept { return page_ != nullptr; }
  /// The subscriber's own word.
  const std::atomic<std::uint32_t> & word() const noexcept { return page_->words[place_]; }
  /// The channel's folder for other files.
  const std::string & folder() const noexcept { return folder_; }
  /// The beginning of the names of the channel's other parts in shared memory.
  std::string prefix() const;
  /// Whether other processes or objects use the channel, too. Only within a change.
  bool has_other_users() const noexcept;

  /// Takes one of the first `most` places for a publisher; false if living publishers have all of
  /// them.
  bool take_place(std::uint64_t publisher, std::size_t most);
  /// Counts a new publisher. Call after its port was made, within a change, on a bell with
  /// Access::ring.
  void publisher_came() noexcept
  {
    arrival_ = page_->publishers.fetch_add(1, std::memory_order_acq_rel) + 1;
  }
  /// Counts a new subscriber; false if living subscribers have all places. Call after its port was
  /// made, within a change, on a bell with Access::listen.
  bool subscriber_came() noexcept;
  /// The numbers of living publishers and of living subscribers. Set-up only.
  std::size_t living_publishers() const noexcept;
  std::size_t living_subscribers() const noexcept;
  /// Notes that the subscriber has seen the first `count` publishers that came.
  void saw(std::uint32_t count) noexcept
  {
    if (count != seen_) {
      note_seen(count);
    }
  }
  /// Whether all living subscribers have seen this publisher. Set-up only.
  bool seen_by_all() const noexcept;
  /// The numbers of publishers and of subscribers that came since the channel exists.
  std::uint32_t publishers() const noexcept
  {
    return page_->publishers.load(std::memory_order_acquire);
  }
  std::uint32_t subscribers() const noexcept
  {
    return page_->subscribers.load(std::memory_order_acquire);
  }
  /// Notes that the publisher's messages before `next` were sent, the last of them at `newest`.
  void published(std::uint64_t next, std::int64_t newest) noexcept
  {
    page_->places[place_].newest.store(newest, std::memory_order_relaxed);
    page_->places[place_].next.store(next, std::memory_order_release);
  }
  /// Changes the words of all subscribers, and wakes one sleeper of each word.
  void ring() noexcept;
  /// The standings of all publishers, also of dead ones.
  std::vector<Standing> standings() const;
  /// The number of messages that were published since `last`, which becomes the present standings.
  /// The standings of a channel that never had a publisher are zeros.
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
  std::uint32_t arrival_ = 0;  // this publisher's number, from 1
  std::uint32_t seen_ = 0;
  std::string path_;
  std::string folder_;
};

}  // namespace takt_channel

#endif  // BELL_HPP_
