// The arrivals that wait for one callback: as many as the subscription's history holds.
//
// Producers (listeners, publisher threads) write and never wait; when the ring is full the oldest
// arrival is overwritten, exactly as a KEEP_LAST history overwrites the oldest message. One
// consumer at a time (whoever starts the callback) reads. All words are atomics under a version per
// slot (a seqlock): a reader overtaken by a producer notices and moves on.
//
// Writers of one slot exclude each other without a lock: a producer writes if nobody else was under
// way when it came, or if the slot holds what was due there one round before, so that whoever wrote
// it is done. Otherwise a stalled producer may be about to write there, and the message is left
// without a stamp; so are later ones in that slot until a producer is alone again (with a depth of 1
// that is every second message while a producer is preempted in here). The message itself is counted
// in any case; the scheduler then takes it for newly released, and for working for no chain.
//
// Memory order: each word is stored with release after the slot was marked as being written and
// loaded with acquire before the version is checked again, so whoever saw a word of a later writing
// also sees that mark. On x86 these are plain moves.
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

template <typename Sync = detail::NativeSync>
class BasicArrivalRing
{
public:
  /// Room for `depth` arrivals (at least 1). Allocates.
  explicit BasicArrivalRing(std::uint32_t depth);

  std::uint32_t depth() const noexcept { return depth_; }

  /// Adds one arrival and returns its index; the oldest is overwritten when `depth` are waiting. Any
  /// thread.
  std::uint64_t push(
    Time ready, std::uint64_t sequence, const ActivationSet * activations,
    std::uint64_t message = 0) noexcept;

  /// Whether the arrival of that index waits and none that is older. Exact for whoever keeps the
  /// consumer away; for others a hint.
  bool oldest_is(std::uint64_t index) const noexcept
  {
    return taken_.load(std::memory_order_relaxed) == index;
  }

  /// Whether an arrival waits. Sequentially consistent with `push`.
  bool empty() const noexcept
  {
    const std::uint64_t taken = taken_.load(std::memory_order_acquire);  // first, as in `oldest`
    return committed() == taken;
  }

  /// How many wait, at most `depth`.
  std::uint32_t size() const noexcept;

  /// How many were pushed so far; those of producers that are under way do not count yet.
  std::uint64_t pushed() const noexcept { return committed(); }

  /// When the oldest waiting arrival was announced; kNever if there is none or it is being replaced right now. Any thread.
  Time oldest_stamp() const noexcept;

  /// Fetches the oldest waiting arrival into the cache for whoever pops it next. A hint.
  void prefetch() const noexcept
  {
    __builtin_prefetch(&slot(taken_.load(std::memory_order_relaxed)), 1);
  }

  /// Copies the oldest waiting arrival without removing it: when it was announced, its position in
  /// the scheduler's order of releases, and its activations (none: from outside of any executor
  /// thread of this process). False if there is none; zeros if it cannot be read at the moment.
  /// Consumer only.
  bool peek(Time & ready, std::uint64_t & sequence, ActivationSet & activations) noexcept;

  /// Only the stamp of the oldest waiting arrival; false (and zeros) if there is none or it cannot
  /// be read at the moment. Consumer only.
  bool peek_stamp(Time & ready, std::uint64_t & sequence) noexcept;

  /// As `peek`, and removes it. `index`: which arrival was removed; `message`: the name of its message
  /// (0: none, or not readable). Consumer only. (Two words and no struct: one that is written word by
  /// word and then copied as a whole makes the processor wait for its own writes, measured at 5 ns.)
  bool pop(
    Time & ready, std::uint64_t & sequence, ActivationSet & activations, std::uint64_t & index,
    std::uint64_t & message) noexcept;

  /// The message of arrival `popped` was overwritten before its take, which found the later message of
  /// this name instead: removes all arrivals up to and with that one's, counts the others as
  /// overwritten and copies it. False, and nothing changes, where no such arrival is to be seen.
  /// Only for the run that popped it, before it is over; others may peek meanwhile.
  bool catch_up(
    std::uint64_t popped, std::uint64_t message, Time & ready,
    ActivationSet & activations) noexcept;

  /// Counts arrivals of which is known already that they were overwritten. Any thread.
  void count_overwritten(std::uint64_t arrivals) noexcept
  {
    overwritten_.fetch_add(arrivals, std::memory_order_relaxed);
  }

  /// Arrivals lost to overwriting so far, as seen by the consumer.
  std::uint64_t overwritten() const noexcept
  {
    return overwritten_.load(std::memory_order_relaxed);
  }

protected:  // for the broken twins of the tests
  template <typename T>
  using Word = typename Sync::template Word<T>;

  static constexpr std::uint32_t kWordsPerActivation = 2;
  static constexpr std::uint64_t kWriting = std::uint64_t{1} << 63;
  // `pushes_`: how many producers are under way below, how many pushes began above; enough for 4095
  // threads at once and for a century of a million messages a second.
  static constexpr std::uint64_t kBegun = std::uint64_t{1} << 12;
  // A slot beyond the depth, so that a producer does not write where the consumer reads. (More
  // would cost cache lines: three were measured at +50 % with 10,000 ready callbacks.)
  static constexpr std::uint32_t kSpare = 1;
  // The word that holds how many activations follow, below, and the message's name.
  static constexpr std::uint32_t kCountBits = 4;
  static_assert(ActivationSet::kCapacity < 1U << kCountBits);
  static constexpr std::uint32_t kWords = 3 + kWordsPerActivation * ActivationSet::kCapacity;

  struct alignas(64) Slot
  {
    Word<std::uint64_t> version;  // index + 1 once written; kWriting meanwhile
    Word<std::uint64_t> words[kWords];
  };

  // How many pushes are over. Sequentially consistent.
  std::uint64_t committed() const noexcept
  {
    const std::uint64_t pushes = pushes_.load(std::memory_order_seq_cst);
    return pushes / kBegun - pushes % kBegun;
  }

  // Skips overwritten arrivals; gives the index of the oldest waiting arrival, or returns false.
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
};

using ArrivalRing = BasicArrivalRing<>;
extern template class BasicArrivalRing<detail::NativeSync>;

}  // namespace takt_core

#endif  // TAKT_CORE__DETAIL__ARRIVAL_RING_HPP_
