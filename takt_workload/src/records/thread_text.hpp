// Attributes of threads in one line, for tables and results. Set-up only.
#ifndef RECORDS__THREAD_TEXT_HPP_
#define RECORDS__THREAD_TEXT_HPP_

#include <string>

#include "takt_rt/attributes.hpp"

namespace takt_workload
{

/// "fifo 40, cores 0-1"
std::string describe(const takt_rt::ThreadAttributes & attributes);

/// "fifo 40"
std::string describe_without_cores(takt_rt::ThreadAttributes attributes);

}  // namespace takt_workload

#endif  // RECORDS__THREAD_TEXT_HPP_
