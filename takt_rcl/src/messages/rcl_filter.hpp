// Content filters in rcl's words.
#ifndef MESSAGES__RCL_FILTER_HPP_
#define MESSAGES__RCL_FILTER_HPP_

#include <rcl/subscription.h>

#include <string>
#include <vector>

#include "takt_rcl/content_filter.hpp"

namespace takt_rcl::detail
{

/// Options of rcl. The destructor frees them unless rcl_subscription_init has got them: rcl frees
/// them then, also if it refuses the subscription. Set-up only.
class RclSubscriptionOptions
{
public:
  RclSubscriptionOptions() : options(rcl_subscription_get_default_options()) {}
  ~RclSubscriptionOptions();
  RclSubscriptionOptions(const RclSubscriptionOptions &) = delete;
  RclSubscriptionOptions & operator=(const RclSubscriptionOptions &) = delete;

  /// Does nothing without an expression. Throws `Error` if rcl refuses, for instance more than 100
  /// parameters.
  void set(const ContentFilterOptions & filter);

  /// For rcl_subscription_init.
  const rcl_subscription_options_t * release()
  {
    owned_ = false;
    return &options;
  }

  rcl_subscription_options_t options;

private:
  bool owned_ = true;
};

/// A content filter of rcl for an existing subscription, which must outlive it. Set-up only.
class RclFilter
{
public:
  explicit RclFilter(const rcl_subscription_t & subscription) : subscription_(subscription) {}
  ~RclFilter();
  RclFilter(const RclFilter &) = delete;
  RclFilter & operator=(const RclFilter &) = delete;

  /// As rcl_subscription_content_filter_options_init.
  rcl_ret_t fill(const std::string & expression, const std::vector<std::string> & parameters);

  rcl_subscription_content_filter_options_t options =
    rcl_get_zero_initialized_subscription_content_filter_options();

private:
  const rcl_subscription_t & subscription_;
};

}  // namespace takt_rcl::detail

#endif  // MESSAGES__RCL_FILTER_HPP_
