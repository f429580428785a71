// What the processes of a pipeline share: how far the run is, and the latency of each lane in each
// iteration.
//
// Lies in memory that forked children share with their parent. Recording is real-time safe.
#ifndef TAKT_BENCH__SRC__PIPELINE__ACCOUNT_HPP_
#define TAKT_BENCH__SRC__PIPELINE__ACCOUNT_HPP_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "pipeline/layout.hpp"
#include "takt_rt/time.hpp"

namespace takt_bench::pipeline
{

/// How far a run is.
enum class Step : std::uint32_t
{
  starting,
  running,   ///< all nodes know each other: timers count
  measured,  ///< the warm-up is over
  ended
};

class Account
{
public:
  static constexpr std::size_t kMostIterations = 10'000;

  /// Maps the memory. Throws std::system_error.
  Account();
  ~Account();
  Account(const Account &) = delete;
  Account & operator=(const Account &) = delete;

  Step step() const noexcept;
  void take_step(Step to) noexcept;
  /// Waits for that step. May block.
  void wait_for(Step step) const noexcept;
  /// A process has matched all its endpoints.
  void matched() noexcept { shared_->matched.fetch_add(1); }
  int processes_matched() const noexcept { return shared_->matched.load(); }

  /// A process has ended its executor; only the middleware's objects are left to destroy.
  void stopped() noexcept { shared_->stopped.fetch_add(1); }
  int processes_stopped() const noexcept { return shared_->stopped.load(); }

  /// How many processes have destroyed the middleware's objects.
  void left() noexcept { shared_->left.fetch_add(1); }
  int processes_left() const noexcept { return shared_->left.load(); }

  /// The last stage of a lane has ended its work for an iteration that began at `released_ns`.
  void ended(int lane, std::uint64_t iteration, std::int64_t released_ns) noexcept;
  /// The lane's timer has run once more.
  void begun(int lane) noexcept { shared_->begun[lane].fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t iterations(int lane) const noexcept { return shared_->begun[lane].load(); }
  void refused() noexcept { shared_->refused.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t refused_publishes() const noexcept { return shared_->refused.load(); }

  /// -1: has not ended.
  std::int64_t latency_ns(int lane, std::uint64_t iteration) const noexcept
  {
    return shared_->latency[lane][iteration];
  }
  std::int64_t released_ns(int lane, std::uint64_t iteration) const noexcept
  {
    return shared_->released[lane][iteration];
  }

private:
  struct Shared
  {
    std::atomic<std::uint32_t> step{0};
    std::atomic<int> matched{0};
    std::atomic<int> stopped{0};
    std::atomic<int> left{0};
    std::atomic<std::uint64_t> refused{0};
    std::atomic<std::uint64_t> begun[kLanes]{};
    std::int64_t latency[kLanes][kMostIterations];
    std::int64_t released[kLanes][kMostIterations];
  };
  Shared * shared_ = nullptr;
};

}  // namespace takt_bench::pipeline

#endif  // TAKT_BENCH__SRC__PIPELINE__ACCOUNT_HPP_
