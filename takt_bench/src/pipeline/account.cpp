#include "pipeline/account.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <limits>
#include <new>
#include <system_error>

#include "takt_rt/futex.hpp"

namespace takt_bench::pipeline
{

Account::Account()
{
  void * const memory = ::mmap(
    nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1,
    0);
  if (memory == MAP_FAILED) {
    throw std::system_error(errno, std::generic_category(), "memory of the latencies");
  }
  shared_ = new (memory) Shared;
  for (int lane = 0; lane < kLanes; ++lane) {
    for (std::size_t i = 0; i < kMostIterations; ++i) {
      shared_->latency[lane][i] = -1;
      shared_->released[lane][i] = 0;
    }
  }
}

Account::~Account()
{
  ::munmap(shared_, sizeof(Shared));
}

Step Account::step() const noexcept
{
  return static_cast<Step>(shared_->step.load(std::memory_order_acquire));
}

void Account::take_step(Step to) noexcept
{
  shared_->step.store(static_cast<std::uint32_t>(to), std::memory_order_release);
  takt_rt::futex_wake_shared(shared_->step, std::numeric_limits<int>::max());
}

void Account::wait_for(Step wanted) const noexcept
{
  for (;;) {
    const std::uint32_t now = shared_->step.load(std::memory_order_acquire);
    if (now >= static_cast<std::uint32_t>(wanted)) {
      return;
    }
    takt_rt::futex_wait_shared(shared_->step, now);
  }
}

void Account::ended(int lane, std::uint64_t iteration, std::int64_t released_ns) noexcept
{
  if (iteration < kMostIterations) {
    shared_->released[lane][iteration] = released_ns;
    shared_->latency[lane][iteration] = takt_rt::to_ns(takt_rt::now()) - released_ns;
  }
}

}  // namespace takt_bench::pipeline
