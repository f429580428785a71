// A request to apply a schedule. Allocates; does not block.
#ifndef TAKT_CONTROL__SRC__APPLY_REQUEST_HPP_
#define TAKT_CONTROL__SRC__APPLY_REQUEST_HPP_

#include <string>

#include "takt_rt/result.hpp"

namespace takt_control
{

struct ApplyRequest
{
  std::string file{};  ///< name of the schedule, for sentences
  std::string text{};  ///< the schedule
  bool check_only = false;
  std::string id{};  ///< by which `reset` can take it back; empty: by none
};

/// Accepts any bytes. Faults: why the bytes are not a request.
takt_rt::Result<ApplyRequest> read_apply_request(const std::string & payload);

}  // namespace takt_control

#endif  // TAKT_CONTROL__SRC__APPLY_REQUEST_HPP_
