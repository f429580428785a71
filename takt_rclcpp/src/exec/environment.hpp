// The environment of the program that `takt exec` runs: the user's, with the variables for takt's
// library.
#ifndef EXEC__ENVIRONMENT_HPP_
#define EXEC__ENVIRONMENT_HPP_

#include <optional>
#include <string>
#include <vector>

namespace takt_exec
{

class Environment
{
public:
  /// The user's environment. If a script with an environment of its own started takt, this is the
  /// environment before the script (base64 of its "NAME=value" strings, in TAKT_USER_ENV_0,
  /// TAKT_USER_ENV_1, ...); else it is this process's.
  static Environment of_the_user();

  std::optional<std::string> get(const std::string & name) const;
  /// An empty value removes the variable.
  void set(const std::string & name, const std::string & value);
  /// The strings for execve; valid until the next change.
  std::vector<char *> strings() const;

private:
  std::vector<std::string> lines_;
};

/// The decoded bytes of base64 text, up to the first character that is not base64.
std::string from_base64(const std::string & text);

}  // namespace takt_exec

#endif  // EXEC__ENVIRONMENT_HPP_
