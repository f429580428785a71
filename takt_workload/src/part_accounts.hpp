// What the kernel counted for the threads of this process between two moments.
#ifndef PART_ACCOUNTS_HPP_
#define PART_ACCOUNTS_HPP_

#include <string>
#include <vector>

#include "takt_core/kernel_accounts.hpp"
#include "takt_workload/recorder.hpp"
#include "takt_workload/records.hpp"

namespace takt_workload
{

/// "fifo 40, cores 0,1"
std::string describe(const takt_core::ThreadAttributes & attributes);

/// One record per thread that lived at the second reading.
std::vector<ThreadRecord> thread_records(
  const std::vector<takt_core::ThreadAccount> & before,
  const std::vector<takt_core::ThreadAccount> & after, const Recorder & recorder,
  std::uint32_t process);

}  // namespace takt_workload

#endif  // PART_ACCOUNTS_HPP_
