// The environment of the program that `takt exec` runs: the user's, and what takt's library needs to know there.
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
  /// The user's: where takt was started by a script that has set up an environment of its own, the one from before
  /// (base64 of its "NAME=value" strings, in TAKT_USER_ENV_0, TAKT_USER_ENV_1, ...), else this process's.
  static Environment of_the_user();

  std::optional<std::string> get(const std::string & name) const;
  /// An empty value: the variable is not set.
  void set(const std::string & name, const std::string & value);
  /// For execve: they live until the next change.
  std::vector<char *> strings() const;

private:
  std::vector<std::string> lines_;
};

/// The bytes of base64 text; none from the first character on that is not of it.
std::string from_base64(const std::string & text);

}  // namespace takt_exec

#endif  // EXEC__ENVIRONMENT_HPP_
