// Random systems with callbacks that only store messages for others, and with sequences.
#ifndef TAKT_PLAN__TEST__SUPPORT__STORING_MODEL_HPP_
#define TAKT_PLAN__TEST__SUPPORT__STORING_MODEL_HPP_

#include <cstdint>

#include "takt_plan/model.hpp"

namespace takt_plan::test
{

/// Some callbacks of `model` that start no others become inputs of one or two callbacks of one
/// thread, with short histories. Times are halved, since takers take longer.
Model with_inputs(Model model, std::uint64_t seed);

/// On each thread of order priority or fifo some callbacks are in one sequence, in trigger order,
/// with falling priorities. On most threads all callbacks are as urgent as each other.
Model with_sequences(Model model, std::uint64_t seed);

/// On each set of threads some callbacks are in one graph, in trigger order, with one priority.
Model with_graphs(Model model, std::uint64_t seed);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__STORING_MODEL_HPP_
