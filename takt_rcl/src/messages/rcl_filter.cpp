#include "messages/rcl_filter.hpp"

#include "takt_rcl/error.hpp"

namespace takt_rcl::detail
{
namespace
{

std::vector<const char *> arguments_of(const std::vector<std::string> & parameters)
{
  std::vector<const char *> arguments;
  for (const std::string & one : parameters) {
    arguments.push_back(one.c_str());
  }
  return arguments;
}

}  // namespace

RclSubscriptionOptions::~RclSubscriptionOptions()
{
  if (owned_ && rcl_subscription_options_fini(&options) != RCL_RET_OK) {
    take_rcl_error();
  }
}

void RclSubscriptionOptions::set(const ContentFilterOptions & filter)
{
  if (filter.filter_expression.empty()) {
    return;
  }
  std::vector<const char *> arguments = arguments_of(filter.expression_parameters);
  if (
    rcl_subscription_options_set_content_filter_options(
      filter.filter_expression.c_str(), arguments.size(), arguments.data(), &options) !=
    RCL_RET_OK) {
    throw_rcl("cannot use the filter '" + filter.filter_expression + "'");
  }
}

RclFilter::~RclFilter()
{
  if (rcl_subscription_content_filter_options_fini(&subscription_, &options) != RCL_RET_OK) {
    take_rcl_error();
  }
}

rcl_ret_t RclFilter::fill(
  const std::string & expression, const std::vector<std::string> & parameters)
{
  std::vector<const char *> arguments = arguments_of(parameters);
  return rcl_subscription_content_filter_options_init(
    &subscription_, expression.c_str(), arguments.size(), arguments.data(), &options);
}

}  // namespace takt_rcl::detail
