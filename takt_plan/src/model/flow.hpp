// The order in which the tasks of a model start each other, for the analyses.
#ifndef TAKT_PLAN__SRC__FLOW_HPP_
#define TAKT_PLAN__SRC__FLOW_HPP_

#include <vector>

#include "model/segments.hpp"
#include "model/streams.hpp"
#include "takt_plan/model.hpp"

namespace takt_plan::detail
{

struct Flow
{
  explicit Flow(const Model & model, UnderWay under_way = UnderWay::between_segments)
  : order(in_trigger_order(model)),
    streams(model, order),
    segments(model, order, under_way)
  {
  }

  std::vector<Index> order;  ///< tasks, each behind the tasks that start it
  Streams streams;
  Segments segments;
};

/// True if a segment may have messages that are under way for a while.
inline bool may_be_in_segments(const Model & model)
{
  return Segments(model, in_trigger_order(model), UnderWay::in_segments).any_under_way();
}

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__FLOW_HPP_
