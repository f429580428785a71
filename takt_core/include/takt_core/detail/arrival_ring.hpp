// The arrivals that wait for one callback: as many as the subscription's history holds.
//
// Producers (listeners, publisher threads) write and never wait. A producer overwrites the oldest
// arrival of a full ring, as a KEEP_LAST history overwrites its oldest message. One consumer at a
// time reads: the thread that starts the callback. All words are atomics under a version per slot
// (a seqlock): a reader overtaken by a producer notices and moves on.
//
// Writers of one slot exclude each other without a lock. A producer writes its stamp in two cases:
// no other push was under way when it began, or the slot holds the arrival of the previous round,
// so that round's writer is done. In other cases a stalled producer may still write to the slot, so
// the producer writes no stamp. Later producers in that slot write none either, until a producer is
// alone again. (With a depth of 1 this is every second message while a producer is preempted here.)
// The ring counts a message without a stamp; the scheduler treats it as newly released and without
// activations.
//
// One arrival may lie beside the ring, older than all in it. A thread that has marked the callback
// queued before anybody else announced a message puts its arrival there (`put_aside`): until the
// pick the callback's consumer side is this thread's, so no step of this needs to be atomic.
//
// Memory order: a producer marks the slot, then stores each word with release. A reader loads each
// word with acquire, then checks the version. A reader that saw a word of a later writing therefore
// also sees the mark. On x86 these are plain moves.
// No function allocates, locks or blocks after construction.
#ifndef TAKT_CORE__DETAIL__ARRIVAL_RING_HPP_
#define TAKT_CORE__DETAIL__ARRIVAL_RING_HPP_

#include <atomic>
#include <cstdint>
#include <memory>

#include "takt_core/activation.hpp"
#include "takt_core/detail/sync.hpp"
#include "takt_rt/time.hpp"

namespace takt_core
{

using takt_rt::to_ns;

template <typename Sync = detail::NativeSync>
class BasicArrivalRing
{
public:
  /// Room for `depth` arrivals (at least 1). Allocates.
  explicit BasicArrivalRing(std::uint32_t depth);

  std::uint32_t depth() const noexcept { return depth_; }

  /// Adds one arrival and returns its index. Overwrites the oldest if `depth` arrivals wait. Any
  /// thread.
  std::uint64_t push(
    Time ready, std::uint64_t sequence, const ActivationSet * activations,
    std::uint64_t message = 0) noexcept;

