// Quality of service, with rclcpp's names.
//
// Set-up only.
#ifndef TAKT_RCL__QOS_HPP_
#define TAKT_RCL__QOS_HPP_

#include <rmw/qos_profiles.h>
#include <rmw/types.h>

#include <cstddef>
#include <cstdint>

#include "takt_rt/time.hpp"

namespace takt_rcl
{

/// A history of the newest `depth` messages.
struct KeepLast
{
  explicit KeepLast(std::size_t depth) : depth(depth) {}
  std::size_t depth;
};

/// A history without a limit.
struct KeepAll
{
};

/// One profile. Setters change one policy and return the profile; other policies keep their values.
class QoS
{
public:
  /// The defaults of ROS 2 (reliable, volatile) with a history of `depth`.
  QoS(std::size_t depth) : QoS(KeepLast(depth)) {}  // NOLINT: implicit as in rclcpp
  explicit QoS(KeepLast history);
  explicit QoS(KeepAll history);
  /// Takes all policies from `profile`.
  explicit QoS(const rmw_qos_profile_t & profile) : profile_(profile) {}

  QoS & keep_last(std::size_t depth);
  QoS & keep_all();
  QoS & reliability(rmw_qos_reliability_policy_t policy);
  QoS & reliable() { return reliability(RMW_QOS_POLICY_RELIABILITY_RELIABLE); }
  QoS & best_effort() { return reliability(RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT); }
  QoS & durability(rmw_qos_durability_policy_t policy);
  QoS & durability_volatile() { return durability(RMW_QOS_POLICY_DURABILITY_VOLATILE); }
  QoS & transient_local() { return durability(RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL); }
  /// Durations below zero count as zero, and `takt_rt::kForever` means no limit.
  QoS & deadline(takt_rt::Duration period);
  QoS & lifespan(takt_rt::Duration duration);
  QoS & liveliness(rmw_qos_liveliness_policy_t policy);
  QoS & liveliness_lease_duration(takt_rt::Duration duration);
  QoS & avoid_ros_namespace_conventions(bool avoid);

  /// Messages in the history; 0 for KEEP_ALL.
  std::size_t depth() const noexcept { return profile_.depth; }
  const rmw_qos_profile_t & get_rmw_qos_profile() const noexcept { return profile_; }

private:
  rmw_qos_profile_t profile_;
};

/// Best effort, depth 5.
class SensorDataQoS : public QoS
{
public:
  SensorDataQoS() : QoS(rmw_qos_profile_sensor_data) {}
};

/// The middleware's own defaults or its XML profiles.
class SystemDefaultsQoS : public QoS
{
public:
  SystemDefaultsQoS() : QoS(rmw_qos_profile_system_default) {}
};

/// For services and clients: reliable, depth 10.
class ServicesQoS : public QoS
{
public:
  ServicesQoS() : QoS(rmw_qos_profile_services_default) {}
};

/// For `/clock`: best effort, depth 1.
class ClockQoS : public QoS
{
public:
  ClockQoS() : QoS(KeepLast(1)) { best_effort(); }
};

/// Arrivals that takt remembers for a subscription with this (actual) profile: its depth, or
/// `kUnboundedDepth` for KEEP_ALL and unknown depths.
inline constexpr std::uint32_t kUnboundedDepth = 1000;
std::uint32_t arrival_depth(const rmw_qos_profile_t & profile) noexcept;

}  // namespace takt_rcl

#endif  // TAKT_RCL__QOS_HPP_
