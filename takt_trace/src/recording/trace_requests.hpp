// Answers the requests of `takt trace` to this process's control socket.
#ifndef TAKT_TRACE__SRC__RECORDING__TRACE_REQUESTS_HPP_
#define TAKT_TRACE__SRC__RECORDING__TRACE_REQUESTS_HPP_

namespace takt_trace::detail
{

/// Starts answering with the first call. Set-up only; any thread.
void answer_trace_requests();

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__RECORDING__TRACE_REQUESTS_HPP_
