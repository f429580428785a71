#include "takt_core/adapter/callback_ids.hpp"

#include <algorithm>
#include <array>

#include "takt_rt/duration_text.hpp"

namespace takt_core::adapter
{

using takt_rt::print_duration;
using takt_rt::read_duration;

namespace
{

constexpr std::string_view kTimer = "timer";

std::string normal_period(std::string_view text)
{
  const auto period = read_duration(text);
  return period ? print_duration(*period) : std::string(text);
}

std::string joined(std::string_view node, std::string_view kind, std::string_view what)
{
  std::string id{node};
  id += ':';
  id += kind;
  id += '(';
  id += what;
  id += ')';
  return id;
}

}  // namespace

std::string callback_id(std::string_view node, std::string_view kind, std::string_view what)
{
  return kind == kTimer ? joined(node, kind, normal_period(what)) : joined(node, kind, what);
}

std::string timer_id(std::string_view node, Duration period)
{
  return joined(node, kTimer, print_duration(period));
}

std::string group_id(std::string_view node, std::string_view what)
{
  return joined(node, "group", what);
}

std::string own_group_id(std::string_view id)
{
  return group_id(id, "own");
}

bool is_introspection(std::string_view node, std::string_view service) noexcept
{
  constexpr std::array<std::string_view, 7> kNames{
    "describe_parameters", "get_parameter_types",       "get_parameters",      "list_parameters",
    "set_parameters",      "set_parameters_atomically", "get_type_description"};
  if (!service.starts_with(node) || service.substr(node.size(), 1) != "/") {
    return false;
  }
  return std::find(kNames.begin(), kNames.end(), service.substr(node.size() + 1)) != kNames.end();
}

bool is_of_client_library(std::string_view id) noexcept
{
  const std::string_view kind = kind_word(id);
  return (kind == "service" && is_introspection(node_of(id), bracketed(id))) ||
         (kind == "sub" && bracketed(id) == "/parameter_events");
}

std::string numbered(const std::string & base, unsigned number)
{
  return number < 2 ? base : base + "#" + std::to_string(number);
}

std::string with_kind(std::string_view id, std::string_view kind)
{
  std::string text{node_of(id)};
  text += ':';
  text += kind;
  text += id.substr(std::min(id.find('('), id.size()));
  return text;
}

std::string normal_id(std::string_view id)
{
  const std::size_t open = id.find('(');
  const std::size_t close = id.find(')', open);
  if (kind_word(id) != kTimer || close == std::string_view::npos) {
    return std::string(id);
  }
  std::string text{id.substr(0, open + 1)};
  text += normal_period(id.substr(open + 1, close - open - 1));
  text += id.substr(close);
  return text;
}

}  // namespace takt_core::adapter
