#include "scheduler/level_queue.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace takt_core
{

std::uint64_t LevelQueue::key(const CallbackEntry & callback, Time) const noexcept
{
  if (order_ == Order::fifo) {
    return 0;
  }
  const std::uint64_t level = std::uint64_t{callback.priority_.load(std::memory_order_relaxed)} +
                              callback.raised_.load(std::memory_order_relaxed);
  return kLevels - 1 - std::min<std::uint64_t>(level, kLevels - 1);
}

std::size_t LevelQueue::best() const noexcept
{
  for (std::size_t w = 0; w < words_.size(); ++w) {
    if (words_[w] != 0) {
      return w * 64 + static_cast<std::size_t>(std::countr_zero(words_[w]));
    }
  }
  return kLevels;
}

// The first callback of the lists and the heap; nullptr: both are empty. `level`: the best level.
CallbackEntry * LevelQueue::first(std::size_t level) const noexcept
{
  CallbackEntry * const listed = level == kLevels ? nullptr : levels_[level].head;
  if (out_of_order_.empty()) {
    return listed;
  }
  CallbackEntry * const other = out_of_order_.top();
  return listed == nullptr || CallbackLess{}(other, listed) ? other : listed;
}

// The last callback of the level that comes before `callback`; nullptr: none; nullopt: a few steps
// do not find it.
std::optional<CallbackEntry *> LevelQueue::predecessor(
  const Level & level, const CallbackEntry & callback) noexcept
{
  const CallbackLess less;
  if (level.latest != nullptr && less(&callback, level.latest)) {
    CallbackEntry * const before = level.latest->previous_;
    if (before == nullptr || !less(&callback, before)) {
      return before;
    }
  }
  CallbackEntry * before = level.tail;
  const CallbackEntry * ahead = level.head;
  for (int step = 0; before != nullptr && less(&callback, before); ++step) {
    if (less(&callback, ahead)) {
      return ahead->previous_;
    }
    if (step == kSteps) {
      return std::nullopt;
    }
    ahead = ahead->next_;
    before = before->previous_;
  }
  return before;
}

void LevelQueue::insert(CallbackEntry & callback, From) noexcept
{
  assert(mutex_.held());
  const std::uint64_t at = callback.precedence_.key;
  Level & level = levels_[at];
  const std::optional<CallbackEntry *> found = predecessor(level, callback);
  if (!found) {
    out_of_order_.push(&callback);
    return;
  }
  CallbackEntry * const before = *found;
  words_[at / 64] |= std::uint64_t{1} << (at % 64);
  level.latest = &callback;

  callback.previous_ = before;
  callback.next_ = before != nullptr ? before->next_ : level.head;
  (before != nullptr ? before->next_ : level.head) = &callback;
  (callback.next_ != nullptr ? callback.next_->previous_ : level.tail) = &callback;
}

void LevelQueue::remove(CallbackEntry & callback) noexcept
{
  assert(mutex_.held());
  if (callback.place_ != Heap::kAbsent) {
    out_of_order_.remove(&callback);
    return;
  }
  const std::uint64_t at = callback.precedence_.key;
  Level & level = levels_[at];
  (callback.previous_ != nullptr ? callback.previous_->next_ : level.head) = callback.next_;
  (callback.next_ != nullptr ? callback.next_->previous_ : level.tail) = callback.previous_;
  if (level.latest == &callback) {
    level.latest = nullptr;
  }
  if (level.head == nullptr) {
    words_[at / 64] &= ~(std::uint64_t{1} << (at % 64));
  }
}

CallbackEntry * LevelQueue::pop() noexcept
{
  assert(mutex_.held());
  const std::size_t at = best();
  CallbackEntry * const callback = first(at);
  if (callback == nullptr) {
    return nullptr;
  }
  remove(*callback);
  if (at == kLevels) {
    return callback;
  }
  if (const CallbackEntry * const after = levels_[at].head; after != nullptr) {
    after->prefetch_more();
    if (after->next_ != nullptr) {
      after->next_->prefetch();
    }
  }
  return callback;
}

const CallbackEntry * LevelQueue::peek() const noexcept
{
  assert(mutex_.held());
  return first(best());
}

bool LevelQueue::may_have_work() const noexcept
{
  assert(mutex_.held());
  return !empty();
}

}  // namespace takt_core
