// Sentences for the cases that the theorem of priority_bounds.hpp does not cover.
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

/// Absent: the theorem covers the case.
using Refusal = std::optional<std::string>;

/// Refuses a segment whose tasks run on threads that the theorem does not cover.
Refusal refuse_places(const Model & model, const std::vector<Index> & segment);

/// Refuses a segment if other work delays it in ways that cannot be counted. Call it only if
/// `refuse_places` does not refuse.
Refusal refuse_surroundings(
  const Model & model, const Streams & streams, const Segments & segments,
  const PriorityLevel & level, const std::vector<Index> & segment);

/// The longest time at a ceiling, to publish and take, of one run of a task of the thread.
Ns most_middleware(const Model & model, const Segments & segments, Index thread);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PRIORITY_SCOPE_HPP_
