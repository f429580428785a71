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

void LevelQueue::insert(Callback & callback, From) noexcept
{
  const std::uint64_t at = callback.precedence_.key;
  Level & level = levels_[at];
  words_[at / 64] |= std::uint64_t{1} << (at % 64);

  // `before` becomes the predecessor: the last element released earlier.
  Callback * before = level.tail;
  Callback * ahead = level.head;
  const CallbackLess less;
  while (before != nullptr && less(&callback, before)) {
    if (less(&callback, ahead)) {
      before = ahead->previous_;
      break;
    }
    ahead = ahead->next_;
    before = before->previous_;
  }

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
    after->prefetch();
  }
  return callback;
}

const Callback * LevelQueue::peek() const noexcept
{
  const std::size_t at = best();
  return at == kLevels ? nullptr : levels_[at].head;
}

}  // namespace takt_core
