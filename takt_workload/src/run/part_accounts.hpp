// What the kernel counted for the threads of this process between two moments.
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
  /// What it was to be. A fallback may have asked the kernel for less: that is a fault of its own.
  takt_rt::ThreadAttributes wished;
};

/// One record per thread that lived at the second reading; `own` in the order of the executor.
std::vector<ThreadRecord> thread_records(
  const std::vector<takt_rt::ThreadAccount> & before,
  const std::vector<takt_rt::ThreadAccount> & after, const std::vector<OwnThread> & own,
  std::uint32_t process);

}  // namespace takt_workload

#endif  // PART_ACCOUNTS_HPP_
