#include "exec/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace takt_exec
{
namespace
{

bool is(const std::string & line, const std::string & name)
{
  return line.size() > name.size() && line[name.size()] == '=' &&
         line.compare(0, name.size(), name) == 0;
}

}  // namespace

std::string from_base64(const std::string & text)
{
  constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char digit : text) {
    const std::size_t value = kDigits.find(digit);
    if (value == std::string_view::npos) {
      break;
    }
    bits = bits << 6U | static_cast<std::uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> static_cast<unsigned>(count) & 0xffU);
    }
  }
  return bytes;
}

Environment Environment::of_the_user()
{
  std::string text;
  for (int part = 0;; ++part) {
    const char * const value = std::getenv(("TAKT_USER_ENV_" + std::to_string(part)).c_str());
    if (value == nullptr) {
      break;
    }
    text += value;
  }
  Environment environment;
  if (text.empty()) {
    for (char ** line = environ; *line != nullptr; ++line) {
      environment.lines_.emplace_back(*line);
    }
    return environment;
  }
  const std::string bytes = from_base64(text);
  for (std::size_t begin = 0; begin < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\0', begin), bytes.size());
    environment.lines_.push_back(bytes.substr(begin, end - begin));
    begin = end + 1;
  }
  return environment;
}

std::optional<std::string> Environment::get(const std::string & name) const
{
  for (const std::string & line : lines_) {
    if (is(line, name)) {
      return line.substr(name.size() + 1);
    }
  }
  return std::nullopt;
}

void Environment::set(const std::string & name, const std::string & value)
{
  std::erase_if(lines_, [&](const std::string & line) { return is(line, name); });
  if (!value.empty()) {
    lines_.push_back(name + "=" + value);
  }
}

std::vector<char *> Environment::strings() const
{
  std::vector<char *> strings;
  for (const std::string & line : lines_) {
    strings.push_back(const_cast<char *>(line.c_str()));  // execve only reads them
  }
  strings.push_back(nullptr);
  return strings;
}

}  // namespace takt_exec
