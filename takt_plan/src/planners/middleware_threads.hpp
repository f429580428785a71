// How the threads of middlewares are called. CMake writes the table from middlewares/*.json.
#ifndef TAKT_PLAN__SRC__MIDDLEWARE_THREADS_HPP_
#define TAKT_PLAN__SRC__MIDDLEWARE_THREADS_HPP_

#include <span>
#include <string_view>

namespace takt_plan::detail
{

struct MiddlewareThreads
{
  std::string_view rmw;      ///< what RMW_IMPLEMENTATION begins with: the name of the file
  std::string_view pattern;  ///< of names of its threads
  bool usual;                ///< ROS 2 takes it where the variable is not set
};

/// Real-time safe.
std::span<const MiddlewareThreads> middleware_threads() noexcept;

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__MIDDLEWARE_THREADS_HPP_
