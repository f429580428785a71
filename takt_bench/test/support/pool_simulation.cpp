#include "support/pool_simulation.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <tuple>

namespace takt_bench::test
{
namespace
{

struct Job
{
  std::size_t chain = 0;
  std::size_t task = 0;
  Ticks released = 0;  ///< release of the chain
  Ticks ready = 0;     ///< time at which the task became ready; when the task runs: its end
};

constexpr Ticks kNever = std::numeric_limits<Ticks>::max();

}  // namespace

std::vector<Ticks> simulate_pool(
  const Pool & pool, const std::vector<std::vector<Ticks>> & releases)
{
  std::vector<Job> waiting, running;
  for (std::size_t chain = 0; chain < releases.size(); ++chain) {
    for (const Ticks time : releases[chain]) {
      waiting.push_back({chain, 0, time, time});
    }
  }
  std::vector<Ticks> longest(pool.chains.size(), -1);
  Ticks now = 0;
  const auto order = [&](const Job & a, const Job & b) {
    const auto key = [&](const Job & job) {
      return std::tuple(
        job.ready > now, -pool.chains[job.chain].tasks[job.task].priority, job.ready);
    };
    return key(a) < key(b);
  };
  while (!waiting.empty() || !running.empty()) {
    while (running.size() < static_cast<std::size_t>(pool.threads) && !waiting.empty()) {
      const auto best = std::min_element(waiting.begin(), waiting.end(), order);
      if (best->ready > now) {
        break;
      }
      running.push_back(*best);
      running.back().ready = now + pool.chains[best->chain].tasks[best->task].time;
      waiting.erase(best);
    }
    now = kNever;
    for (const Job & job : running) {
      now = std::min(now, job.ready);
    }
    if (running.size() < static_cast<std::size_t>(pool.threads)) {
      for (const Job & job : waiting) {
        now = std::min(now, job.ready);
      }
    }
    for (std::size_t i = running.size(); i-- > 0;) {
      if (running[i].ready > now) {
        continue;
      }
      Job job = running[i];
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
      if (++job.task < pool.chains[job.chain].tasks.size()) {
        waiting.push_back(job);
      } else {
        longest[job.chain] = std::max(longest[job.chain], now - job.released);
      }
    }
  }
  return longest;
}

}  // namespace takt_bench::test
