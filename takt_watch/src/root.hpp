// The callback with which chains begin, by its id. Knows whether this process has the callback, and
// passes its releases to the chains.
#ifndef TAKT_WATCH__SRC__ROOT_HPP_
#define TAKT_WATCH__SRC__ROOT_HPP_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "open_activations.hpp"
#include "takt_rt/pi_mutex.hpp"
#include "takt_rt/time.hpp"

namespace takt_watch
{

/// One root. There is one object for each id, so roots are compared by address. Lives as long as
/// its RootIds.
class Root
{
public:
  explicit Root(std::string id) : id_(std::move(id)) {}
  Root(const Root &) = delete;
  Root & operator=(const Root &) = delete;

  const std::string & id() const noexcept { return id_; }

  // ---- set-up; any thread; allocate ----

  /// Passes releases to the chain until `unfollow`. `deadline`: the chain's deadline.
  void follow(OpenActivations & chain, takt_rt::Duration deadline)
  {
    change([&](auto & chains) { chains.push_back({&chain, deadline}); });
  }
  void unfollow(OpenActivations & chain)
  {
    change([&](auto & chains) {
      std::erase_if(chains, [&](const Follower & one) { return one.chain == &chain; });
    });
  }

  /// Sets whether this process has a callback with the root's id.
  void set_here(bool here) noexcept { here_.store(here, std::memory_order_relaxed); }

  // ---- any thread; real-time safe: a priority-inheriting mutex, held for short ----

  bool here() const noexcept { return here_.load(std::memory_order_relaxed); }
  bool followed() const noexcept { return shortest_.load(std::memory_order_relaxed) != kNone; }
  void released(takt_rt::Time release, std::uint32_t count) noexcept
  {
    const std::lock_guard lock(mutex_);
    for (const Follower & one : chains_) {
      one.chain->released(release, count);
    }
  }
  void withdrawn(takt_rt::Time release) noexcept
  {
    const std::lock_guard lock(mutex_);
    for (const Follower & one : chains_) {
      one.chain->withdrawn(release);
    }
  }
  /// The time at which an activation released at `release` may become overdue, but at least the
  /// time of `not_before`.
  takt_rt::Time first_deadline(takt_rt::Time release) const noexcept
  {
    const takt_rt::Duration shortest(shortest_.load(std::memory_order_relaxed));
    return std::max(
      takt_rt::add_saturated(release, shortest),
      takt_rt::from_ns(not_before_.load(std::memory_order_relaxed)));
  }
  /// Sets the time before which the root's chains are not judged again.
  void not_before(takt_rt::Time time) noexcept
  {
    not_before_.store(takt_rt::to_ns(time), std::memory_order_relaxed);
  }

private:
  struct Follower
  {
    OpenActivations * chain = nullptr;
    takt_rt::Duration deadline{};
  };
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

  // Real-time threads may wait for `mutex_`, so allocate before `mutex_` is locked.
  template <typename F>
  void change(F change)
  {
    const std::lock_guard setup(setup_mutex_);
    // No other thread changes `chains_` now: `setup_mutex_` is held.
    std::vector<Follower> chains = chains_;
    change(chains);
    std::int64_t shortest = kNone;
    for (const Follower & one : chains) {
      shortest = std::min(shortest, std::int64_t{one.deadline.count()});
    }
    const std::lock_guard lock(mutex_);
    std::swap(chains_, chains);
    shortest_.store(shortest, std::memory_order_relaxed);
  }

  const std::string id_;
  std::mutex setup_mutex_;
  takt_rt::PiMutex mutex_;
  std::vector<Follower> chains_;
  std::atomic<std::int64_t> shortest_{kNone};  // shortest deadline, ns
  std::atomic<std::int64_t> not_before_{0};
  std::atomic<bool> here_{false};
};

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__ROOT_HPP_
