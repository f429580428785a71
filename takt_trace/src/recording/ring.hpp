// The records of one thread: the owner writes, one other thread reads.
//
// A record is five atomic words, so a reader that is overtaken sees mixed records but no undefined
// behaviour. It drops these by the count (a seqlock on the count alone). Writing is real-time safe.
#ifndef TAKT_TRACE__SRC__RECORDING__RING_HPP_
#define TAKT_TRACE__SRC__RECORDING__RING_HPP_

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "takt_trace/record.hpp"

namespace takt_trace::detail
{

class Ring
{
public:
  /// Touches its memory, so that later writes cause no page faults.
  explicit Ring(std::size_t records)
  : capacity_(std::bit_ceil(records)),
    words_(std::make_unique<std::atomic<std::uint64_t>[]>(capacity_ * kWords))
  {
  }

  std::size_t capacity() const noexcept { return capacity_; }

  /// Called on the owner. `overwrite`: a full ring drops its oldest record; otherwise it drops this
  /// one.
  void push(const Record & record, bool overwrite) noexcept
  {
    const std::uint64_t at = written_.load(std::memory_order_relaxed);
    if (!overwrite && at - read_.load(std::memory_order_acquire) >= capacity_) {
      dropped_.store(dropped_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      return;
    }
    // A reader that sees the new words sees this first, and drops the replaced records.
    begun_.store(at + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    std::atomic<std::uint64_t> * const words = &words_[(at & (capacity_ - 1)) * kWords];
    words[0].store(static_cast<std::uint64_t>(record.time), std::memory_order_relaxed);
    words[1].store(
      std::uint64_t{static_cast<std::uint8_t>(record.kind)} << 32 | record.id,
      std::memory_order_relaxed);
    words[2].store(static_cast<std::uint64_t>(record.a), std::memory_order_relaxed);
    words[3].store(static_cast<std::uint64_t>(record.b), std::memory_order_relaxed);
    words[4].store(static_cast<std::uint64_t>(record.c), std::memory_order_relaxed);
    written_.store(at + 1, std::memory_order_release);
  }

  // ---- one reader ----

  /// Returns records that were written and not taken, and frees their places.
  void take(std::vector<Record> & into)
  {
    const std::uint64_t end = written_.load(std::memory_order_acquire);
    for (std::uint64_t at = read_.load(std::memory_order_relaxed); at < end; ++at) {
      into.push_back(at_index(at));
    }
    read_.store(end, std::memory_order_release);
  }

  /// Copies the last records, oldest first, while the owner may overwrite them. True if older ones
  /// are lost.
  bool copy_last(std::vector<Record> & into) const
  {
    const std::size_t before = into.size();
    const std::uint64_t end = written_.load(std::memory_order_acquire);
    const std::uint64_t from =
      std::max(read_.load(), end - std::min<std::uint64_t>(end, capacity_));
    for (std::uint64_t at = from; at < end; ++at) {
      into.push_back(at_index(at));
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    const std::uint64_t begun = begun_.load(std::memory_order_relaxed);
    const std::uint64_t kept = begun - std::min<std::uint64_t>(begun, capacity_);
    if (kept > from) {
      const auto torn = static_cast<std::ptrdiff_t>(std::min(kept - from, end - from));
      const auto first = into.begin() + static_cast<std::ptrdiff_t>(before);
      into.erase(first, first + torn);
    }
    return std::max(kept, from) > read_.load();
  }

  /// Call it once the owner has ended. Time 0: no record.
  Record newest() const
  {
    const std::uint64_t end = written_.load(std::memory_order_acquire);
    return end == 0 ? Record{} : at_index(end - 1);
  }

  /// Treats all records so far as taken, and sets the dropped ones to zero.
  void forget()
  {
    read_.store(written_.load(std::memory_order_acquire), std::memory_order_release);
    dropped_.store(0, std::memory_order_relaxed);
  }

  std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }

private:
  static constexpr std::size_t kWords = 5;

  Record at_index(std::uint64_t at) const
  {
    const std::atomic<std::uint64_t> * const words = &words_[(at & (capacity_ - 1)) * kWords];
    const auto word = [&](std::size_t i) { return words[i].load(std::memory_order_relaxed); };
    const std::uint64_t what = word(1);
    return {static_cast<std::int64_t>(word(0)), static_cast<RecordKind>(what >> 32 & 0xff),
            static_cast<std::uint32_t>(what),   static_cast<std::int64_t>(word(2)),
            static_cast<std::int64_t>(word(3)), static_cast<std::int64_t>(word(4))};
  }

  const std::size_t capacity_;  // a power of two
  const std::unique_ptr<std::atomic<std::uint64_t>[]> words_;
  alignas(64) std::atomic<std::uint64_t> begun_{0};
  std::atomic<std::uint64_t> written_{0};
  std::atomic<std::uint64_t> dropped_{0};  // written by the owner
  alignas(64) std::atomic<std::uint64_t> read_{0};
};

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__RECORDING__RING_HPP_
