// Which functions the user of the guard does not want to hear of.
//
//     # A line is a pattern of functions, after a kind or without one; * stands for any characters.
//     rclcpp::Publisher<*>::publish
//     allocation my_robot::Logger::*
#ifndef EXEC__GUARD__IGNORE_LIST_HPP_
#define EXEC__GUARD__IGNORE_LIST_HPP_

#include <optional>
#include <string>
#include <vector>

#include "takt_rt/guard/kind.hpp"
#include "takt_rt/result.hpp"

namespace takt_exec
{

class IgnoreList
{
public:
  /// Faults: the file cannot be read; a line is no pattern.
  static takt_rt::Result<IgnoreList> read(const std::string & path);

  /// Whether an event of the kind is ignored where this function is in its stack. `function`: as a demangler prints it.
  bool ignores(takt_rt::GuardKind kind, const std::string & function) const;

private:
  struct Line
  {
    std::optional<takt_rt::GuardKind> kind{};  // absent: each kind
    std::string pattern;
  };
  std::vector<Line> lines_;
};

}  // namespace takt_exec

#endif  // EXEC__GUARD__IGNORE_LIST_HPP_
