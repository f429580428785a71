// The facts of middlewares that rmw does not tell. CMake writes the table from middlewares/*.json.
#ifndef TAKT_SCHEDULE__MIDDLEWARES_HPP_
#define TAKT_SCHEDULE__MIDDLEWARES_HPP_

#include <span>
#include <string_view>

namespace takt_schedule
{

/// One middleware, from its file.
struct Middleware
{
  std::string_view rmw;  ///< RMW_IMPLEMENTATION begins with this; the name of the file
  bool usual = false;    ///< ROS 2 takes this middleware if the variable is not set
  /// A gap in the numbers of a client's requests is a loss. False of middlewares that number all
  /// requests of a process together.
  bool numbers_requests_by_client = false;
  std::span<const std::string_view> threads;    ///< patterns of the names of its threads
  std::span<const std::string_view> libraries;  ///< beginnings of the names of its libraries
};

/// All that takt knows. Real-time safe.
std::span<const Middleware> middlewares() noexcept;

/// The one that RMW_IMPLEMENTATION, or rmw itself, calls by this name; null: takt does not know it.
/// Real-time safe.
const Middleware * find_middleware(std::string_view implementation) noexcept;

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__MIDDLEWARES_HPP_
