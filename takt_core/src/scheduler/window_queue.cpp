#include "scheduler/window_queue.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <mutex>

#include "takt_core/group.hpp"

namespace takt_core
{

namespace
{

// Counts the polling points of all window queues of the process: a group may have members in
// several queues, and members of an earlier polling point go first.
std::atomic<std::uint64_t> g_windows{0};

}  // namespace

std::uint64_t RankTable::key(const CallbackEntry & callback) noexcept
{
  constexpr std::uint32_t kLast = (1U << (kKeyBits - kKindBits)) - 1;
  return (static_cast<std::uint64_t>(callback.kind_) << (kKeyBits - kKindBits)) |
         std::min(callback.registration_, kLast);
}

void RankTable::renumber(std::size_t from) noexcept
{
  for (std::size_t r = from; r < by_rank_.size(); ++r) {
    by_rank_[r]->rank_ = static_cast<std::uint32_t>(r);
  }
}

void RankTable::attach(CallbackEntry & callback)
{
  const auto at = std::upper_bound(
    by_rank_.begin(), by_rank_.end(), key(callback),
    [](std::uint64_t k, const CallbackEntry * c) { return k < key(*c); });
  const auto from = static_cast<std::size_t>(at - by_rank_.begin());
  by_rank_.insert(at, &callback);
  renumber(from);
}

void RankTable::detach(CallbackEntry & callback)
{
  const std::size_t from = callback.rank_;
  by_rank_.erase(by_rank_.begin() + static_cast<std::ptrdiff_t>(from));
  callback.rank_ = UINT32_MAX;
  renumber(from);
}

void WindowQueue::make_room(std::size_t callbacks)
{
  assert(mutex_.held());
  table_.reserve(callbacks);
  window_.reserve(callbacks);
  pending_.reserve(callbacks);
}

void WindowQueue::reserve(std::size_t callbacks)
{
  std::lock_guard lock(mutex_);  // renumbering ranks needs the mutex anyway
  make_room(callbacks);
}

template <typename Change>
void WindowQueue::rerank(Change && change)
{
  assert(mutex_.held());
  const auto empty = [this](RankSet & set) {
    std::vector<CallbackEntry *> members;
    for (std::uint32_t r = set.first(); r != RankSet::kNone; r = set.first()) {
      members.push_back(&table_.at(r));
      set.erase(r);
    }
    return members;
  };
  const std::vector<CallbackEntry *> window = empty(window_);
  const std::vector<CallbackEntry *> pending = empty(pending_);
  change();
  for (const CallbackEntry * callback : window) {
    window_.insert(callback->rank_);
  }
  for (const CallbackEntry * callback : pending) {
    pending_.insert(callback->rank_);
  }
}

void WindowQueue::attach(CallbackEntry & callback)
{
  assert(mutex_.held());
  make_room(table_.size() + 1);
  rerank([&] { table_.attach(callback); });
}

void WindowQueue::detach(CallbackEntry & callback)
{
  assert(mutex_.held());
  rerank([&] { table_.detach(callback); });
}

void WindowQueue::insert(CallbackEntry & callback, From from) noexcept
{
  assert(mutex_.held());
  const bool now =
    from == From::group || (timers_ == WindowTimers::immediate && callback.kind_ == Kind::timer);
  (now ? window_ : pending_).insert(callback.rank_);
}

void WindowQueue::remove(CallbackEntry & callback) noexcept
{
  assert(mutex_.held());
  if (window_.contains(callback.rank_)) {
    window_.erase(callback.rank_);
  } else {
    pending_.erase(callback.rank_);
  }
}

CallbackEntry * WindowQueue::pop() noexcept
{
  assert(mutex_.held());
  if (window_.empty() && !pending_.empty()) {
    window_.swap(pending_);  // the polling point
    number_ = g_windows.fetch_add(1, std::memory_order_relaxed) + 1;
  }
  const std::uint32_t rank = window_.first();
  if (rank == RankSet::kNone) {
    return nullptr;
  }
  window_.erase(rank);
  CallbackEntry & callback = table_.at(rank);
  // If the callback is parked in its group, it goes before the members of later windows.
  callback.precedence_.key = (number_ << RankTable::kKeyBits) | RankTable::key(callback);
  return &callback;
}

bool WindowQueue::may_have_work() const noexcept
{
  assert(mutex_.held());
  return !window_.empty() || !pending_.empty();
}

bool StockQueue::may_have_work() const noexcept
{
  assert(mutex_.held());
  return !settled_;
}

void StockQueue::insert(CallbackEntry & callback, From from) noexcept
{
  assert(mutex_.held());
  WindowQueue::insert(callback, from);
  settled_ = false;
}

void StockQueue::remove(CallbackEntry & callback) noexcept
{
  assert(mutex_.held());
  WindowQueue::remove(callback);
}

bool StockQueue::awaited(const CallbackEntry & callback) const noexcept
{
  return std::find(excluded_.begin(), excluded_.end(), callback.group_) == excluded_.end();
}

void StockQueue::collect(bool only_awaited) noexcept
{
  assert(mutex_.held());
  // Members left in the old window are due or have data still, so they become pending.
  for (std::uint32_t r = window_.first(); r != RankSet::kNone; r = window_.first()) {
    window_.erase(r);
    pending_.insert(r);
  }
  for (std::uint32_t r = pending_.first(); r != RankSet::kNone; r = pending_.next(r)) {
    const CallbackEntry & callback = table_.at(r);
    if (only_awaited ? awaited(callback) : !callback.group_->busy()) {
      window_.insert(r);
    }
  }
  for (std::uint32_t r = window_.first(); r != RankSet::kNone; r = window_.next(r)) {
    pending_.erase(r);
  }
}

CallbackEntry * StockQueue::pick() noexcept
{
  assert(mutex_.held());
  for (std::uint32_t r = window_.first(); r != RankSet::kNone; r = window_.next(r)) {
    CallbackEntry & callback = table_.at(r);
    if (callback.group_->try_enter()) {
      window_.erase(r);
      if (callback.group_->exclusive()) {
        busy_.push_back(callback.group_);
      }
      return &callback;
    }
  }
  return nullptr;
}

CallbackEntry * StockQueue::pop() noexcept
{
  assert(mutex_.held());
  if (waiting_) {  // as in rclcpp, a wait returns only the callbacks for which it waited
    waiting_ = false;
    collect(true);
    excluded_.clear();
  }
  if (CallbackEntry * const callback = pick()) {
    return callback;
  }
  collect(false);
  if (CallbackEntry * const callback = pick()) {
    return callback;
  }
  waiting_ = true;
  settled_ = true;
  excluded_ = busy_;
  return nullptr;
}

void StockQueue::group_left(Group & group) noexcept
{
  assert(mutex_.held());
  const auto at = std::find(busy_.begin(), busy_.end(), &group);
  if (at != busy_.end()) {
    *at = busy_.back();
    busy_.pop_back();
  }
  look_again();
}

void StockQueue::look_again() noexcept
{
  assert(mutex_.held());
  settled_ = false;  // rclcpp triggers the interrupt guard condition here
}

}  // namespace takt_core
