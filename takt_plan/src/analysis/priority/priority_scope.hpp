// What the theorem of priority_bounds.hpp does not cover, said in a sentence.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__PRIORITY_SCOPE_HPP_
#define TAKT_PLAN__SRC__PRIORITY_SCOPE_HPP_

#include <optional>
#include <string>
#include <vector>

#include "analysis/priority/priority_level.hpp"
#include "model/streams.hpp"

namespace takt_plan::detail
{

/// Absent: it is covered.
using Refusal = std::optional<std::string>;

/// Whether the tasks of a segment run where a segment can be looked at at all.
Refusal refuse_places(const Model & model, const std::vector<Index> & segment);

/// Whether what may delay the segment can be counted; only once its places are not refused.
Refusal refuse_surroundings(
  const Model & model, const Streams & streams, const Segments & segments,
  const PriorityLevel & level, const std::vector<Index> & segment);

/// The most that one run of a task of the thread publishes and takes at a ceiling.
Ns most_middleware(const Model & model, const Segments & segments, Index thread);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PRIORITY_SCOPE_HPP_
