// Orders `priority` and `fifo`: 256 levels (or one), release order inside a level.
//
// Level lists are intrusive and doubly linked; a bitmap finds the best level in O(1). A callback is
// put where its release belongs: before the one that was put in last (an intake comes newest first),
// or else where a walk from both ends at once finds: new work belongs at the tail and old work (a
// backlog, a callback back from its group) at the head, so it is short in either case and never
// longer than the number of callbacks it is nearer to the end than.
#ifndef TAKT_CORE__SRC__LEVEL_QUEUE_HPP_
#define TAKT_CORE__SRC__LEVEL_QUEUE_HPP_

#include <array>
#include <cstdint>
#include <vector>

#include "takt_core/ready_queue.hpp"

namespace takt_core
{

class LevelQueue final : public ReadyQueue
{
public:
  explicit LevelQueue(Order order) : order_(order), levels_(order == Order::fifo ? 1 : kLevels) {}

  void reserve(std::size_t) override {}
  void insert(Callback & callback, From from) noexcept override;
  void remove(Callback & callback) noexcept override;
  Callback * pop() noexcept override;
  const Callback * peek() const noexcept override;
  bool may_have_work() const noexcept override { return !empty(); }
  std::uint64_t key(const Callback & callback, Time deadline) const noexcept override;

private:
  static constexpr std::size_t kLevels = 256;

  struct Level
  {
    Callback * head = nullptr;
    Callback * tail = nullptr;
    Callback * latest = nullptr;  // that was inserted, if it is still here
  };

  bool empty() const noexcept { return (words_[0] | words_[1] | words_[2] | words_[3]) == 0; }
  std::size_t best() const noexcept;
  static Callback * predecessor(const Level & level, const Callback & callback) noexcept;

  const Order order_;
  std::array<std::uint64_t, kLevels / 64> words_{};
  std::vector<Level> levels_;
};

}  // namespace takt_core

#endif  // TAKT_CORE__SRC__LEVEL_QUEUE_HPP_
