// Small models for tests: one host, pinned fifo threads, tasks and chains in milliseconds or less.
#ifndef TAKT_PLAN__TEST__SUPPORT__EXAMPLE_HPP_
#define TAKT_PLAN__TEST__SUPPORT__EXAMPLE_HPP_

#include <initializer_list>
#include <string>
#include <vector>

#include "takt_plan/model.hpp"

namespace takt_plan::test
{

inline constexpr Ns kMs = 1'000'000;
inline constexpr Ns kTenth = 100'000;  ///< a tenth of a millisecond

/// Adds parts to a model of one host and one executor. The functions return the index of the new
/// part.
class Example
{
public:
  explicit Example(int cores);

  /// A fifo thread of the order `priority` that is pinned to `core`.
  Index thread(Index core, int priority);
  Index timer(Index thread, int priority, Ns period, Ns time, Ns jitter = 0);
  /// Adds a callback that each message of each task in `from` starts.
  Index sub(Index thread, int priority, std::initializer_list<Index> from, Ns time, Ns delay = 0);
  Index chain(std::vector<Index> path, Ns deadline = kUnbounded);

  Model model;
};

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__EXAMPLE_HPP_
