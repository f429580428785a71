// The arrival ring's functions, compiled in the library (arrival_ring.cpp) and in the test that
// steps through them.
#ifndef TAKT_CORE__SRC__ARRIVAL_RING_IMPL_HPP_
#define TAKT_CORE__SRC__ARRIVAL_RING_IMPL_HPP_

#include <algorithm>
#include <bit>

#include "takt_core/detail/arrival_ring.hpp"

namespace takt_core
{

using takt_rt::from_ns;
using takt_rt::kNever;
using takt_rt::to_ns;

template <typename Sync>
BasicArrivalRing<Sync>::BasicArrivalRing(std::uint32_t depth)
: depth_(std::max<std::uint32_t>(depth, 1)),
  mask_(static_cast<std::uint32_t>(std::bit_ceil(std::uint64_t{depth_} + kSpare) - 1)),
  slots_(std::make_unique<Slot[]>(std::size_t{mask_} + 1))
{
  for (std::uint64_t i = 0; i <= mask_; ++i) {
    slots_[i].version.store(i - mask_, std::memory_order_relaxed);  // as after one round of writes
  }
}

template <typename Sync>
std::uint64_t BasicArrivalRing<Sync>::push(
  Time ready, std::uint64_t sequence, const ActivationSet * activations,
  std::uint64_t message) noexcept
{
  const std::uint64_t before = pushes_.fetch_add(kBegun + 1, std::memory_order_acq_rel);
  const std::uint64_t index = before / kBegun;
  const bool alone = before % kBegun == 0;
  Slot & s = slot(index);
  if (alone || s.version.load(std::memory_order_acquire) == index - mask_) {
    s.version.store(kWriting, std::memory_order_relaxed);
    s.words[0].store(static_cast<std::uint64_t>(to_ns(ready)), std::memory_order_release);
    s.words[1].store(sequence, std::memory_order_release);
    const std::uint32_t count = activations != nullptr ? activations->size() : 0;
    s.words[2].store(message << kCountBits | count, std::memory_order_release);
    for (std::uint32_t i = 0; i < count; ++i) {
      const Activation & a = activations->begin()[i];
      const std::uint64_t id = (std::uint64_t{a.root} << 32) | a.instance;
      s.words[3 + 2 * i].store(id, std::memory_order_release);
      s.words[4 + 2 * i].store(
        static_cast<std::uint64_t>(to_ns(a.release)), std::memory_order_release);
    }
    s.version.store(index + 1, std::memory_order_release);
  }
  // Sequentially consistent: pairs with the consumer's "unmark queued, then look again".
  pushes_.fetch_sub(1, std::memory_order_seq_cst);
  return index;
}

template <typename Sync>
std::uint32_t BasicArrivalRing<Sync>::size() const noexcept
{
  const std::uint64_t taken = taken_.load(std::memory_order_acquire);  // read first: see `oldest`
  const std::uint64_t waiting = committed() - taken + (has_aside() ? 1 : 0);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(waiting, depth_));
}

template <typename Sync>
Time BasicArrivalRing<Sync>::oldest_stamp() const noexcept
{
  std::uint64_t index = taken_.load(std::memory_order_acquire);  // read first: see `oldest`
  const std::uint64_t end = committed();
  if (const std::int64_t aside = aside_.load(std::memory_order_acquire);
      aside != kNone && end - index < depth_) {
    return from_ns(aside);
  }
  if (index == end) {
    return kNever;
  }
  return stamp(end - index > depth_ ? end - depth_ : index);
}

template <typename Sync>
Time BasicArrivalRing<Sync>::newest_stamp() const noexcept
{
  const std::uint64_t taken = taken_.load(std::memory_order_acquire);  // read first: see `oldest`
  const std::uint64_t end = committed();
  if (end != taken) {
    return stamp(end - 1);
  }
  const std::int64_t aside = aside_.load(std::memory_order_acquire);
  return aside == kNone ? kNever : from_ns(aside);
}

