// Finds tabs before the first word of a line, which YAML forbids and editors do not show. Set-up
// only.
#ifndef TAKT_SCHEDULE__SRC__TABS_HPP_
#define TAKT_SCHEDULE__SRC__TABS_HPP_

#include <optional>
#include <string_view>

namespace takt_schedule
{

/// A place in a text, both from 1.
struct TabPlace
{
  int line = 0;
  int column = 0;
};

inline constexpr std::string_view kTabFault =
  "a tab stands here; YAML is indented with spaces only, so replace it by spaces";

/// The tab in the indentation of `line` (from 1) or of the line before it: a likely cause of the
/// YAML parser's fault there.
inline std::optional<TabPlace> tab_in_indentation(std::string_view text, int line)
{
  std::optional<TabPlace> found;
  for (int number = 1; number <= line && !text.empty(); ++number) {
    const auto tab = text.find_first_not_of(' ');
    if (number + 1 >= line && tab != std::string_view::npos && text[tab] == '\t') {
      found = TabPlace{number, static_cast<int>(tab) + 1};
    }
    const auto end = text.find('\n');
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return found;
}

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__SRC__TABS_HPP_
