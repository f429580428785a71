// Small models with a pool of threads for tests.
#ifndef TAKT_PLAN__TEST__SUPPORT__POOL_EXAMPLE_HPP_
#define TAKT_PLAN__TEST__SUPPORT__POOL_EXAMPLE_HPP_

#include <string>
#include <vector>

#include "support/example.hpp"

namespace takt_plan::test
{

/// One pool. A task may run on all of its threads, unless its call says otherwise.
struct PoolExample : Example
{
  explicit PoolExample(int threads, takt_core::Order order = takt_core::Order::priority)
  : Example(threads)
  {
    for (int i = 0; i < threads; ++i) {
      model.threads[thread(static_cast<Index>(i), 50)].order = order;
      all.push_back(static_cast<Index>(i));
    }
  }

  Index pooled_timer(int priority, Ns period, Ns time, Index group = kNone)
  {
    const Index task = timer(0, priority, period, time);
    model.tasks[task].threads = all;
    model.tasks[task].group = group;
    return task;
  }

  Index pooled_sub(int priority, Index from, Ns time)
  {
    const Index task = sub(0, priority, {from}, time);
    model.tasks[task].threads = all;
    return task;
  }

  Index group(bool exclusive)
  {
    model.groups.push_back({"g" + std::to_string(model.groups.size()), exclusive});
    return model.groups.size() - 1;
  }

  std::vector<Index> all;
};

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__POOL_EXAMPLE_HPP_
