// Order `edf`: the earliest absolute deadline first, release order among equals. O(log ready).
#ifndef TAKT_CORE__SRC__DEADLINE_QUEUE_HPP_
#define TAKT_CORE__SRC__DEADLINE_QUEUE_HPP_

#include <cassert>

#include "takt_core/detail/ready_queue.hpp"
#include "takt_core/intrusive_heap.hpp"

namespace takt_core
{

using takt_rt::to_ns;

class DeadlineQueue final : public ReadyQueue
{
public:
  using ReadyQueue::ReadyQueue;

  void reserve(std::size_t callbacks) override { heap_.reserve(callbacks, mutex_); }
  void insert(CallbackEntry & callback, From) noexcept override { heap().push(&callback); }
  void remove(CallbackEntry & callback) noexcept override { heap().remove(&callback); }
  CallbackEntry * pop() noexcept override { return heap().empty() ? nullptr : heap_.pop(); }
  const CallbackEntry * peek() const noexcept override
  {
    return heap().empty() ? nullptr : heap_.top();
  }
  bool may_have_work() const noexcept override { return !heap().empty(); }

  std::uint64_t key(const CallbackEntry &, Time deadline) const noexcept override
  {
    return static_cast<std::uint64_t>(to_ns(deadline));
  }

private:
  struct Index
  {
    std::uint32_t & operator()(CallbackEntry * c) const noexcept { return c->place_; }
  };
  using Heap = IntrusiveHeap<CallbackEntry *, CallbackLess, Index>;

  Heap & heap() noexcept
  {
    assert(mutex_.held());
    return heap_;
  }
  const Heap & heap() const noexcept
  {
    assert(mutex_.held());
    return heap_;
  }

  Heap heap_;
};

}  // namespace takt_core

#endif  // TAKT_CORE__SRC__DEADLINE_QUEUE_HPP_
