// Finds bytes that are not text: not UTF-8, and zero bytes. A YAML parser calls them unknown
// escapes, if it objects. Set-up only.
#ifndef TAKT_SCHEDULE__SRC__ENCODING_HPP_
#define TAKT_SCHEDULE__SRC__ENCODING_HPP_

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

namespace takt_schedule
{

/// The first byte that does not begin or continue a character; empty if all do.
inline std::optional<std::size_t> first_bad_byte(std::string_view text)
{
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t more = byte < 0x80U                     ? 0
                             : byte >= 0xc2U && byte < 0xe0U  ? 1
                             : (byte & 0xf0U) == 0xe0U        ? 2
                             : byte >= 0xf0U && byte <= 0xf4U ? 3
                                                              : text.size();
    if (byte == 0 || more > text.size() - i - 1) {
      return i;
    }
    for (std::size_t k = 1; k <= more; ++k) {
      if ((static_cast<unsigned char>(text[i + k]) & 0xc0U) != 0x80U) {
        return i;
      }
    }
    i += more + 1;
  }
  return std::nullopt;
}

/// Whether the text begins with the mark of UTF-16, which the YAML parser reads.
inline bool is_utf16(std::string_view text)
{
  return text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff");
}

/// The line (from 1) of a byte.
inline int line_of(std::string_view text, std::size_t byte)
{
  return 1 + static_cast<int>(
               std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(byte), '\n'));
}

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__SRC__ENCODING_HPP_
