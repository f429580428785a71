// The ready callbacks of one thread set, in one order.
//
// Not synchronised: every call but `reserve` is made with the thread set's mutex held. `insert`,
// `remove`, `pop` and `peek` are real-time safe; `reserve`, `attach` and `detach` are set-up only.
#ifndef TAKT_CORE__DETAIL__READY_QUEUE_HPP_
#define TAKT_CORE__DETAIL__READY_QUEUE_HPP_

#include <cstddef>
#include <memory>

#include "takt_core/callback.hpp"
#include "takt_core/order.hpp"
#include "takt_rt/pi_mutex.hpp"

namespace takt_core
{

class ReadyQueue
{
public:
  virtual ~ReadyQueue() = default;

  /// Makes room for `callbacks` in all. With the set's `mutex` not held: it is taken for as short as
  /// may be.
  virtual void reserve(std::size_t callbacks, PiMutex & mutex) = 0;

  /// Announces that `callback` may be inserted from now on, or no longer.
  virtual void attach(Callback & callback);
  virtual void detach(Callback & callback);

  /// How an inserted callback comes.
  enum class From
  {
    release,  ///< newly released, or more of its work is pending
    group,    ///< it waited for its group and was handed it: it keeps its old place
  };

  /// Sorts the callback in by its key, which `set_key` computes first.
  virtual void insert(Callback & callback, From from) noexcept = 0;
  virtual void remove(Callback & callback) noexcept = 0;

  /// Removes and returns the best callback; nullptr if none may be picked now.
  virtual Callback * pop() noexcept = 0;

  /// The best callback without removing it; orders with windows return nullptr.
  virtual const Callback * peek() const noexcept = 0;

  /// Whether `pop` may return something. May be true in vain once, never false in vain.
  virtual bool may_have_work() const noexcept = 0;

  /// The sort key of `callback`, smaller first. `deadline`: known for order `edf` only.
  virtual std::uint64_t key(const Callback & callback, Time deadline) const noexcept = 0;

  /// True if `pop` itself enters the callback's group, because members of busy groups stay in the
  /// queue instead of being parked (`stock`).
  virtual bool enters_groups() const noexcept { return false; }

  /// Told when a callback of this queue leaves its group, if `enters_groups()`.
  virtual void group_left(Group & group) noexcept;

  /// Told when a group was left by anyone, if `enters_groups()`.
  virtual void look_again() noexcept;
};

std::unique_ptr<ReadyQueue> make_ready_queue(Order order, WindowTimers timers);

}  // namespace takt_core

#endif  // TAKT_CORE__DETAIL__READY_QUEUE_HPP_
