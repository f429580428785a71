// Of the messages that were never taken: which the history overwrote, and which were lost before.
//
// Two counts know of them, and each alone is wrong at times. Announcements that led to no take: a middleware may announce
// one message for several, or several for one (Fast DDS 3 does both where threads publish side by side in one process).
// Gaps in publication sequence numbers: exact, but they begin with the first message that was taken from each publisher,
// and do not say where a message was lost.
#ifndef TAKT_HOST__LOSS_ACCOUNT_HPP_
#define TAKT_HOST__LOSS_ACCOUNT_HPP_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>

namespace takt_host
{

struct Losses
{
  std::uint64_t overwritten = 0;      ///< by a KEEP_LAST history, before they were taken
  std::optional<std::uint64_t> lost;  ///< on the way; absent: nobody knows
};

class LossAccount
{
public:
  /// `reliable`: the way to the history loses nothing. `gaps`: what was missing before this account begins.
  explicit LossAccount(bool reliable, std::uint64_t gaps = 0) noexcept
  : reliable_(reliable),
    gaps_before_(gaps)
  {
  }

  /// A message was taken; `counted`: announcements that led to no take so far. One thread at a time; real-time safe.
  void taken(std::uint64_t counted) noexcept
  {
    if (!began_.load(std::memory_order_relaxed)) {
      before_.store(counted, std::memory_order_relaxed);
      began_.store(true, std::memory_order_release);
    }
  }

  /// `gaps`: in sequence numbers; absent where messages carry none. With gaps, what was taken and what this gives are all
  /// that was published since the first message that was taken from each publisher. Any thread; real-time safe.
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
    // Of a reliable one the announcements know first: gaps show with the next message that is taken.
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