template <typename Sync>
Time BasicArrivalRing<Sync>::stamp(std::uint64_t index) const noexcept
{
  const Slot & s = slot(index);
  if (s.version.load(std::memory_order_acquire) != index + 1) {
    return kNever;
  }
  const auto ready = static_cast<std::int64_t>(s.words[0].load(std::memory_order_acquire));
  return s.version.load(std::memory_order_relaxed) == index + 1 ? from_ns(ready) : kNever;
}

template <typename Sync>
bool BasicArrivalRing<Sync>::aside_waits() noexcept
{
  if (!has_aside()) {
    return false;
  }
  const std::uint64_t taken = taken_.load(std::memory_order_acquire);  // read first: see `oldest`
  if (committed() - taken < depth_) {
    return true;
  }
  aside_.store(kNone, std::memory_order_relaxed);
  overwritten_.fetch_add(1, std::memory_order_relaxed);
  return false;
}

template <typename Sync>
bool BasicArrivalRing<Sync>::oldest(std::uint64_t & index) noexcept
{
  for (;;) {
    // Read `taken_` first: `catch_up` may move it meanwhile beyond an earlier reading of the
    // pushes.
    index = taken_.load(std::memory_order_acquire);
    const std::uint64_t end = committed();
    if (end - index <= depth_) {
      return index != end;
    }
    // The thread that moves `taken_` counts the skipped arrivals.
    std::uint64_t expected = index;
    if (taken_.compare_exchange_strong(
          expected, end - depth_, std::memory_order_acq_rel, std::memory_order_relaxed)) {
      overwritten_.fetch_add(end - depth_ - index, std::memory_order_relaxed);
      index = end - depth_;
      return true;
    }
  }
}

template <typename Sync>
bool BasicArrivalRing<Sync>::read(
  std::uint64_t index, Time & ready, std::uint64_t & sequence, ActivationSet & activations,
  std::uint64_t & message) const noexcept
{
  const Slot & s = slot(index);
  if (s.version.load(std::memory_order_acquire) != index + 1) {
    return false;
  }
  ready = from_ns(static_cast<std::int64_t>(s.words[0].load(std::memory_order_acquire)));
  sequence = s.words[1].load(std::memory_order_acquire);
  const std::uint64_t named = s.words[2].load(std::memory_order_acquire);
  message = named >> kCountBits;
  const auto count = static_cast<std::uint32_t>(
    std::min<std::uint64_t>(named & ((1U << kCountBits) - 1), ActivationSet::kCapacity));
  activations.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t id = s.words[3 + 2 * i].load(std::memory_order_acquire);
    const std::uint64_t release = s.words[4 + 2 * i].load(std::memory_order_acquire);
    activations.add(
      {static_cast<std::uint32_t>(id >> 32), static_cast<std::uint32_t>(id),
       from_ns(static_cast<std::int64_t>(release))});
  }
  return s.version.load(std::memory_order_relaxed) == index + 1;
}

template <typename Sync>
bool BasicArrivalRing<Sync>::read_oldest(
  Time & ready, std::uint64_t & sequence, ActivationSet & activations, std::uint64_t & index,
  std::uint64_t & message) noexcept
{
  // A read fails for one of two reasons. Either a producer lapped the slot, and the next `oldest`
  // skips it. Or another producer has claimed the slot and has not written it yet. Two tries tell
  // which.
  if (aside_waits()) {
    ready = from_ns(aside_.load(std::memory_order_relaxed));
    sequence = aside_sequence_;
    message = aside_message_;
    activations.assign(aside_activations_);
    index = taken_.load(std::memory_order_relaxed) - 1;  // right before the ring's oldest
    return true;
  }
  bool waits = false;
  for (int attempt = 0; attempt < 2; ++attempt) {
    waits = oldest(index);
    if (!waits) {
      break;
    }
    if (read(index, ready, sequence, activations, message)) {
      return true;
    }
  }
  // No arrival waits, or its stamp cannot be read: then the caller stamps the arrival.
  ready = Time{};
  sequence = 0;
  activations.clear();
  message = 0;
  return waits;
}

template <typename Sync>
bool BasicArrivalRing<Sync>::peek(
  Time & ready, std::uint64_t & sequence, ActivationSet & activations) noexcept
{
  std::uint64_t index = 0;
  std::uint64_t message = 0;
  return read_oldest(ready, sequence, activations, index, message);
}

