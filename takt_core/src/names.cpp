#include "takt_core/names.hpp"

#include <array>

namespace takt_core
{

using takt_rt::policy_names;

namespace
{

template <typename Enum, std::size_t N>
using Names = std::array<Name<Enum>, N>;

constexpr Names<Order, 5> kOrders{{
  {Order::priority, "priority"},
  {Order::fifo, "fifo"},
  {Order::edf, "edf"},
  {Order::window, "window"},
  {Order::stock, "stock"},
}};

constexpr Names<WindowTimers, 2> kWindowTimers{{
  {WindowTimers::snapshot, "snapshot"},
  {WindowTimers::immediate, "immediate"},
}};

constexpr Names<ExceptionPolicy, 2> kExceptionPolicies{{
  {ExceptionPolicy::stop, "stop"},
  {ExceptionPolicy::report, "report"},
}};

constexpr Names<MissingRights, 2> kMissingRights{{
  {MissingRights::fail, "fail"},
  {MissingRights::report, "report"},
}};

constexpr Names<MiddlewareCeiling::Mode, 2> kCeilings{{
  {MiddlewareCeiling::Mode::automatic, "auto"},
  {MiddlewareCeiling::Mode::off, "off"},
}};

constexpr Names<MissedPeriods, 3> kMissedPeriods{{
  {MissedPeriods::skip, "skip"},
  {MissedPeriods::catch_up, "catch_up"},
  {MissedPeriods::restart, "restart"},
}};

constexpr Names<Epoch, 2> kEpochs{{
  {Epoch::start, "start"},
  {Epoch::host, "host"},
}};

constexpr Names<Kind, 5> kKinds{{
  {Kind::timer, "timer"},
  {Kind::subscription, "subscription"},
  {Kind::service, "service"},
  {Kind::client, "client"},
  {Kind::waitable, "waitable"},
}};

template <typename Enum>
std::string_view name_of(Enum value) noexcept
{
  for (const auto & [v, name] : names<Enum>()) {
    if (v == value) {
      return name;
    }
  }
  return "unknown";
}

}  // namespace

template <>
std::span<const Name<Order>> names<Order>() noexcept
{
  return kOrders;
}
template <>
std::span<const Name<WindowTimers>> names<WindowTimers>() noexcept
{
  return kWindowTimers;
}
template <>
std::span<const Name<ExceptionPolicy>> names<ExceptionPolicy>() noexcept
{
  return kExceptionPolicies;
}
template <>
std::span<const Name<MissingRights>> names<MissingRights>() noexcept
{
  return kMissingRights;
}
template <>
std::span<const Name<MiddlewareCeiling::Mode>> names<MiddlewareCeiling::Mode>() noexcept
{
  return kCeilings;
}
template <>
std::span<const Name<Policy>> names<Policy>() noexcept
{
  return policy_names();
}
template <>
std::span<const Name<MissedPeriods>> names<MissedPeriods>() noexcept
{
  return kMissedPeriods;
}
template <>
std::span<const Name<Epoch>> names<Epoch>() noexcept
{
  return kEpochs;
}
template <>
std::span<const Name<Kind>> names<Kind>() noexcept
{
  return kKinds;
}

std::string_view to_string(Order order) noexcept
{
  return name_of(order);
}
std::string_view to_string(WindowTimers timers) noexcept
{
  return name_of(timers);
}
std::string_view to_string(ExceptionPolicy policy) noexcept
{
  return name_of(policy);
}
std::string_view to_string(MissingRights policy) noexcept
{
  return name_of(policy);
}
std::string to_string(const MiddlewareCeiling & ceiling)
{
  return ceiling.mode == MiddlewareCeiling::Mode::fixed ? std::to_string(ceiling.priority)
                                                        : std::string(name_of(ceiling.mode));
}
std::string_view to_string(MissedPeriods policy) noexcept
{
  return name_of(policy);
}
std::string_view to_string(LateOutputs late) noexcept
{
  return late == LateOutputs::drop ? "drop" : "publish";
}
std::string_view to_string(Epoch epoch) noexcept
{
  return epoch == Epoch::tai ? "tai" : name_of(epoch);
}
std::string_view to_string(Kind kind) noexcept
{
  return name_of(kind);
}

}  // namespace takt_core
