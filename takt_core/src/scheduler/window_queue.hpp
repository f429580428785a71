// Orders `window` and `stock`: ROS 2's polling points.
//
// Source: rclcpp's wait-set executors as documented for Humble; Casini et al., ECRTS 2019, for the
// single thread; Teper et al., EMSOFT 2024, for the pool's starvation.
//
// Callbacks are ranked by kind (timer, subscription, service, client, waitable), then registration.
// A window is the set of callbacks that were ready at the last polling point; each runs at most
// once in it, in rank order. Callbacks that become ready meanwhile are pending for the next window.
#ifndef TAKT_CORE__SRC__WINDOW_QUEUE_HPP_
#define TAKT_CORE__SRC__WINDOW_QUEUE_HPP_

#include <vector>

#include "scheduler/rank_set.hpp"
#include "takt_core/detail/ready_queue.hpp"

namespace takt_core
{

/// Gives each attached callback its rank and finds callbacks by rank.
class RankTable
{
public:
  void reserve(std::size_t callbacks) { by_rank_.reserve(callbacks); }
  std::size_t size() const noexcept { return by_rank_.size(); }
  CallbackEntry & at(std::uint32_t rank) const noexcept { return *by_rank_[rank]; }

  /// Both functions renumber all later ranks: O(attached).
  void attach(CallbackEntry & callback);
  void detach(CallbackEntry & callback);

  /// Orders callbacks by kind, then by registration; independent of the other attached callbacks.
  /// The window's number takes the bits above: 2^41 polling points are 25 days at a million a
  /// second.
  static constexpr unsigned kKeyBits = 23;
  static constexpr unsigned kKindBits = 3;
  static std::uint64_t key(const CallbackEntry & callback) noexcept;

private:
  void renumber(std::size_t from) noexcept;
  std::vector<CallbackEntry *> by_rank_;
};

/// Order `window`. A callback back from its group rejoins the current window, so that later windows
/// do not starve it.
class WindowQueue : public ReadyQueue
{
public:
  WindowQueue(WindowTimers timers, PiMutex & mutex) : ReadyQueue(mutex), timers_(timers) {}

  void reserve(std::size_t callbacks) override;
  void attach(CallbackEntry & callback) override;
  void detach(CallbackEntry & callback) override;
  void insert(CallbackEntry & callback, From from) noexcept override;
  void remove(CallbackEntry & callback) noexcept override;
  CallbackEntry * pop() noexcept override;
  const CallbackEntry * peek() const noexcept override { return nullptr; }
  bool may_have_work() const noexcept override;
  std::uint64_t key(const CallbackEntry & callback, Time) const noexcept override
  {
    return RankTable::key(callback);
  }

protected:
  const WindowTimers timers_;
  RankTable table_;
  RankSet window_;   // the current window's members that have not run
  RankSet pending_;  // callbacks that became ready after the polling point

private:
  void make_room(std::size_t callbacks);
  template <typename Change>
  void rerank(Change && change);

  std::uint64_t number_ = 0;  // number of the latest polling point
};

/// Order `stock`: as `window`, but skips members of a busy group. If a window has only such
/// members, it is rebuilt from the groups that are free at that moment: members of busy groups drop
/// out. A thread that finds no callback waits for the groups that were free when it looked. This
/// starves callbacks, as published; use it for comparisons only.
class StockQueue final : public WindowQueue
{
public:
  using WindowQueue::WindowQueue;

  void remove(CallbackEntry & callback) noexcept override;
  void insert(CallbackEntry & callback, From from) noexcept override;
  CallbackEntry * pop() noexcept override;
  bool may_have_work() const noexcept override;
  bool enters_groups() const noexcept override { return true; }
  void group_left(Group & group) noexcept override;
  void look_again() noexcept override;

private:
  CallbackEntry * pick() noexcept;
  void collect(bool only_awaited) noexcept;
  bool awaited(const CallbackEntry & callback) const noexcept;

  static constexpr std::size_t kMaxThreads = 64;
  std::vector<const Group *> busy_ = reserved();  // groups entered through this queue
  // The groups that were busy when the waiting thread looked.
  std::vector<const Group *> excluded_ = reserved();
  bool waiting_ = false;  // a thread waits, except for callbacks of `excluded_`
  bool settled_ = true;   // no change since `pop` last found no callback

  static std::vector<const Group *> reserved()
  {
    std::vector<const Group *> groups;
    groups.reserve(kMaxThreads);
    return groups;
  }
};

}  // namespace takt_core

#endif  // TAKT_CORE__SRC__WINDOW_QUEUE_HPP_
