// Why the kernel refused a thread attribute, and how to get the missing right.
//
// Internal, set-up only: reads /proc and allocates. Each function returns one sentence for
// `AttributeReport::faults`. `error` is the errno of the refused system call on thread `tid`
// (0: the caller).
#ifndef TAKT_CORE__REFUSAL_HPP_
#define TAKT_CORE__REFUSAL_HPP_

#include <sys/types.h>

#include <string>
#include <vector>

#include "takt_core/thread_attributes.hpp"

namespace takt_core::detail
{

std::string explain_policy_refusal(const ThreadAttributes & asked, int error, pid_t tid);
std::string explain_affinity_refusal(const std::vector<int> & cores, int error, pid_t tid);
std::string explain_name_refusal(const std::string & name, int error, pid_t tid);

/// "0-3,8" for {0, 1, 2, 3, 8}: core lists as taskset(1) and cpusets spell them.
std::string format_cores(const std::vector<int> & cores);

/// "SCHED_FIFO priority 80", "nice -5", ...: the policy part of `attributes`.
std::string format_policy(const ThreadAttributes & attributes);

}  // namespace takt_core::detail

#endif  // TAKT_CORE__REFUSAL_HPP_
