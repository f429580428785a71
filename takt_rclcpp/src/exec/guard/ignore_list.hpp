// The events that the guard's report omits at the user's request.
//
//     # A line is a pattern of functions, with or without a kind before it; * is any text.
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
  /// Faults: the file cannot be read; a line is not a pattern.
  static takt_rt::Result<IgnoreList> read(const std::string & path);

  /// True if the list ignores events of this kind with `function` in their stack. `function`: as a
  /// demangler prints it.
  bool ignores(takt_rt::GuardKind kind, const std::string & function) const;

private:
  struct Line
  {
    std::optional<takt_rt::GuardKind> kind{};  // absent: all kinds
    std::string pattern;
  };
  std::vector<Line> lines_;
};

}  // namespace takt_exec

#endif  // EXEC__GUARD__IGNORE_LIST_HPP_
