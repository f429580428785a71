// Quotes text of a file in a fault or a warning.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_SCHEDULE__QUOTED_HPP_
#define TAKT_SCHEDULE__QUOTED_HPP_

#include <string>
#include <string_view>

namespace takt_schedule
{

/// Whether `c` is invisible or breaks a line.
constexpr bool is_control(char c) noexcept
{
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

/// 'text' for a fault: on one line (control characters escaped) and of bounded length.
std::string quoted(std::string_view text);

// An exact overload: where <iomanip> is included, a call with a std::string would choose
// std::quoted.
inline std::string quoted(std::string & text)
{
  return quoted(std::string_view(text));
}
inline std::string quoted(const std::string & text)
{
  return quoted(std::string_view(text));
}
inline std::string quoted(const char * text)
{
  return quoted(std::string_view(text));
}

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__QUOTED_HPP_
