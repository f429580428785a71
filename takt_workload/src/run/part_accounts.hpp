// The kernel's counts for the threads of this process between two moments.
#ifndef PART_ACCOUNTS_HPP_
#define PART_ACCOUNTS_HPP_

#include <string>
#include <vector>

#include "records/records.hpp"
#include "takt_rt/kernel_accounts.hpp"
#include "takt_rt/thread_attributes.hpp"

namespace takt_workload
{

/// One thread of the executor.
struct OwnThread
{
  std::int64_t tid = 0;
  takt_rt::AttributeReport report;
  /// The attributes in the schedule. A fallback may have asked the kernel for less, which is a
  /// fault of its own.
  takt_rt::ThreadAttributes wished;
};

/// One record for each thread that lived at the second reading. `own`: the executor's threads, in
/// its order.
std::vector<ThreadRecord> thread_records(
  const std::vector<takt_rt::ThreadAccount> & before,
  const std::vector<takt_rt::ThreadAccount> & after, const std::vector<OwnThread> & own,
  std::uint32_t process);

}  // namespace takt_workload

#endif  // PART_ACCOUNTS_HPP_
