// The activations of chains in a trace with their steps: one run for each callback of the chain's
// path.
//
// Times are those of the clock that all processes share (clocks.hpp). Set-up only: allocates; does
// not block.
#ifndef TAKT_TRACE__SRC__REPORT__ACTIVATIONS_HPP_
#define TAKT_TRACE__SRC__REPORT__ACTIVATIONS_HPP_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "flow/chain_accountant.hpp"
#include "flow/run_index.hpp"

namespace takt_trace::detail
{

/// The work of one callback for an activation: from the previous publish, or the release of the
/// root, to the publish that carried on, or to the end. The times are in order.
struct ActivationStep
{
  std::size_t run = 0;  ///< in the index
  std::int64_t from = 0;
  std::int64_t released = 0;  ///< of a message: its arrival
  std::int64_t picked = 0;
  std::int64_t start = 0;
  std::int64_t end = 0;  ///< the run's end, or `until` if that is earlier
  std::int64_t until = 0;
  /// The run of another callback of the node that published for it; kNoRecord: none.
  std::size_t publisher = kNoRecord;
};

struct ChainActivation
{
  std::int64_t release = 0;
  std::int64_t end = 0;
  std::size_t first_step = 0;  ///< in the list of the chain
  bool has_steps = false;  ///< one for each callback of the path; false: they are not in the trace

  std::int64_t response() const { return end - release; }
};

struct ChainActivations
{
  TracedChain chain;
  LongVector<ChainActivation> activations{};  ///< by release
  LongVector<ActivationStep> steps{};         ///< of all activations

  /// The steps in the order of the path.
  std::vector<ActivationStep> steps_of(const ChainActivation & one) const
  {
    std::vector<ActivationStep> own;
    for (std::size_t place = 0; one.has_steps && place < chain.path.size(); ++place) {
      own.push_back(steps[one.first_step + place]);
    }
    return own;
  }
};

/// For each chain that ends in a process of the traces, also without ended activations. Chains of
/// the same name and path count as one, in whichever processes they end.
std::vector<ChainActivations> find_activations(const RunIndex & index);

/// The activations with ends, for the account of the chain.
LongVector<ToldActivation> told_of(const ChainActivations & chain);

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__REPORT__ACTIVATIONS_HPP_
