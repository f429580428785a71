#include "adopt/chains_within_process.hpp"

#include <utility>

namespace takt_rclcpp
{
namespace
{

constexpr std::string_view kWithin = "|within the process";
constexpr std::string_view kAfterOutside = "|within the process, from outside";

}  // namespace

void add_chains_within_process(
  std::vector<takt_schedule::ChainSchedule> & chains, const WaitableIds & waitables)
{
  const std::size_t count = chains.size();
  for (std::size_t i = 0; i < count; ++i) {
    takt_schedule::ChainSchedule form = chains[i];
    auto & path = form.options.path;
    bool differs = false;
    for (std::size_t at = 1; at < path.size(); ++at) {
      if (const auto waitable = waitables.find(path[at]); waitable != waitables.end()) {
        path[at] = waitable->second;
        differs = true;
      }
    }
    const std::string name = form.options.name;
    if (differs) {
      form.options.name = name + std::string(kAfterOutside);
      chains.push_back(form);
    }
    if (const auto root = waitables.find(path.front()); root != waitables.end()) {
      path.front() = root->second;
      form.options.name = name + std::string(kWithin);
      chains.push_back(std::move(form));
    }
  }
}

std::string_view name_in_schedule(std::string_view chain)
{
  return chain.substr(0, chain.find('|'));
}

}  // namespace takt_rclcpp
