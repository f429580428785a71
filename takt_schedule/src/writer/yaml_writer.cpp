#include "writer/yaml_writer.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "takt_schedule/duration.hpp"
#include "takt_schedule/quoted.hpp"
#include "watch/watch_to_yaml.hpp"

namespace takt_schedule::detail
{

std::string double_quoted(std::string_view text)
{
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (is_control(c)) {
      constexpr std::string_view kHex = "0123456789abcdef";
      result += {'\\', 'x', kHex[byte >> 4U], kHex[byte & 0xfU]};
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string scalar(std::string_view text)
{
  // Words that YAML versions give a meaning of their own.
  constexpr std::array<std::string_view, 9> kSpecial{"null", "true", "false", "yes", "no",
                                                     "on",   "off",  "y",     "n"};
  std::string lowered{text};
  std::transform(lowered.begin(), lowered.end(), lowered.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  const bool plain =
    !text.empty() && std::isalpha(static_cast<unsigned char>(text.front())) != 0 &&
    std::all_of(
      text.begin(), text.end(),
      [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.' || c == '/';
      }) &&
    std::find(kSpecial.begin(), kSpecial.end(), lowered) == kSpecial.end();
  if (plain) {
    return std::string(text);
  }
  return double_quoted(text);
}

std::string scalar_or_list(const std::vector<std::string> & words)
{
  if (words.size() == 1) {
    return scalar(words.front());
  }
  std::string result;
  for (const std::string & word : words) {
    result += (result.empty() ? "[" : ", ") + scalar(word);
  }
  return result + "]";
}

std::string list_of(const std::vector<int> & numbers)
{
  std::string result;
  for (const int number : numbers) {
    result += (result.empty() ? "[" : ", ") + std::to_string(number);
  }
  return result.empty() ? "[]" : result + "]";
}

std::string flow(const Pairs & pairs)
{
  std::string result = "{";
  for (const auto & [key, value] : pairs) {
    result += (result.size() > 1 ? ", " : "") + key + ": " + value;
  }
  return result + "}";
}

void Writer::comment(int depth, std::string_view text)
{
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    text_ += std::string(static_cast<std::size_t>(depth) * 2, ' ') + "#";
    if (end > 0) {
      text_ += ' ';
      for (const char c : text.substr(0, end)) {
        text_ += is_control(c) ? ' ' : c;
      }
    }
    text_ += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void Writer::line(int depth, std::string_view key, std::string_view value, std::string_view remark)
{
  std::string indent(static_cast<std::size_t>(depth) * 2, ' ');
  if (item_) {
    indent.replace(indent.size() - 2, 2, "- ");
    item_ = false;
  }
  text_ += indent + scalar(key) + ":";
  if (!value.empty()) {
    text_ += ' ';
    text_ += value;
  }
  if (!remark.empty()) {
    text_ += "  # ";
    text_ += remark;
  }
  text_ += '\n';
}

void Writer::entry(int depth, std::string_view value)
{
  text_ += std::string(static_cast<std::size_t>(depth) * 2, ' ') + "- ";
  text_ += value;
  text_ += '\n';
}

void write_chain(Writer & out, const ChainSchedule & entry)
{
  const takt_core::ChainOptions & chain = entry.options;
  out.comment(1, entry.source.comment);
  out.line(1, chain.name, {});
  // One id per line: paths are long, and people read diffs of schedules.
  std::string path;
  for (const std::string & id : chain.path) {
    path += (path.empty() ? "[\n      " : ",\n      ") + scalar(id);
  }
  out.line(2, "path", path + "]");
  if (chain.priority != 0) {
    out.line(2, "priority", std::to_string(chain.priority));
  }
  if (chain.deadline != takt_rt::kForever) {
    out.line(2, "deadline", print_duration(chain.deadline));
  }
  if (chain.period != takt_rt::Duration{}) {
    out.line(2, "period", print_duration(chain.period));
  }
  for (const auto & [key, value] : pairs_of(entry.watch)) {
    out.line(2, key, value);
  }
}

}  // namespace takt_schedule::detail