template <typename Sync>
bool BasicArrivalRing<Sync>::peek_stamp(Time & ready, std::uint64_t & sequence) noexcept
{
  if (aside_waits()) {
    ready = from_ns(aside_.load(std::memory_order_relaxed));
    sequence = aside_sequence_;
    return true;
  }
  std::uint64_t index = 0;
  for (int attempt = 0; attempt < 2 && oldest(index); ++attempt) {
    const Slot & s = slot(index);
    if (s.version.load(std::memory_order_acquire) == index + 1) {
      ready = from_ns(static_cast<std::int64_t>(s.words[0].load(std::memory_order_acquire)));
      sequence = s.words[1].load(std::memory_order_acquire);
      if (s.version.load(std::memory_order_relaxed) == index + 1) {
        return true;
      }
    }
  }
  ready = Time{};
  sequence = 0;
  return false;
}

template <typename Sync>
std::uint32_t BasicArrivalRing<Sync>::announced_by(Time time) const noexcept
{
  const std::uint64_t end = committed();
  std::uint32_t count = 0;
  if (const std::int64_t aside = aside_.load(std::memory_order_acquire); aside != kNone) {
    if (from_ns(aside) > time) {
      return 0;
    }
    count = end - oldest_index() < depth_ ? 1 : 0;
  }
  for (std::uint64_t index = oldest_index(); index < end; ++index, ++count) {
    const Slot & s = slot(index);
    if (s.version.load(std::memory_order_acquire) != index + 1) {
      break;
    }
    const auto stamp = static_cast<std::int64_t>(s.words[0].load(std::memory_order_acquire));
    if (s.version.load(std::memory_order_relaxed) != index + 1 || from_ns(stamp) > time) {
      break;
    }
  }
  return count;
}

template <typename Sync>
bool BasicArrivalRing<Sync>::pop(
  Time & ready, std::uint64_t & sequence, ActivationSet & activations, std::uint64_t & index,
  std::uint64_t & message) noexcept
{
  if (has_aside() && pop_aside(ready, activations, index, message)) {
    sequence = aside_sequence_;
    return true;
  }
  if (!read_oldest(ready, sequence, activations, index, message)) {
    return false;
  }
  taken_.store(index + 1, std::memory_order_release);
  return true;
}

template <typename Sync>
bool BasicArrivalRing<Sync>::catch_up(
  std::uint64_t popped, std::uint64_t message, Time & ready, ActivationSet & activations) noexcept
{
  // A full history replaces a message only if more messages came than it holds. The found message
  // was then the oldest in the history at the take, so `depth` of the arrivals in this ring are
  // later.
  const std::uint64_t end = committed();
  if (end - popped <= depth_) {
    return false;
  }
  const std::uint64_t slots = std::uint64_t{mask_} + 1;
  const std::uint64_t first = std::max(popped + 1, end - std::min(end, slots));
  // `popped` may be -1, of an arrival beside a ring from which nothing was taken: `first` is then
  // 0.
  for (std::uint64_t behind = end - depth_ + 1; behind > first; --behind) {
    const std::uint64_t index = behind - 1;
    std::uint64_t sequence = 0;
    std::uint64_t name = 0;
    if (!read(index, ready, sequence, activations, name) || name != message) {
      continue;
    }
    std::uint64_t taken = taken_.load(std::memory_order_relaxed);
    while (taken <= index &&
           !taken_.compare_exchange_weak(
             taken, index + 1, std::memory_order_acq_rel, std::memory_order_relaxed)) {
    }
    // Two arrivals were removed: `index` here, and the overwritten one by the pop. If a peek had
    // counted `index` as overwritten, that count stands for the popped arrival.
    if (taken <= index) {
      overwritten_.fetch_add(index + 1 - taken, std::memory_order_relaxed);
    }
    return true;
  }
  return false;
}

}  // namespace takt_core

#endif  // TAKT_CORE__SRC__ARRIVAL_RING_IMPL_HPP_
