// Orders `priority` and `fifo`: 256 levels (or one), release order inside a level.
//
// Level lists are intrusive and doubly linked; a bitmap finds the best level in O(1). A callback is
// inserted by its release. The queue first tries the place before the callback inserted last (an
// intake comes newest first). Then it looks for the place by a few steps from both ends: new work
// belongs at the tail, old work (a backlog, a callback back from its group) at the head. A callback
// whose place is not found there goes to a heap beside the lists. So the usual insertion costs
// O(1), and every one at most O(log ready).
#ifndef TAKT_CORE__SRC__LEVEL_QUEUE_HPP_
#define TAKT_CORE__SRC__LEVEL_QUEUE_HPP_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "takt_core/detail/ready_queue.hpp"
#include "takt_core/intrusive_heap.hpp"

namespace takt_core
{

class LevelQueue final : public ReadyQueue
{
public:
  LevelQueue(Order order, PiMutex & mutex)
  : ReadyQueue(mutex),
    order_(order),
    levels_(order == Order::fifo ? 1 : kLevels)
  {
  }

  void reserve(std::size_t callbacks) override { out_of_order_.reserve(callbacks, mutex_); }
  void insert(CallbackEntry & callback, From from) noexcept override;
  void remove(CallbackEntry & callback) noexcept override;
  CallbackEntry * pop() noexcept override;
  const CallbackEntry * peek() const noexcept override;
  bool may_have_work() const noexcept override;
  std::uint64_t key(const CallbackEntry & callback, Time deadline) const noexcept override;

private:
  static constexpr std::size_t kLevels = 256;
  // Steps from each end of a level; further steps would cost more than the heap.
  static constexpr int kSteps = 16;

  struct Level
  {
    CallbackEntry * head = nullptr;
    CallbackEntry * tail = nullptr;
    CallbackEntry * latest = nullptr;  // the callback inserted last, if it is still listed
  };

  struct Index
  {
    std::uint32_t & operator()(CallbackEntry * c) const noexcept { return c->place_; }
  };
  using Heap = IntrusiveHeap<CallbackEntry *, CallbackLess, Index>;

  bool empty() const noexcept
  {
    return (words_[0] | words_[1] | words_[2] | words_[3]) == 0 && out_of_order_.empty();
  }
  std::size_t best() const noexcept;
  CallbackEntry * first(std::size_t level) const noexcept;
  static std::optional<CallbackEntry *> predecessor(
    const Level & level, const CallbackEntry & callback) noexcept;

  const Order order_;
  std::array<std::uint64_t, kLevels / 64> words_{};
  std::vector<Level> levels_;
  Heap out_of_order_;  // for callbacks of all levels
};

}  // namespace takt_core

#endif  // TAKT_CORE__SRC__LEVEL_QUEUE_HPP_
