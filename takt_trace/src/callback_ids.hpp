// What the id of a callback tells: `/ns/node:sub(/points)`. Pure functions.
#ifndef TAKT_TRACE__SRC__CALLBACK_IDS_HPP_
#define TAKT_TRACE__SRC__CALLBACK_IDS_HPP_

#include <string_view>

namespace takt_trace::detail
{

/// The part before the kind.
constexpr std::string_view node_in(std::string_view id) noexcept
{
  return id.substr(0, id.find(':'));
}

/// The topic of a subscription; empty if the user gave it a name.
constexpr std::string_view topic_in(std::string_view id) noexcept
{
  constexpr std::string_view kBefore = ":sub(";
  const std::size_t before = id.rfind(kBefore);
  const std::size_t behind = id.rfind(')');
  if (before == std::string_view::npos || behind == std::string_view::npos) {
    return {};
  }
  const std::size_t from = before + kBefore.size();
  const bool is_topic = behind > from && id[from] == '/';
  return is_topic ? id.substr(from, behind - from) : std::string_view();
}

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__CALLBACK_IDS_HPP_
