// `takt trace` reaches this process through its control socket.
#ifndef TAKT_TRACE__SRC__RECORDING__TRACE_REQUESTS_HPP_
#define TAKT_TRACE__SRC__RECORDING__TRACE_REQUESTS_HPP_

namespace takt_trace::detail
{

/// From the first call on. Set-up only; any thread.
void answer_trace_requests();

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__RECORDING__TRACE_REQUESTS_HPP_
