#include "published/pool_published.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "published/fixed_point.hpp"
#include "takt_plan/nanoseconds.hpp"

namespace takt_bench
{

using namespace takt_plan;  // NOLINT: all of it is about its models

namespace
{

using takt_rt::Faults;
using takt_rt::Result;

Ticks work(const PoolChain & chain)
{
  Ticks sum = 0;
  for (const PoolTask & task : chain.tasks) {
    sum = add(sum, task.time);
  }
  return sum;
}

Ticks last(const PoolChain & chain)
{
  return chain.tasks.back().time;
}

int least_priority(const PoolChain & chain)
{
  const auto least = std::min_element(
    chain.tasks.begin(), chain.tasks.end(),
    [](const PoolTask & a, const PoolTask & b) { return a.priority < b.priority; });
  return least->priority;
}

Faults refuse(const Pool & pool, bool arbitrary_deadlines)
{
  Faults faults;
  if (pool.threads < 1 || pool.chains.empty()) {
    faults.push_back("a pool needs a thread and a chain");
  }
  for (std::size_t i = 0; i < pool.chains.size(); ++i) {
    const PoolChain & chain = pool.chains[i];
    const std::string name = "chain " + std::to_string(i) + " ";
    const bool positive =
      chain.period > 0 && !chain.tasks.empty() &&
      std::all_of(
        chain.tasks.begin(), chain.tasks.end(), [](const PoolTask & t) { return t.time > 0; });
    if (!positive) {
      faults.push_back(name + "needs a task, and positive times");
    } else if (
      multiply(1000, multiply(pool.threads, std::max(chain.period, chain.deadline))) ==
      kUnbounded) {
      faults.push_back(name + "has times so long that the sums would not fit into 64 bits");
    } else if (chain.deadline < work(chain)) {
      faults.push_back(name + "has a deadline below its own work");
    } else if (!arbitrary_deadlines && chain.deadline > chain.period) {
      faults.push_back(name + "has a deadline beyond its period");
    }
  }
  return faults;
}

class Rtas23
{
public:
  Rtas23(const Pool & pool, PoolScheme scheme, bool arbitrary)
  : pool_(pool),
    priority_(scheme == PoolScheme::priority),
    arbitrary_(arbitrary)
  {
  }

  Ticks bound(std::size_t k) const
  {
    const PoolChain & chain = pool_.chains[k];
    const Ticks threads = pool_.threads;
    const Ticks horizon = multiply(100, chain.deadline);
    const Ticks least = fixed_point(1, horizon, [&](Ticks length) {
      const Ticks demand = add(
        add(multiply(threads, work(chain) - last(chain) + 1), interference(k, length)),
        add(blocking(k, length), groups(k, length)));
      return add(1, demand / threads);  // the least l with demand < M l
    });
    return least == kUnbounded ? kUnbounded : least + last(chain) - 1;
  }

private:
  Ticks interference(std::size_t k, Ticks length) const
  {
    Ticks sum = 0;
    for (std::size_t i = 0; i < pool_.chains.size(); ++i) {
      if (i == k ? arbitrary_ : goes_before(i, k)) {
        sum = add(sum, workload(pool_.chains[i], length));
      }
    }
    return arbitrary_ ? sum - work(pool_.chains[k]) : sum;
  }

  bool goes_before(std::size_t i, std::size_t k) const
  {
    const auto & tasks = pool_.chains[i].tasks;
    const int least = least_priority(pool_.chains[k]);
    return !priority_ || std::any_of(tasks.begin(), tasks.end(), [&](const PoolTask & task) {
      return task.priority >= least;
    });
  }

  static Ticks workload(const PoolChain & chain, Ticks length)
  {
    const Ticks own = work(chain);
    const Ticks span = add(length, chain.deadline - own);
    return add(multiply(span / chain.period, own), std::min(own, span % chain.period));
  }

