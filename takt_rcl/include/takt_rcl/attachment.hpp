// Lets any thread use a callback and its executor while another takes them away.
#ifndef TAKT_RCL__ATTACHMENT_HPP_
#define TAKT_RCL__ATTACHMENT_HPP_

#include <atomic>
#include <cstdint>
#include <thread>

#include "takt_core/executor.hpp"

namespace takt_rcl
{

class Attachment
{
public:
  /// Calls `function(executor, callback)` if there is one, and says whether. `function` runs no
  /// user code. Real-time safe, lock-free, any thread.
  template <typename Function>
  bool use(Function && function) const noexcept
  {
    users_.fetch_add(1, std::memory_order_seq_cst);
    takt_core::Callback * const callback = callback_.load(std::memory_order_seq_cst);
    if (callback != nullptr) {
      function(*executor_.load(std::memory_order_relaxed), *callback);
    }
    users_.fetch_sub(1, std::memory_order_release);
    return callback != nullptr;
  }

  /// Set-up only.
  void set(takt_core::Executor & executor, takt_core::Callback & callback) noexcept
  {
    executor_.store(&executor, std::memory_order_relaxed);
    callback_.store(&callback, std::memory_order_seq_cst);
  }

  /// Set-up only. Afterwards nobody uses what was set.
  void clear() noexcept
  {
    callback_.store(nullptr, std::memory_order_seq_cst);
    while (users_.load(std::memory_order_seq_cst) != 0) {
      std::this_thread::yield();
    }
  }

private:
  mutable std::atomic<std::uint32_t> users_{0};
  std::atomic<takt_core::Callback *> callback_{nullptr};
  std::atomic<takt_core::Executor *> executor_{nullptr};
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__ATTACHMENT_HPP_
