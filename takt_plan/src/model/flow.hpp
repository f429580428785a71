// What starts what in a model, as the analyses go through it.
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
  explicit Flow(const Model & model)
  : order(in_trigger_order(model)),
    streams(model, order),
    segments(model, order)
  {
  }

  std::vector<Index> order;  ///< tasks, each behind those that start it
  Streams streams;
  Segments segments;
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__FLOW_HPP_