  /// Of the longest lower task of each other chain, the longest ones: one for each thread.
  Ticks blocking(std::size_t k, Ticks length) const
  {
    if (!priority_) {
      return 0;
    }
    const int least = least_priority(pool_.chains[k]);
    std::vector<Ticks> longest;
    for (std::size_t i = 0; i < pool_.chains.size(); ++i) {
      Ticks most = 0;
      for (const PoolTask & task : pool_.chains[i].tasks) {
        if (i != k && task.priority < least) {
          most = std::max(most, std::min(task.time - 1, length));
        }
      }
      longest.push_back(most);
    }
    std::sort(longest.begin(), longest.end(), std::greater<>());
    longest.resize(std::min(longest.size(), static_cast<std::size_t>(pool_.threads)));
    Ticks sum = 0;
    for (const Ticks time : longest) {
      sum = add(sum, time);
    }
    return sum;
  }

  Ticks groups(std::size_t k, Ticks length) const
  {
    Ticks sum = 0;
    for (const PoolTask & own : pool_.chains[k].tasks) {
      for (std::size_t i = 0; i < pool_.chains.size(); ++i) {
        for (const PoolTask & other : pool_.chains[i].tasks) {
          const bool waits = own.group && own.group == other.group && &own != &other &&
                             (i != k || arbitrary_) &&
                             (!priority_ || other.priority < own.priority);
          if (waits) {
            const PoolChain & chain = pool_.chains[i];
            const Ticks runs = arrivals(length, chain.period, chain.deadline - work(chain));
            sum = add(sum, multiply(runs, other.time));
          }
        }
      }
    }
    return multiply(pool_.threads, sum);
  }

  const Pool & pool_;
  const bool priority_;
  const bool arbitrary_;
};

/// The work of a chain in an interval of `span` / `threads` ticks, rounded up.
Ticks rtss22_workload(const PoolChain & chain, Ticks span, Ticks threads)
{
  const Ticks period = chain.period * threads;
  const Ticks time = work(chain);
  const Ticks after = span - time * threads;  // may be negative
  const Ticks whole = after >= 0 ? (after + period - 1) / period : -(-after / period);
  const Ticks part = ((after % period) + period) % period;
  return add(multiply(whole, time), std::min((part + threads - 1) / threads, time));
}

/// Counts in ticks divided by the number of threads, so that it rounds only at the end.
Ticks rtss22(const Pool & pool, std::size_t k)
{
  const PoolChain & chain = pool.chains[k];
  const Ticks threads = pool.threads;
  const Ticks own = (work(chain) - last(chain)) * threads;
  const Ticks horizon = multiply(100 * threads, chain.deadline);
  const Ticks length = fixed_point(own, horizon, [&](Ticks at) {
    Ticks next = own;
    for (std::size_t i = 0; i < pool.chains.size(); ++i) {
      next = add(next, i == k ? 0 : rtss22_workload(pool.chains[i], at, threads));
    }
    return next;
  });
  return length == kUnbounded ? kUnbounded : (length + threads - 1) / threads + last(chain);
}

PoolBounds with_assumption(const Pool & pool, std::vector<Ticks> bounds)
{
  PoolBounds result;
  result.assumption_holds = true;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    result.assumption_holds = result.assumption_holds && bounds[i] <= pool.chains[i].deadline;
  }
  result.chains = std::move(bounds);
  return result;
}

}  // namespace

Result<PoolBounds> pool_rtas23(const Pool & pool, PoolScheme scheme, bool arbitrary_deadlines)
{
  if (Faults faults = refuse(pool, arbitrary_deadlines); !faults.empty()) {
    return faults;
  }
  const Rtas23 analysis(pool, scheme, arbitrary_deadlines);
  std::vector<Ticks> bounds;
  for (std::size_t i = 0; i < pool.chains.size(); ++i) {
    bounds.push_back(analysis.bound(i));
  }
  return with_assumption(pool, std::move(bounds));
}

Result<PoolBounds> pool_rtss22(const Pool & pool)
{
  Faults faults = refuse(pool, false);
  for (const PoolChain & chain : pool.chains) {
    for (const PoolTask & task : chain.tasks) {
      if (task.group && faults.empty()) {
        faults.push_back("exclusive groups are outside of this theorem");
      }
    }
  }
  if (!faults.empty()) {
    return faults;
  }
  std::vector<Ticks> bounds;
  for (std::size_t i = 0; i < pool.chains.size(); ++i) {
    bounds.push_back(rtss22(pool, i));
  }
  return with_assumption(pool, std::move(bounds));
}

}  // namespace takt_bench
