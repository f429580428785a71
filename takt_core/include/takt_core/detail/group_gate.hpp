// Synchronises a callback group (group.hpp): which callback holds the group, and which callbacks
// wait for it.
//
// Real-time safe, except `reserve` and `share` (set-up only).
#ifndef TAKT_CORE__DETAIL__GROUP_GATE_HPP_
#define TAKT_CORE__DETAIL__GROUP_GATE_HPP_

#include <atomic>
#include <cassert>
#include <cstdint>
#include <mutex>
#include <utility>

#include "takt_core/detail/precedence.hpp"
#include "takt_core/detail/sync.hpp"
#include "takt_core/intrusive_heap.hpp"

namespace takt_core::detail
{

/// `Node`: a callback, with `precedence_`, `place_` and `where_` (Node::Where).
template <typename Node, typename Sync = NativeSync>
class GroupGate
{
public:
  enum class Enter
  {
    entered,
    parked
  };

  explicit GroupGate(bool exclusive) : exclusive_(exclusive) {}

  bool exclusive() const noexcept { return exclusive_; }

  /// True while a callback of an exclusive group runs or is about to.
  bool busy() const noexcept { return (state_.load(std::memory_order_acquire) & kBusy) != 0; }

  /// A callback that was handed the group holds it before it starts. Until the start, another
  /// callback may take the group over:
  enum class TakesOver
  {
    better,    ///< a callback with a strictly better precedence
    as_urgent  ///< also one with an equal key; for a callback in its turn of a sequence
  };

  /// Enters for `callback`, or parks it. Call with the mutex of the callback's thread set held.
  Enter enter(Node & callback, TakesOver takes_over = TakesOver::better) noexcept
  {
    if (try_enter()) {
      return Enter::entered;
    }
    std::lock_guard lock(mutex_);
    // From here on a holder needs the mutex to leave. If the holder has just left, this thread
    // enters, and clears kWaiters unless a callback waits.
    if ((state_.fetch_or(kWaiters | kBusy, std::memory_order_acquire) & kBusy) == 0) {
      if (parked_.empty() && granted_ == nullptr) {
        state_.store(kBusy, std::memory_order_relaxed);
      }
      return Enter::entered;
    }
    return granted_or_park(callback, takes_over);
  }

  /// Enters unless a callback of the group runs. If a callback was handed the group and has not
  /// started, takes the group over from it; that callback is parked when a thread picks it. Never
  /// parks the caller's callback.
  bool enter_unless_running() noexcept
  {
    if (try_enter()) {
      return true;
    }
    std::lock_guard lock(mutex_);
    // As in `enter`: the holder needs the mutex to leave.
    if ((state_.fetch_or(kWaiters | kBusy, std::memory_order_acquire) & kBusy) == 0) {
      if (parked_.empty() && granted_ == nullptr) {
        state_.store(kBusy, std::memory_order_relaxed);
      }
      return true;
    }
    return std::exchange(granted_, nullptr) != nullptr;
  }

  /// As `try_enter`, but for a caller that may hold no mutex. `alone`: no other thread can enter
  /// meanwhile. Without the mutex the caller is then in a DispatchStep, in which it has found the
  /// group not `shared` and its only member's thread set without another thread.
  [[gnu::always_inline]] bool enter_if_free(bool alone) noexcept
  {
    if (!exclusive_) {
      return true;
    }
    std::uint32_t free = 0;
    if (!alone) {
      return state_.compare_exchange_strong(
        free, kBusy, std::memory_order_acquire, std::memory_order_relaxed);
    }
    if (state_.load(std::memory_order_acquire) != free) {
      return false;
    }
    state_.store(kBusy, std::memory_order_relaxed);
    return true;
  }

  /// Enters if the group is free; never parks (for orders that keep their waiting members). Call
  /// with the mutex of the callback's thread set held.
  bool try_enter() noexcept { return enter_if_free(!shared()); }

  /// As `leave` without other threads that want to enter (see `enter_if_free`). False: does
  /// nothing, because a callback waits for the group; call `leave`.
  bool leave_if_alone() noexcept
  {
    if (exclusive_) {
      if (state_.load(std::memory_order_relaxed) != kBusy) {
        return false;
      }
      state_.store(0, std::memory_order_release);
    }
    return true;
  }

  /// Leaves. Returns the callback that gets the group and must return to its ready queue, or
  /// nullptr.
  Node * leave() noexcept
  {
    if (!exclusive_) {
      return nullptr;
    }
    std::uint32_t expected = kBusy;
    if (state_.compare_exchange_strong(
          expected, 0, std::memory_order_release, std::memory_order_relaxed)) {
      return nullptr;
    }
    std::lock_guard lock(mutex_);
    return hand_over();
  }

