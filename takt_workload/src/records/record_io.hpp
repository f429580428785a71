// Process records as files: the parts of a split run hand their records to the process that merges
// them.
#ifndef TAKT_WORKLOAD__SRC__RECORDS__RECORD_IO_HPP_
#define TAKT_WORKLOAD__SRC__RECORDS__RECORD_IO_HPP_

#include <string>

#include "records/records.hpp"
#include "takt_rt/result.hpp"

namespace takt_workload
{

/// Writes CBOR. Set-up only; may block.
takt_rt::Status write_record(const std::string & path, const ProcessRecord & record);
takt_rt::Result<ProcessRecord> read_record(const std::string & path);

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SRC__RECORDS__RECORD_IO_HPP_
