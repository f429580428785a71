// Lets any thread use a callback and its executor while another thread detaches them.
//
// A user holds one of a few gates. The detaching thread passes through all gates. The gates inherit
// priority: a user that was preempted inside a gate continues at the priority of the thread that
// waits for that gate. Users wait for each other only if there are more users than gates.
#ifndef TAKT_CORE__ADAPTER__ATTACHMENT_HPP_
#define TAKT_CORE__ADAPTER__ATTACHMENT_HPP_

#include <array>
#include <atomic>

#include "takt_core/executor.hpp"
#include "takt_rt/pi_mutex.hpp"

namespace takt_core::adapter
{

/// The executor and callback of one entity, or none.
class Attachment
{
public:
  /// Calls `function(executor, callback)` if a callback is attached, and returns whether it was.
  /// `function` runs no user code. Any thread. Real-time safe: waits at most for another user's
  /// `function`, which inherits the caller's priority.
  template <typename Function>
  bool use(Function && function) const noexcept
  {
    // A check without a gate, so that frequent users do not keep the gates busy.
    if (callback_.load(std::memory_order_seq_cst) == nullptr) {
      return false;
    }
    PiMutex & gate = enter();
    Callback * const callback = callback_.load(std::memory_order_seq_cst);
    if (callback != nullptr) {
      function(*executor_.load(std::memory_order_relaxed), *callback);
    }
    gate.unlock();
    return callback != nullptr;
  }

  /// Attaches `callback` and its executor. Set-up only.
  void set(Executor & executor, Callback & callback) noexcept
  {
    executor_.store(&executor, std::memory_order_relaxed);
    callback_.store(&callback, std::memory_order_seq_cst);
  }

  /// Detaches the callback. No `function` runs after the return. Set-up only.
  void clear() noexcept
  {
    callback_.store(nullptr, std::memory_order_seq_cst);
    for (PiMutex & gate : gates_) {
      gate.lock();
      gate.unlock();
    }
  }

private:
  PiMutex & enter() const noexcept
  {
    for (PiMutex & gate : gates_) {
      if (gate.try_lock()) {
        return gate;
      }
    }
    gates_.front().lock();
    return gates_.front();
  }

  mutable std::array<PiMutex, 3> gates_;
  std::atomic<Callback *> callback_{nullptr};
  std::atomic<Executor *> executor_{nullptr};
};

}  // namespace takt_core::adapter

#endif  // TAKT_CORE__ADAPTER__ATTACHMENT_HPP_
