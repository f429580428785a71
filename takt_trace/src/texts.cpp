#include "texts.hpp"

#include <nlohmann/json.hpp>

namespace takt_trace::detail
{

std::string valid_utf8(const std::string & text)
{
  using nlohmann::json;
  const std::string quoted = json(text).dump(-1, ' ', false, json::error_handler_t::replace);
  return json::parse(quoted).get<std::string>();
}

Text Texts::add(const std::string & text)
{
  const Text next{static_cast<std::uint32_t>(texts_.size())};
  const auto [entry, is_new] = numbers_.emplace(text, next);
  if (is_new) {
    texts_.push_back(valid_utf8(text));
  }
  return entry->second;
}

}  // namespace takt_trace::detail
