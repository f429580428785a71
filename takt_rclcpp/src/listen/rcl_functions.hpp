// Decides whether the shim or this library reports requests to the recorder; both may define rcl's
// functions.
//
// Each request must be recorded once: a run with two recorded requests would wait twice in the
// model.
#ifndef LISTEN__RCL_FUNCTIONS_HPP_
#define LISTEN__RCL_FUNCTIONS_HPP_

namespace takt_rclcpp
{

/// The preloaded shim, which defines rcl_send_request in front of this library, reports each
/// request from here on. Any thread; real-time safe.
void leave_requests_to_the_shim() noexcept;
/// True after `leave_requests_to_the_shim`. Any thread; real-time safe.
bool shim_tells_requests() noexcept;

}  // namespace takt_rclcpp

#endif  // LISTEN__RCL_FUNCTIONS_HPP_
