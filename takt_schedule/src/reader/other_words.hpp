// Other tools' words (chrt, systemd, rclcpp's drafts, thread configurators) for the keys and values
// of a schedule.
#ifndef TAKT_SCHEDULE__SRC__OTHER_WORDS_HPP_
#define TAKT_SCHEDULE__SRC__OTHER_WORDS_HPP_

#include <span>
#include <string>
#include <string_view>

namespace takt_schedule::detail
{

/// The known word that other tools call `word`; else empty.
std::string word_for_other(std::string_view word, std::span<const std::string> known);

}  // namespace takt_schedule::detail

#endif  // TAKT_SCHEDULE__SRC__OTHER_WORDS_HPP_
