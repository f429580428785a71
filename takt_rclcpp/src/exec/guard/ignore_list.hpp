// The events that the guard's report omits at the user's request.
//
//     # A line is a pattern of functions, with or without a kind before it; * is any text.
//     rclcpp::Publisher<*>::publish
//     allocation my_robot::Logger::*
#ifndef EXEC__GUARD__IGNORE_LIST_HPP_
#define EXEC__GUARD__IGNORE_LIST_HPP_

#include <cstddef>
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
  /// Faults: the file cannot be read; a line is not a pattern, or begins with a word that is nearly
  /// a kind.
  static takt_rt::Result<IgnoreList> read(const std::string & path);

  /// True if the list ignores events of this kind with `function` in their stack. `function`: as a
  /// demangler prints it.
  bool ignores(takt_rt::GuardKind kind, const std::string & function) const;

  /// The lines with an entry in `used` that is false; see `note`. As written, with the line's
  /// number: "3: output control".
  std::vector<std::string> unused(const std::vector<bool> & used) const;

  /// As `ignores`. Sets the entry in `used` of each line that ignores the function.
  bool note(takt_rt::GuardKind kind, const std::string & function, std::vector<bool> & used) const;

private:
  struct Line
  {
    std::optional<takt_rt::GuardKind> kind{};  // absent: all kinds
    std::string pattern;
    int number = 0;
    std::string text{};  // as written

    /// `name`: the function without its parameters.
    bool ignores(
      takt_rt::GuardKind of, const std::string & function, const std::string & name) const;
  };
  std::vector<Line> lines_;
};

}  // namespace takt_exec

#endif  // EXEC__GUARD__IGNORE_LIST_HPP_
