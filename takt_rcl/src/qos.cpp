#include "takt_rcl/qos.hpp"

#include <algorithm>

namespace takt_rcl
{

namespace
{

rmw_time_t to_rmw(takt_rt::Duration duration)
{
  if (duration == takt_rt::kForever) {
    return RMW_DURATION_INFINITE;
  }
  const auto ns = static_cast<std::uint64_t>(std::max<std::int64_t>(duration.count(), 0));
  return {ns / 1'000'000'000, ns % 1'000'000'000};
}

}  // namespace

QoS::QoS(KeepLast history) : profile_(rmw_qos_profile_default)
{
  keep_last(history.depth);
}
QoS::QoS(KeepAll) : profile_(rmw_qos_profile_default)
{
  keep_all();
}

QoS & QoS::keep_last(std::size_t depth)
{
  profile_.history = RMW_QOS_POLICY_HISTORY_KEEP_LAST;
  profile_.depth = depth;
  return *this;
}

QoS & QoS::keep_all()
{
  profile_.history = RMW_QOS_POLICY_HISTORY_KEEP_ALL;
  profile_.depth = 0;
  return *this;
}

QoS & QoS::reliability(rmw_qos_reliability_policy_t policy)
{
  profile_.reliability = policy;
  return *this;
}

QoS & QoS::durability(rmw_qos_durability_policy_t policy)
{
  profile_.durability = policy;
  return *this;
}

QoS & QoS::deadline(takt_rt::Duration period)
{
  profile_.deadline = to_rmw(period);
  return *this;
}

QoS & QoS::lifespan(takt_rt::Duration duration)
{
  profile_.lifespan = to_rmw(duration);
  return *this;
}

QoS & QoS::liveliness(rmw_qos_liveliness_policy_t policy)
{
  profile_.liveliness = policy;
  return *this;
}

QoS & QoS::liveliness_lease_duration(takt_rt::Duration duration)
{
  profile_.liveliness_lease_duration = to_rmw(duration);
  return *this;
}

QoS & QoS::avoid_ros_namespace_conventions(bool avoid)
{
  profile_.avoid_ros_namespace_conventions = avoid;
  return *this;
}

std::uint32_t arrival_depth(const rmw_qos_profile_t & profile) noexcept
{
  const bool bounded = profile.history != RMW_QOS_POLICY_HISTORY_KEEP_ALL && profile.depth != 0;
  return bounded
           ? static_cast<std::uint32_t>(std::min<std::size_t>(profile.depth, std::size_t{1} << 20))
           : kUnboundedDepth;
}

}  // namespace takt_rcl
