#include "level_queue.hpp"

#include <bit>

namespace takt_core
{

std::uint64_t LevelQueue::key(const Callback & callback, Time) const noexcept
{
  if (order_ == Order::fifo) {
    return 0;
  }
  return kLevels - 1 -
         static_cast<std::uint64_t>(callback.priority_.load(std::memory_order_relaxed));
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

// The last callback of the level that was released earlier; nullptr if there is none.
Callback * LevelQueue::predecessor(const Level & level, const Callback & callback) noexcept
{
  const CallbackLess less;
  if (level.latest != nullptr && less(&callback, level.latest)) {
    Callback * const before = level.latest->previous_;
    if (before == nullptr || !less(&callback, before)) {
      return before;
    }
  }
  Callback * before = level.tail;
  const Callback * ahead = level.head;
  while (before != nullptr && less(&callback, before)) {
    if (less(&callback, ahead)) {
      return ahead->previous_;
    }
    ahead = ahead->next_;
    before = before->previous_;
  }
  return before;
}

void LevelQueue::insert(Callback & callback, From) noexcept
{
  const std::uint64_t at = callback.precedence_.key;
  Level & level = levels_[at];
  words_[at / 64] |= std::uint64_t{1} << (at % 64);

  Callback * const before = predecessor(level, callback);
  level.latest = &callback;

  callback.previous_ = before;
  callback.next_ = before != nullptr ? before->next_ : level.head;
  (before != nullptr ? before->next_ : level.head) = &callback;
  (callback.next_ != nullptr ? callback.next_->previous_ : level.tail) = &callback;
}

void LevelQueue::remove(Callback & callback) noexcept
{
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

Callback * LevelQueue::pop() noexcept
{
  const std::size_t at = best();
  if (at == kLevels) {
    return nullptr;
  }
  Callback * const callback = levels_[at].head;
  remove(*callback);
  if (const Callback * const after = levels_[at].head; after != nullptr) {
    after->prefetch_more();
    if (after->next_ != nullptr) {
      after->next_->prefetch();
    }
  }
  return callback;
}

const Callback * LevelQueue::peek() const noexcept
{
  const std::size_t at = best();
  return at == kLevels ? nullptr : levels_[at].head;
}

}  // namespace takt_core