  /// As `push`, but keeps the arrival beside the ring. Consumer only, and only if the ring was
  /// `empty` before the caller became the consumer: arrivals that come meanwhile count as later
  /// ones. Plain moves, without an atomic step.
  void put_aside(
    Time ready, std::uint64_t sequence, const ActivationSet * activations,
    std::uint64_t message) noexcept
  {
    aside_sequence_ = sequence;
    aside_message_ = message;
    if (activations != nullptr) {
      aside_activations_.assign(*activations);
    } else {
      aside_activations_.clear();
    }
    asides_.store(asides_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    aside_.store(to_ns(ready), std::memory_order_release);
  }
  /// Whether an arrival lies beside the ring. Consumer only.
  bool has_aside() const noexcept { return aside_.load(std::memory_order_relaxed) != kNone; }
  /// As `pop`, of the arrival beside the ring. False: there is none, or a full ring came after it.
  [[gnu::always_inline]] bool pop_aside(
    Time & ready, ActivationSet & activations, std::uint64_t & index,
    std::uint64_t & message) noexcept
  {
    const std::int64_t stamp = aside_.load(std::memory_order_relaxed);
    const std::uint64_t taken = taken_.load(std::memory_order_acquire);  // first: see `oldest`
    if (stamp == kNone || committed() - taken >= depth_) {
      return false;
    }
    ready = takt_rt::from_ns(stamp);
    activations.assign(aside_activations_);
    index = taken - 1;  // right before the ring's oldest
    message = aside_message_;
    aside_.store(kNone, std::memory_order_release);
    return true;
  }
  /// Moves the arrival beside the ring, if there is one, into the ring, behind those that are
  /// there. Consumer only.
  void push_aside() noexcept
  {
    if (has_aside()) {
      const Time ready = takt_rt::from_ns(aside_.load(std::memory_order_relaxed));
      aside_.store(kNone, std::memory_order_relaxed);
      asides_.store(asides_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
      push(ready, aside_sequence_, &aside_activations_, aside_message_);
    }
  }

  /// Whether the arrival `index` is the oldest that waits. Exact if the caller keeps the consumer
  /// away; otherwise a hint.
  bool oldest_is(std::uint64_t index) const noexcept
  {
    return taken_.load(std::memory_order_relaxed) == index && !has_aside();
  }

  /// Whether no arrival waits. Sequentially consistent with `push`.
  bool empty() const noexcept
  {
    const std::uint64_t taken = taken_.load(std::memory_order_acquire);  // first, as in `oldest`
    return committed() == taken && !has_aside();
  }

  /// Number of waiting arrivals, at most `depth`.
  std::uint32_t size() const noexcept;

  /// The index of the oldest waiting arrival in the ring; if none waits, of the next one. Any
  /// thread. The index may be too small by the arrivals that are taken or overwritten meanwhile,
  /// and is never too large.
  std::uint64_t oldest_index() const noexcept
  {
    const std::uint64_t taken = taken_.load(std::memory_order_acquire);
    const std::uint64_t pushed = committed();
    return pushed > taken + depth_ ? pushed - depth_ : taken;
  }

  /// Number of completed pushes: the index of the next one, if none is under way.
  std::uint64_t pushed() const noexcept { return committed(); }
  /// Number of arrivals so far, in the ring and beside it. Any thread.
  std::uint64_t arrived() const noexcept
  {
    return committed() + asides_.load(std::memory_order_relaxed);
  }

  /// When the oldest waiting arrival was announced; kNever: none waits, or a producer is replacing
  /// it. Any thread.
  Time oldest_stamp() const noexcept;
  /// When the newest waiting arrival was announced; kNever as `oldest_stamp`. Any thread.
  Time newest_stamp() const noexcept;

  /// Number of waiting arrivals from the oldest on that were announced by `time`, up to the first
  /// one that was announced later or whose stamp cannot be read. O(depth). Consumer only.
  std::uint32_t announced_by(Time time) const noexcept;

  /// Prefetches the oldest waiting arrival for the consumer. A hint.
  void prefetch() const noexcept
  {
    __builtin_prefetch(&slot(taken_.load(std::memory_order_relaxed)), 1);
  }

  /// Copies the oldest waiting arrival and keeps it: its stamp, its position in the scheduler's
  /// order of releases, and its activations (none if no executor thread of this process announced
  /// it). False if no arrival waits; zeros if it cannot be read at the moment. Consumer only.
  bool peek(Time & ready, std::uint64_t & sequence, ActivationSet & activations) noexcept;

  /// Copies only the stamp and the position of the oldest waiting arrival. False (and zeros) if no
  /// arrival waits or it cannot be read at the moment. Consumer only.
  bool peek_stamp(Time & ready, std::uint64_t & sequence) noexcept;

  /// As `peek`, and removes the arrival. `index`: the arrival's index; `message`: its message's
  /// name (0: none or not readable). Consumer only. (Two words instead of a struct: a struct
  /// written word by word and then copied makes the processor wait for its own writes, measured at
  /// 5 ns.)
  bool pop(
    Time & ready, std::uint64_t & sequence, ActivationSet & activations, std::uint64_t & index,
    std::uint64_t & message) noexcept;

  /// For a run whose message, arrival `popped`, was overwritten before the take, so that the take
  /// found the later message `message`. Removes the arrivals up to that of `message` and copies
  /// that one; counts the others as overwritten. Returns false and changes nothing if the ring
  /// shows no such arrival. Only for the run that popped `popped`, before its end; other threads
  /// may peek meanwhile.
  bool catch_up(
    std::uint64_t popped, std::uint64_t message, Time & ready,
    ActivationSet & activations) noexcept;

  /// Counts arrivals that the caller knows to be overwritten. Any thread.
  void count_overwritten(std::uint64_t arrivals) noexcept
  {
    overwritten_.fetch_add(arrivals, std::memory_order_relaxed);
  }

  /// The number of overwritten arrivals that the consumer has seen.
  std::uint64_t overwritten() const noexcept
  {
    return overwritten_.load(std::memory_order_relaxed);
  }

protected:  // for the broken twins of the tests
  template <typename T>
  using Word = typename Sync::template Word<T>;

  static constexpr std::uint32_t kWordsPerActivation = 2;
  static constexpr std::uint64_t kWriting = std::uint64_t{1} << 63;
  static constexpr std::int64_t kNone = INT64_MIN;  // no arrival lies beside the ring
  // `pushes_`: low bits count the producers under way, high bits the pushes begun. Room for 4095
  // threads at once and for a century of a million messages a second.
  static constexpr std::uint64_t kBegun = std::uint64_t{1} << 12;
  // One slot more than the depth, so that a producer does not write where the consumer reads.
  // (Three spare slots cost cache lines: +50 % measured with 10,000 ready callbacks.)
  static constexpr std::uint32_t kSpare = 1;
  // One word of a slot holds the number of activations in its low bits and the message's name
  // above.
  static constexpr std::uint32_t kCountBits = 4;
  static_assert(ActivationSet::kCapacity < 1U << kCountBits);
  static constexpr std::uint32_t kWords = 3 + kWordsPerActivation * ActivationSet::kCapacity;

  struct alignas(64) Slot
  {
    Word<std::uint64_t> version;  // index + 1 after the write; kWriting during it
    Word<std::uint64_t> words[kWords];
  };

  // Number of completed pushes. Sequentially consistent.
  std::uint64_t committed() const noexcept
  {
    const std::uint64_t pushes = pushes_.load(std::memory_order_seq_cst);
    return pushes / kBegun - pushes % kBegun;
  }

  // When the arrival `index` was announced; kNever: its slot holds another one.
  Time stamp(std::uint64_t index) const noexcept;
  // Whether an arrival lies beside the ring. Counts it as overwritten if a full ring came after it.
  bool aside_waits() noexcept;
  // Skips overwritten arrivals and sets `index` to the oldest waiting arrival; false if none waits.
  bool oldest(std::uint64_t & index) noexcept;
  bool read(
    std::uint64_t index, Time & ready, std::uint64_t & sequence, ActivationSet & activations,
    std::uint64_t & message) const noexcept;
  bool read_oldest(
    Time & ready, std::uint64_t & sequence, ActivationSet & activations, std::uint64_t & index,
    std::uint64_t & message) noexcept;
  Slot & slot(std::uint64_t index) const noexcept { return slots_[index & mask_]; }

  const std::uint32_t depth_;
  const std::uint32_t mask_;
  const std::unique_ptr<Slot[]> slots_;
  Word<std::uint64_t> pushes_{0};
  Word<std::uint64_t> taken_{0};
  Word<std::uint64_t> overwritten_{0};
  // The arrival beside the ring: its stamp, and what only the consumer reads and writes.
  Word<std::int64_t> aside_{kNone};
  Word<std::uint64_t> asides_{0};  // arrivals put there so far; only the consumer writes
  std::uint64_t aside_sequence_ = 0;
  std::uint64_t aside_message_ = 0;
  ActivationSet aside_activations_;
};

using ArrivalRing = BasicArrivalRing<>;
extern template class BasicArrivalRing<detail::NativeSync>;

}  // namespace takt_core

#endif  // TAKT_CORE__DETAIL__ARRIVAL_RING_HPP_
