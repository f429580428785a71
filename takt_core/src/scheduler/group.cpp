#include "takt_core/group.hpp"

#include <mutex>

#include "takt_core/callback.hpp"

namespace takt_core
{

bool Group::Less::operator()(const Callback * a, const Callback * b) const noexcept
{
  return CallbackLess{}(a, b);
}

std::uint32_t & Group::Index::operator()(Callback * c) const noexcept
{
  return c->place_;
}

Group::Group(GroupKind kind, std::string id) : kind_(kind), id_(std::move(id))
{
}
Group::~Group() = default;

bool Group::join(const Scheduler * scheduler)
{
  std::size_t members = 0;
  {
    std::lock_guard lock(mutex_);
    // Busy without members: one that was removed from inside itself still runs.
    if (owner_ != scheduler && (members_ > 0 || busy())) {
      return false;
    }
    owner_ = scheduler;
    members = ++members_;
    if (members > 1) {
      shared_.store(true, std::memory_order_relaxed);  // published by the mutexes that `add` passes
    }
  }
  parked_.reserve(members, mutex_);  // nobody else makes room: the group is this scheduler's now
  return true;
}

void Group::part()
{
  std::lock_guard lock(mutex_);
  --members_;
}

bool Group::try_enter() noexcept
{
  if (!exclusive()) {
    return true;
  }
  std::uint32_t free = 0;
  if (shared()) {
    return state_.compare_exchange_strong(
      free, kBusy, std::memory_order_acquire, std::memory_order_relaxed);
  }
  if (state_.load(std::memory_order_acquire) != free) {
    return false;
  }
  state_.store(kBusy, std::memory_order_relaxed);
  return true;
}

Group::Enter Group::enter(Callback & callback) noexcept
{
  if (try_enter()) {
    return Enter::entered;
  }
  std::lock_guard lock(mutex_);
  // From here on the holder cannot leave without the mutex; if it left just now, the bit is ours
  // to undo.
  if ((state_.fetch_or(kWaiters | kBusy, std::memory_order_acquire) & kBusy) == 0) {
    if (parked_.empty() && granted_ == nullptr) {
      state_.store(kBusy, std::memory_order_relaxed);
    }
    return Enter::entered;
  }
  if (granted_ == &callback) {
    granted_ = nullptr;
    return Enter::entered;
  }
  if (granted_ != nullptr && callback.precedence_.before(granted_precedence_)) {
    granted_ = nullptr;  // it stays in its ready queue and will be parked when it is picked
    return Enter::entered;
  }
  callback.where_.store(Callback::Where::parked, std::memory_order_release);
  parked_.push(&callback);
  return Enter::parked;
}

Callback * Group::hand_over() noexcept
{
  if (parked_.empty()) {
    granted_ = nullptr;
    state_.store(0, std::memory_order_release);
    return nullptr;
  }
  granted_ = parked_.pop();
  granted_precedence_ = granted_->precedence_;
  // On its way back to its ready queue.
  granted_->where_.store(Callback::Where::nowhere, std::memory_order_relaxed);
  return granted_;
}

Callback * Group::leave() noexcept
{
  if (!exclusive()) {
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

Callback * Group::park_and_leave(Callback & self) noexcept
{
  state_.fetch_or(kWaiters, std::memory_order_relaxed);
  self.where_.store(Callback::Where::parked, std::memory_order_release);
  parked_.push(&self);
  return hand_over();
}

Callback * Group::forget(Callback & callback, bool & was_parked) noexcept
{
  std::lock_guard lock(mutex_);
  was_parked = callback.where_.load(std::memory_order_relaxed) == Callback::Where::parked;
  if (was_parked) {
    parked_.remove(&callback);
    callback.where_.store(Callback::Where::nowhere, std::memory_order_relaxed);
  }
  return granted_ == &callback ? hand_over() : nullptr;
}

Callback * Group::rekey(Callback & callback, std::uint64_t key) noexcept
{
  std::lock_guard lock(mutex_);
  if (granted_ == &callback) {
    granted_precedence_.key = key;
  } else if (callback.where_.load(std::memory_order_relaxed) == Callback::Where::parked) {
    callback.precedence_.key = key;
    parked_.update(&callback);
  }
  const bool overtaken = granted_ != nullptr && !parked_.empty() &&
                         parked_.top()->precedence_.before(granted_precedence_);
  // The one that had it stays in its ready queue and will be parked when it is picked. Otherwise it
  // would hold up the better one for as long as anything between them runs.
  return overtaken ? hand_over() : nullptr;
}

}  // namespace takt_core
