// The six parameter services of a node, and its publisher of /parameter_events, which `ros2 param`
// uses.
//
// They are in a callback group of their own, `<node>:group(parameters)`, so that a schedule may
// give them other threads than the node's real-time callbacks.
#ifndef PARAMETER_SERVICES_HPP_
#define PARAMETER_SERVICES_HPP_

#include <memory>
#include <vector>

#include "takt_rcl/entity.hpp"
#include "takt_rcl/node_parameters.hpp"

namespace takt_rcl
{

class NodeState;

/// Set-up only. Throws `Error` as services do.
class ParameterServices
{
public:
  ParameterServices(
    const std::shared_ptr<NodeState> & node, const std::shared_ptr<NodeParameters> & parameters);
  ~ParameterServices();
  ParameterServices(const ParameterServices &) = delete;
  ParameterServices & operator=(const ParameterServices &) = delete;

private:
  const std::shared_ptr<NodeParameters> parameters_;
  std::vector<std::shared_ptr<Entity>> services_;
};

}  // namespace takt_rcl

#endif  // PARAMETER_SERVICES_HPP_
