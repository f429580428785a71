// ROS 2's logging, configured once for the process.
#ifndef LOGGING_HPP_
#define LOGGING_HPP_

#include <rcl/arguments.h>

#include <mutex>

namespace takt_rcl::logging
{

/// Guards rcl's shared state of logging: output and the /rosout publishers.
std::recursive_mutex & mutex();

/// The first call configures logging, the last `release` finishes it. If log files cannot be
/// written, warns once and logs to the console (and /rosout) only. Throws `Error`.
void acquire(const rcl_arguments_t & arguments, int argc, const char * const * argv);
void release() noexcept;

/// While it lives, rcl itself logs nothing: the caller throws each fault once instead.
class QuietRcl
{
public:
  QuietRcl();
  ~QuietRcl();
  QuietRcl(const QuietRcl &) = delete;
  QuietRcl & operator=(const QuietRcl &) = delete;

private:
  int level_;
};

}  // namespace takt_rcl::logging

#endif  // LOGGING_HPP_
