// Splits the messages that were never taken into those that the history overwrote and those that
// were lost before the history.
//
// Two counts exist, and each alone can be wrong. Announcements without a take: a middleware may
// announce several messages once, or one message several times (Fast DDS 3 does both if threads
// publish concurrently in one process). Gaps in publication sequence numbers: exact, but they begin
// with the first message taken from each publisher, and do not tell where a message was lost.
#ifndef TAKT_HOST__LOSS_ACCOUNT_HPP_
#define TAKT_HOST__LOSS_ACCOUNT_HPP_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>

namespace takt_host
{

/// Messages that no take found.
struct Losses
{
  std::uint64_t overwritten = 0;      ///< by a KEEP_LAST history, before their take
  std::optional<std::uint64_t> lost;  ///< on the way to the history; absent: unknown
};

/// The account of one source. Allocates nothing.
class LossAccount
{
public:
  /// `reliable`: no message is lost on the way to the history. `gaps`: missing messages before this
  /// account begins.
  explicit LossAccount(bool reliable, std::uint64_t gaps = 0) noexcept
  : reliable_(reliable),
    gaps_before_(gaps)
  {
  }

  /// Notes that a message was taken; `counted`: announcements without a take so far. One thread at
  /// a time; real-time safe.
  void taken(std::uint64_t counted) noexcept
  {
    if (!began_.load(std::memory_order_relaxed)) {
      before_.store(counted, std::memory_order_relaxed);
      began_.store(true, std::memory_order_release);
    }
  }

  /// Splits the losses. `counted`: announcements without a take so far. `gaps`: missing messages by
  /// sequence numbers; absent if messages have none. With gaps, the taken messages and these losses
  /// are all messages published since the first message taken from each publisher. Any thread;
  /// real-time safe.
  Losses split(std::uint64_t counted, std::optional<std::uint64_t> gaps) const noexcept
  {
    if (!gaps) {
      return {counted, std::nullopt};
    }
    if (!began_.load(std::memory_order_acquire)) {
      return {counted, 0};
    }
    const std::uint64_t before = before_.load(std::memory_order_relaxed);
    const std::uint64_t since = counted - std::min(counted, before);
    const std::uint64_t missing = *gaps - std::min(*gaps, gaps_before_);
    // If no message is lost on the way to the history, the announcements show a loss before the
    // gaps do: a gap shows only when the next message is taken. So the larger count is right.
    const std::uint64_t overwritten =
      reliable_ ? std::max(since, missing) : std::min(since, missing);
    return {before + overwritten, missing - std::min(missing, overwritten)};
  }

private:
  const bool reliable_;
  const std::uint64_t gaps_before_;
  std::atomic<bool> began_{false};
  std::atomic<std::uint64_t> before_{0};
};

}  // namespace takt_host

#endif  // TAKT_HOST__LOSS_ACCOUNT_HPP_
