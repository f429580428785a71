// ROS 2's logging, configured once for the process.
#ifndef LOGGING_HPP_
#define LOGGING_HPP_

#include <rcl/arguments.h>

#include <mutex>

namespace takt_rcl::logging
{

/// Guards everything of rcl that logging shares: output and the /rosout publishers.
std::recursive_mutex & mutex();

/// Configures with the first call, finishes with the last `release`. Where log files cannot be written
/// it says so in one warning and logs to the console (and /rosout) only. Throws `Error`.
void acquire(const rcl_arguments_t & arguments, int argc, const char * const * argv);
void release() noexcept;

/// While it lives, rcl itself logs nothing: what is wrong is thrown instead, once.
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
