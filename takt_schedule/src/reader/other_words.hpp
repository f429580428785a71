// What other tools (chrt, systemd, rclcpp's drafts, thread configurators) call the keys and values of a schedule.
#ifndef TAKT_SCHEDULE__SRC__OTHER_WORDS_HPP_
#define TAKT_SCHEDULE__SRC__OTHER_WORDS_HPP_

#include <span>
#include <string>
#include <string_view>

namespace takt_schedule::detail
{

/// The one of the known words that other tools call `word`; empty if there is none.
std::string word_for_other(std::string_view word, std::span<const std::string> known);

}  // namespace takt_schedule::detail

#endif  // TAKT_SCHEDULE__SRC__OTHER_WORDS_HPP_
