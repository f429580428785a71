#include "data_path/setting.hpp"

#include <algorithm>
#include <string>

#include "data_path/shared_sizes.hpp"

namespace takt_bench::data_path
{

std::string_view to_string(Variant variant) noexcept
{
  for (const auto & [value, name] : kVariants) {
    if (value == variant) {
      return name;
    }
  }
  return "";
}

std::string_view to_string(Place place) noexcept
{
  for (const auto & [value, name] : kPlaces) {
    if (value == place) {
      return name;
    }
  }
  return "";
}

takt_rt::Faults check(const Setting & setting)
{
  takt_rt::Faults faults;
  if (setting.place == Place::other_core && setting.cores.size() < 2) {
    faults.push_back("another core: give two cores with --cores");
  }
  if (setting.variant == Variant::futex && setting.place == Place::one_thread) {
    faults.push_back(
      "futex: a thread does not wake itself; measure it on the same or on another core");
  }
  if (setting.variant == Variant::shared && setting.place == Place::one_thread) {
    faults.push_back("shared: a way between processes; measure it on the same or on another core");
  }
  if (is_of_rclcpp(setting.variant) && setting.place != Place::one_thread) {
    faults.push_back(
      std::string(to_string(setting.variant)) +
      ": a way within one process; measure it at the place one_thread");
  }
  if (
    setting.variant == Variant::shared &&
    std::find(kSharedSizes.begin(), kSharedSizes.end(), setting.size) == kSharedSizes.end()) {
    std::string all;
    for (const std::size_t size : kSharedSizes) {
      all += (all.empty() ? "" : ", ") + std::to_string(size);
    }
    faults.push_back(
      "shared: no message has " + std::to_string(setting.size) + " bytes; use one of " + all);
  }
  return faults;
}

int core_of(const Setting & setting, Side side) noexcept
{
  const bool other = side == Side::receiver && setting.place == Place::other_core;
  return setting.cores[other ? 1 : 0];
}

takt_rt::ThreadAttributes attributes_of(const Setting & setting, Side side, bool middleware)
{
  takt_rt::ThreadAttributes attributes;
  attributes.cores = {core_of(setting, side)};
  attributes.policy = takt_rt::Policy::other;
  // Under SCHED_FIFO on one core the pool's run does not end within the program's time.
  if (setting.priority > 0 && setting.variant != Variant::rclcpp_pool) {
    attributes.policy = takt_rt::Policy::fifo;
    attributes.priority = setting.priority + (side == Side::receiver ? kReceiverAbove : 0) +
                          (middleware ? kMiddlewareAbove : 0);
  }
  return attributes;
}

}  // namespace takt_bench::data_path
