// Which of the two libraries that may define functions of rcl for a program tells the recorder of a request.
//
// Each request is noted once: a run that is told to have sent two waits twice in the model.
#ifndef LISTEN__RCL_FUNCTIONS_HPP_
#define LISTEN__RCL_FUNCTIONS_HPP_

namespace takt_rclcpp
{

/// The preloaded shim defines rcl_send_request in front of this library, and tells each request from here on. Any thread;
/// real-time safe.
void leave_requests_to_the_shim() noexcept;
/// Whether that was said. Any thread; real-time safe.
bool shim_tells_requests() noexcept;

}  // namespace takt_rclcpp

#endif  // LISTEN__RCL_FUNCTIONS_HPP_
