// Chains through messages that travel within the process.
//
// rclcpp runs the function of such a subscription by a waitable, and by the subscription where a message comes from
// another process. A schedule names the subscription. So a chain is there up to three times: through subscriptions,
// through waitables, and through waitables after a first message from outside.
#ifndef ADOPT__CHAINS_WITHIN_PROCESS_HPP_
#define ADOPT__CHAINS_WITHIN_PROCESS_HPP_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "takt_schedule/schedule.hpp"

namespace takt_rclcpp
{

/// The ids of waitables by those of their subscriptions.
using WaitableIds = std::map<std::string, std::string>;

/// Adds to `chains` the forms that pass through `waitables`.
void add_chains_within_process(
  std::vector<takt_schedule::ChainSchedule> & chains, const WaitableIds & waitables);

/// The name in the schedule of a chain that may be such a form.
std::string_view name_in_schedule(std::string_view chain);

}  // namespace takt_rclcpp

#endif  // ADOPT__CHAINS_WITHIN_PROCESS_HPP_
