// The spelling of the core's enumerations in files and output.
#include <array>
#include <utility>

#include "takt_core/callback.hpp"
#include "takt_core/order.hpp"
#include "takt_core/timer.hpp"

namespace takt_core
{

namespace
{

template <typename Enum, std::size_t N>
using Names = std::array<std::pair<Enum, std::string_view>, N>;

constexpr Names<Order, 5> kOrders{{
  {Order::priority, "priority"},
  {Order::fifo, "fifo"},
  {Order::edf, "edf"},
  {Order::window, "window"},
  {Order::stock, "stock"},
}};

constexpr Names<MissedPeriods, 3> kMissedPeriods{{
  {MissedPeriods::skip, "skip"},
  {MissedPeriods::catch_up, "catch_up"},
  {MissedPeriods::restart, "restart"},
}};

constexpr Names<Kind, 5> kKinds{{
  {Kind::timer, "timer"},
  {Kind::subscription, "subscription"},
  {Kind::service, "service"},
  {Kind::client, "client"},
  {Kind::waitable, "waitable"},
}};

template <typename Enum, std::size_t N>
std::string_view name_of(const Names<Enum, N> & names, Enum value) noexcept
{
  for (const auto & [v, name] : names) {
    if (v == value) {
      return name;
    }
  }
  return "?";
}

template <typename Enum, std::size_t N>
std::optional<Enum> value_of(const Names<Enum, N> & names, std::string_view text) noexcept
{
  for (const auto & [value, name] : names) {
    if (name == text) {
      return value;
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Order order) noexcept
{
  return name_of(kOrders, order);
}
std::string_view to_string(MissedPeriods policy) noexcept
{
  return name_of(kMissedPeriods, policy);
}
std::string_view to_string(Kind kind) noexcept
{
  return name_of(kKinds, kind);
}

std::optional<Order> order_from_string(std::string_view name) noexcept
{
  return value_of(kOrders, name);
}

std::optional<MissedPeriods> missed_periods_from_string(std::string_view name) noexcept
{
  return value_of(kMissedPeriods, name);
}

}  // namespace takt_core
