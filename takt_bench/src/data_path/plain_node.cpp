#include "data_path/plain_node.hpp"

#include <rcl/error_handling.h>
#include <rcl/rcl.h>

#include <stdexcept>
#include <string>

namespace takt_bench::data_path
{

void need(rcl_ret_t result, const char * what)
{
  if (result != RCL_RET_OK) {
    const std::string why = rcl_get_error_string().str;
    rcl_reset_error();
    throw std::runtime_error(std::string(what) + ": " + why);
  }
}

void ignore(rcl_ret_t result) noexcept
{
  if (result != RCL_RET_OK) {
    rcl_reset_error();
  }
}

PlainNode::PlainNode(const char * name)
{
  rcl_init_options_t options = rcl_get_zero_initialized_init_options();
  need(rcl_init_options_init(&options, rcl_get_default_allocator()), "cannot start ROS 2");
  const rcl_ret_t begun = rcl_init(0, nullptr, &options, &context_);
  ignore(rcl_init_options_fini(&options));
  need(begun, "cannot start ROS 2");
  rcl_node_options_t node_options = rcl_node_get_default_options();
  node_options.enable_rosout = false;
  need(rcl_node_init(&node_, name, "", &context_, &node_options), "cannot make a node");
}

PlainNode::~PlainNode()
{
  ignore(rcl_node_fini(&node_));
  ignore(rcl_shutdown(&context_));
  ignore(rcl_context_fini(&context_));
}

}  // namespace takt_bench::data_path
