#include "takt_schedule/quoted.hpp"

namespace takt_schedule
{

std::string quoted(std::string_view text)
{
  constexpr std::size_t kLongest = 120;
  std::string result = "'";
  for (const char c : text.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_control(c)) {
      constexpr std::string_view kHex = "0123456789abcdef";
      result +=
        c == '\n' ? std::string("\\n") : std::string("\\x") + kHex[byte >> 4U] + kHex[byte & 0xfU];
    } else {
      result += c;
    }
  }
  if (text.size() > kLongest) {
    // Do not cut a UTF-8 character in half.
    while (!result.empty() && (static_cast<unsigned char>(result.back()) & 0xc0U) == 0x80U) {
      result.pop_back();
    }
    if (static_cast<unsigned char>(result.back()) >= 0xc0U) {
      result.pop_back();
    }
    result += "...";
  }
  return result + "'";
}

}  // namespace takt_schedule
