// What came from a file, as a fault or a warning repeats it.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_SCHEDULE__QUOTED_HPP_
#define TAKT_SCHEDULE__QUOTED_HPP_

#include <string>
#include <string_view>

namespace takt_schedule
{

/// Whether `c` would be seen by nobody, or break a line.
constexpr bool is_control(char c) noexcept
{
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

/// 'text', fit to stand in a fault: one line (control characters escaped) and not endless.
std::string quoted(std::string_view text);

// Exact for what std::quoted takes, too: a call with a std::string would be that one where <iomanip> is included.
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