  /// Parks `self`, which has more work, then leaves. With mutex_ held; exclusive groups only.
  Node * park_and_leave(Node & self) noexcept
  {
    assert(mutex_.held());
    state_.fetch_or(kWaiters, std::memory_order_relaxed);
    park(self);
    return hand_over();
  }

  /// Removes `callback` from the group, and sets `was_parked`. If `callback` had been handed the
  /// group, hands the group on and returns the next holder; else returns nullptr.
  Node * forget(Node & callback, bool & was_parked) noexcept
  {
    std::lock_guard lock(mutex_);
    was_parked = callback.where_.load(std::memory_order_relaxed) == Node::Where::parked;
    if (was_parked) {
      parked_.remove(&callback);
      callback.where_.store(Node::Where::nowhere, std::memory_order_relaxed);
    }
    return granted_ == &callback ? hand_over() : nullptr;
  }

  /// Gives `callback` a new key if it is parked or was handed the group. If a parked callback is
  /// now better than the callback that was handed the group, `rekey` hands the group to the parked
  /// one and returns it; else returns nullptr.
  Node * rekey(Node & callback, std::uint64_t key) noexcept
  {
    std::lock_guard lock(mutex_);
    if (granted_ == &callback) {
      granted_precedence_.key = key;
    } else if (callback.where_.load(std::memory_order_relaxed) == Node::Where::parked) {
      callback.precedence_.key = key;
      parked_.update(&callback);
    }
    const bool overtaken = granted_ != nullptr && !parked_.empty() &&
                           parked_.top()->precedence_.before(granted_precedence_);
    // The former holder stays in its ready queue and is parked at its pick. Otherwise it would
    // delay the better callback while callbacks of middle priority run.
    return overtaken ? hand_over() : nullptr;
  }

  /// Makes room to park `members` callbacks. With mutex_ not held.
  void reserve(std::size_t members) { parked_.reserve(members, mutex_); }

  /// Notes that a second member joins, or that the only one moves to another thread set. Before the
  /// caller lets that member start, or the other set's threads pick the moved one, it locks and
  /// unlocks the mutex of each thread set, and waits until no DispatchStep is under way. A thread
  /// that was entering or leaving as the only one has then left that mutex or that step.
  void share() noexcept { shared_.store(true, std::memory_order_relaxed); }

  /// Whether the group ever had two members at once, or a member that moved.
  bool shared() const noexcept { return shared_.load(std::memory_order_relaxed); }

  mutable typename Sync::Mutex mutex_;  ///< guards the parked callbacks and the granted one

protected:
  static constexpr std::uint32_t kBusy = 1;     // a callback holds the group
  static constexpr std::uint32_t kWaiters = 2;  // parked_ or granted_ is not empty: take the mutex

  // With mutex_ held and the group held by a callback.
  Enter granted_or_park(Node & callback, TakesOver takes_over) noexcept
  {
    assert(mutex_.held());
    if (granted_ == &callback) {
      granted_ = nullptr;
      return Enter::entered;
    }
    if (
      granted_ != nullptr && (callback.precedence_.before(granted_precedence_) ||
                              (takes_over == TakesOver::as_urgent &&
                               callback.precedence_.key == granted_precedence_.key))) {
      granted_ = nullptr;  // the former holder stays in its ready queue and is parked at its pick
      return Enter::entered;
    }
    park(callback);
    return Enter::parked;
  }

  // Parks the callback. With mutex_ held.
  void park(Node & callback) noexcept
  {
    assert(mutex_.held());
    callback.where_.store(Node::Where::parked, std::memory_order_release);
    parked_.push(&callback);
  }

  // Hands the group to the best parked callback and returns it; nullptr: the group is free. With
  // mutex_ held.
  Node * hand_over() noexcept
  {
    assert(mutex_.held());
    if (parked_.empty()) {
      granted_ = nullptr;
      state_.store(0, std::memory_order_release);
      return nullptr;
    }
    granted_ = parked_.pop();
    granted_precedence_ = granted_->precedence_;
    // The callback returns to its ready queue.
    granted_->where_.store(Node::Where::nowhere, std::memory_order_relaxed);
    return granted_;
  }

  struct Less
  {
    bool operator()(const Node * a, const Node * b) const noexcept
    {
      return a->precedence_.before(b->precedence_);
    }
  };
  struct Index
  {
    std::uint32_t & operator()(Node * c) const noexcept { return c->place_; }
  };

  const bool exclusive_;
  typename Sync::template Word<bool> shared_{false};
  typename Sync::template Word<std::uint32_t> state_{0};
  IntrusiveHeap<Node *, Less, Index> parked_;
  Node * granted_ = nullptr;       // holds the group, has not started
  Precedence granted_precedence_;  // at the time of the grant
};

}  // namespace takt_core::detail

#endif  // TAKT_CORE__DETAIL__GROUP_GATE_HPP_
