// Lets what a callback works with go as soon as its entity is gone and no run needs it any more.
//
// The executor keeps a callback that was removed from inside itself until somebody has time to free
// it; middleware handles and users' captures must not wait for that.
#ifndef TAKT_CORE__ADAPTER__HOLD_HPP_
#define TAKT_CORE__ADAPTER__HOLD_HPP_

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace takt_core::adapter
{

template <typename T>
class Hold
{
public:
  explicit Hold(std::shared_ptr<T> value) : value_(std::move(value)) {}

  /// For one run; false once the entity is gone and no run holds it. Real-time safe, lock-free.
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

  /// The end of a run, or of the entity: the last one lets the value go.
  void release() noexcept
  {
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      value_.reset();
    }
  }

  /// Only between `acquire` and `release`.
  T & operator*() const noexcept { return *value_; }
  T * operator->() const noexcept { return value_.get(); }

  /// Releases at the end of its scope, unless kept.
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
    void keep() noexcept { hold_ = nullptr; }

  private:
    Hold * hold_;
  };

private:
  std::shared_ptr<T> value_;
  std::atomic<std::uint32_t> holders_{1};  // the entity, and each run
};

}  // namespace takt_core::adapter

#endif  // TAKT_CORE__ADAPTER__HOLD_HPP_
