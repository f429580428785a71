// What can be said about a node when it is made.
#ifndef TAKT_RCL__NODE_OPTIONS_HPP_
#define TAKT_RCL__NODE_OPTIONS_HPP_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "takt_rcl/parameter.hpp"

namespace takt_rcl
{

class Context;

struct NodeOptions
{
  std::shared_ptr<Context> context;    ///< default: the default context
  std::vector<std::string> arguments;  ///< this node's own, e.g. {"--ros-args", "-r", "a:=b"}
  bool use_global_arguments = true;    ///< those of the context too
  std::vector<Parameter> parameter_overrides;  ///< beat those of arguments and files
  bool enable_rosout = true;
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__NODE_OPTIONS_HPP_
