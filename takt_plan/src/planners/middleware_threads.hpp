// The names of the threads of middlewares. CMake writes the table from middlewares/*.json.
#ifndef TAKT_PLAN__SRC__MIDDLEWARE_THREADS_HPP_
#define TAKT_PLAN__SRC__MIDDLEWARE_THREADS_HPP_

#include <span>
#include <string_view>

namespace takt_plan::detail
{

struct MiddlewareThreads
{
  std::string_view rmw;      ///< RMW_IMPLEMENTATION begins with this; the name of the file
  std::string_view pattern;  ///< a pattern of the names of the middleware's threads
  bool usual;                ///< ROS 2 takes this middleware if the variable is not set
};

/// The rows of the table. Real-time safe.
std::span<const MiddlewareThreads> middleware_threads() noexcept;

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__MIDDLEWARE_THREADS_HPP_
