// The ready callbacks of one thread set, in one order.
//
// Not synchronised: the caller holds the thread set's mutex in every call except `reserve`, `key`
// and `enters_groups`; every other function asserts it first. `insert`, `remove`, `pop` and `peek`
// are real-time safe; `reserve`, `attach` and `detach` are set-up only.
#ifndef TAKT_CORE__DETAIL__READY_QUEUE_HPP_
#define TAKT_CORE__DETAIL__READY_QUEUE_HPP_

#include <cstddef>
#include <memory>

#include "takt_core/detail/callback_entry.hpp"
#include "takt_core/order.hpp"
#include "takt_rt/pi_mutex.hpp"

namespace takt_core
{

using takt_rt::PiMutex;

class ReadyQueue
{
public:
  /// `mutex`: of the thread set.
  explicit ReadyQueue(PiMutex & mutex) noexcept : mutex_(mutex) {}
  virtual ~ReadyQueue() = default;
  ReadyQueue(const ReadyQueue &) = delete;
  ReadyQueue & operator=(const ReadyQueue &) = delete;

  /// Makes room for `callbacks` callbacks in all. Call without the set's mutex: `reserve` takes it
  /// as briefly as possible.
  virtual void reserve(std::size_t callbacks) = 0;

  /// `callback` may be inserted after `attach` and until `detach`.
  virtual void attach(CallbackEntry & callback);
  virtual void detach(CallbackEntry & callback);

  /// Why a callback is inserted.
  enum class From
  {
    release,  ///< newly released, or with more work pending
    group,    ///< was handed its group: keeps its old place
  };

  /// Inserts the callback by its key. The caller has set the key by `set_key`.
  virtual void insert(CallbackEntry & callback, From from) noexcept = 0;
  virtual void remove(CallbackEntry & callback) noexcept = 0;

  /// Removes and returns the best callback; nullptr if no callback may be picked now.
  virtual CallbackEntry * pop() noexcept = 0;

  /// Returns the best callback and keeps it; orders with windows return nullptr.
  virtual const CallbackEntry * peek() const noexcept = 0;

  /// Whether `pop` may return a callback. May be wrongly true once, never wrongly false.
  virtual bool may_have_work() const noexcept = 0;

  /// The sort key of `callback`, smaller first. Only order `edf` uses `deadline`. Needs no mutex.
  virtual std::uint64_t key(const CallbackEntry & callback, Time deadline) const noexcept = 0;

  /// Whether `pop` enters the callback's group: members of busy groups then stay in the queue
  /// instead of being parked (`stock`).
  virtual bool enters_groups() const noexcept { return false; }

  /// A callback of this queue has left its group. Called only if `enters_groups()`.
  virtual void group_left(Group & group) noexcept;

  /// A callback of any queue has left its group. Called only if `enters_groups()`.
  virtual void look_again() noexcept;

protected:
  PiMutex & mutex_;
};

/// `mutex`: of the thread set, which outlives the queue. Set-up only.
std::unique_ptr<ReadyQueue> make_ready_queue(Order order, WindowTimers timers, PiMutex & mutex);

}  // namespace takt_core

#endif  // TAKT_CORE__DETAIL__READY_QUEUE_HPP_
