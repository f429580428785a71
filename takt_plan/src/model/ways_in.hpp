// The ways on which something starts a task, as paths that a chain may have.
//
// Bounds of single ways are had by asking `bounds` for chains along them. Set-up only: allocates, does
// not block.
#ifndef TAKT_PLAN__SRC__WAYS_IN_HPP_
#define TAKT_PLAN__SRC__WAYS_IN_HPP_

#include <map>
#include <vector>

#include "model/streams.hpp"

namespace takt_plan::detail
{

/// From the source of a stream to its task, both included. At a join by one of the ways that meet
/// there: a chain by any of them means the joined stream.
std::vector<Index> way_in(const Streams & streams, Index stream);

/// A model with more chains to ask `bounds` for, in addition to its own.
class MoreChains
{
public:
  /// So many tasks the additional paths may have together: no model can make it run out of memory.
  static constexpr std::size_t kMostTasks = 100'000;

  explicit MoreChains(const Model & model) : model_(model) {}

  /// The index of a chain of that path, always the same for the same; kNone if there is no more room.
  /// What is said of it calls tasks as the chain did for which it was first asked.
  Index add(const std::vector<Index> & path, const std::vector<Chain::Alias> & aliases = {});
  const Model & model() const noexcept { return model_; }

private:
  Model model_;
  std::map<std::vector<Index>, Index> added_;
  std::size_t tasks_ = 0;
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__WAYS_IN_HPP_
