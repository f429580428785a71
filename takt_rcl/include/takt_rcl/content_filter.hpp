// A filter by which a subscription's middleware chooses messages by their content.
#ifndef TAKT_RCL__CONTENT_FILTER_HPP_
#define TAKT_RCL__CONTENT_FILTER_HPP_

#include <string>
#include <vector>

namespace takt_rcl
{

/// As rclcpp's. The expression is that of DDS, such as "data > %0 AND data < %1" with the
/// parameters {"3", "7"}.
struct ContentFilterOptions
{
  std::string filter_expression;  ///< empty: no filter
  std::vector<std::string> expression_parameters;
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__CONTENT_FILTER_HPP_
