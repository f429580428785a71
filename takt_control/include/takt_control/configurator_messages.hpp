// The messages between a process and the configurator daemon, as values and as JSON. The JSON is
// the payload of frames.
//
// A reader ignores unknown fields, so later versions may add some. Any thread. Allocates, does not
// block, never throws. Readers accept any bytes.
#ifndef TAKT_CONTROL__CONFIGURATOR_MESSAGES_HPP_
#define TAKT_CONTROL__CONFIGURATOR_MESSAGES_HPP_

#include <sys/types.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "takt_rt/refusal.hpp"
#include "takt_rt/result.hpp"
#include "takt_rt/thread_attributes.hpp"

namespace takt_control
{

/// The payload of `apply` and `would_grant`. Name and stack size of the attributes are not sent: a
/// process names its threads itself.
struct AttributeRequest
{
  std::uint64_t id = 0;  ///< chosen by the client; the answer repeats it
  pid_t tid = 0;         ///< as the client's PID namespace numbers it; never 0
  takt_rt::ThreadAttributes attributes{};
};

/// The payload of `rtprio_limit`.
struct LimitRequest
{
  std::uint64_t id = 0;
  int priority = 0;  ///< 1 to 99
};

/// The payload of `answer` and `error`.
struct Answer
{
  std::uint64_t id = 0;                      ///< 0: the daemon could not read the request
  std::vector<takt_rt::Refusal> refusals{};  ///< empty, and `error` empty: granted
  std::string error{};  ///< why the daemon did not decide; for `rtprio_limit`, why it refused
};

/// Makes a refusal of the main attribute in `asked`: the policy, else the nice value, else the
/// cores.
takt_rt::Refusal refuse(
  const takt_rt::ThreadAttributes & asked, takt_rt::MissingRight right, std::string detail,
  int error = EPERM);

/// The payload of the request. Set-up only: allocates.
std::string to_payload(const AttributeRequest & request);
std::string to_payload(const LimitRequest & request);
/// The payload of the answer, without the refusals that would not fit into the frame.
std::string to_payload(const Answer & answer);

/// Reads a request. One fault if the payload is not such a message: not JSON, a field absent or of
/// another type, a number that does not fit, more than 4096 cores.
takt_rt::Result<AttributeRequest> read_attribute_request(std::string_view payload);
/// As `read_attribute_request`, for a request about the limit.
takt_rt::Result<LimitRequest> read_limit_request(std::string_view payload);
/// As `read_attribute_request`, for an answer.
takt_rt::Result<Answer> read_answer(std::string_view payload);

}  // namespace takt_control

#endif  // TAKT_CONTROL__CONFIGURATOR_MESSAGES_HPP_
