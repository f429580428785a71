// The ways to a task, as paths for chains.
//
// To get the bound of one way, ask `bounds` for a chain along it. Set-up only: allocates, does not
// block.
#ifndef TAKT_PLAN__SRC__WAYS_IN_HPP_
#define TAKT_PLAN__SRC__WAYS_IN_HPP_

#include <map>
#include <vector>

#include "model/streams.hpp"

namespace takt_plan::detail
{

/// The path from the source of a stream to its task, both included. At a join it takes one of the
/// ways that meet there: a chain along any of them has the joined stream.
std::vector<Index> way_in(const Streams & streams, Index stream);

/// A model with further chains for `bounds`, beside its own chains.
class MoreChains
{
public:
  /// Limit of tasks on all further paths together, so that no model can use up the memory.
  static constexpr std::size_t kMostTasks = 100'000;

  explicit MoreChains(const Model & model) : model_(model) {}

  /// The index of a chain along this path; equal paths give the same index. kNone: the limit is
  /// reached. Messages about the chain use the ids that the first call gave.
  Index add(const std::vector<Index> & path, const std::vector<Chain::Alias> & aliases = {});
  const Model & model() const noexcept { return model_; }

private:
  Model model_;
  std::map<std::vector<Index>, Index> added_;
  std::size_t tasks_ = 0;
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__WAYS_IN_HPP_
