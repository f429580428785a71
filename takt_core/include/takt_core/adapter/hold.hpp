// Frees a callback's resources when its entity is destroyed and no run uses them.
//
// A callback that removes itself stays in the executor until another thread frees it. Middleware
// handles and users' captures must be freed earlier.
#ifndef TAKT_CORE__ADAPTER__HOLD_HPP_
#define TAKT_CORE__ADAPTER__HOLD_HPP_

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace takt_core::adapter
{

/// Holds the resources `T` of one callback. Any thread.
template <typename T>
class Hold
{
public:
  /// The entity holds the value until it calls `release`.
  explicit Hold(std::shared_ptr<T> value) : value_(std::move(value)) {}

  /// Acquires the value for one run; false if the entity and all runs have released it. Real-time
  /// safe, lock-free.
  bool acquire() noexcept
  {
    std::uint32_t holders = holders_.load(std::memory_order_relaxed);
    do {
      if (holders == 0) {
        return false;
      }
    } while (!holders_.compare_exchange_weak(holders, holders + 1, std::memory_order_acquire));
    return true;
  }

  /// A run or the entity releases the value. The last release frees it.
  void release() noexcept
  {
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      value_.reset();
    }
  }

  /// The value. Use it only between `acquire` and `release`.
  T & operator*() const noexcept { return *value_; }
  T * operator->() const noexcept { return value_.get(); }

  /// Releases the value at the end of the scope, unless `keep` was called.
  class Releasing
  {
  public:
    explicit Releasing(Hold & hold) noexcept : hold_(&hold) {}
    ~Releasing()
    {
      if (hold_ != nullptr) {
        hold_->release();
      }
    }
    Releasing(const Releasing &) = delete;
    Releasing & operator=(const Releasing &) = delete;
    /// From now on the destructor does not release the value.
    void keep() noexcept { hold_ = nullptr; }

  private:
    Hold * hold_;
  };

private:
  std::shared_ptr<T> value_;
  std::atomic<std::uint32_t> holders_{1};  // counts the entity and each run
};

}  // namespace takt_core::adapter

#endif  // TAKT_CORE__ADAPTER__HOLD_HPP_
