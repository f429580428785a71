#include "watch/parameter_value.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "writer/yaml_writer.hpp"

namespace takt_schedule::detail
{
namespace
{

/// A word that YAML reads the same in every place: a number, true, .inf, a name.
bool stays_plain(std::string_view text)
{
  const auto is_alnum = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  std::string_view begin = text;
  if (begin.starts_with('-') || begin.starts_with('+')) {
    begin.remove_prefix(1);
  }
  if (begin.starts_with('.')) {
    begin.remove_prefix(1);
  }
  return !begin.empty() && is_alnum(begin.front()) &&
         std::all_of(text.begin(), text.end(), [&](char c) {
           return is_alnum(c) || c == '_' || c == '.' || c == '-' || c == '+' || c == '/';
         });
}

std::string yaml_of(const YamlNode & scalar)
{
  return scalar.plain && stays_plain(scalar.text) ? scalar.text : double_quoted(scalar.text);
}

}  // namespace

std::optional<std::string> parameter_value(const YamlNode & node)
{
  if (node.is_scalar()) {
    return yaml_of(node);
  }
  if (!node.is_list() || node.items.empty()) {
    return std::nullopt;
  }
  std::string text;
  for (const YamlPtr & item : node.items) {
    if (!item->is_scalar()) {
      return std::nullopt;
    }
    text += (text.empty() ? "[" : ", ") + yaml_of(*item);
  }
  return text + "]";
}

}  // namespace takt_schedule::detail
