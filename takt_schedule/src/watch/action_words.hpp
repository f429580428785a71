// The words of alarm actions in files.
#ifndef TAKT_SCHEDULE__SRC__ACTION_WORDS_HPP_
#define TAKT_SCHEDULE__SRC__ACTION_WORDS_HPP_

#include <array>
#include <string_view>

#include "takt_schedule/watch_rules.hpp"

namespace takt_schedule::detail
{

struct ActionWord
{
  AlarmAction::Kind kind;
  std::string_view word;
  std::string_view example;  ///< for actions that need more than the word
};

inline constexpr std::array<ActionWord, 9> kActionWords{{
  {AlarmAction::Kind::log, "log", {}},
  {AlarmAction::Kind::publish, "publish", {}},
  {AlarmAction::Kind::snapshot, "snapshot", {}},
  {AlarmAction::Kind::ask, "ask", {}},
  {AlarmAction::Kind::run, "run", "{run: [program, argument]}"},
  {AlarmAction::Kind::set_parameter, "set_parameter",
   "{set_parameter: {node: /lidar, name: rate, value: 5}}"},
  {AlarmAction::Kind::priority, "priority", "{priority: 200}"},
  {AlarmAction::Kind::threads, "threads", "{threads: hot}"},
  // thread_nice has the same word.
  {AlarmAction::Kind::thread_priority, "thread", "{thread: {name: hot, priority: 80}}"},
}};

}  // namespace takt_schedule::detail

#endif  // TAKT_SCHEDULE__SRC__ACTION_WORDS_HPP_
