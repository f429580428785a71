// Variables of the process's environment.
#ifndef TAKT_RT__ENVIRONMENT_HPP_
#define TAKT_RT__ENVIRONMENT_HPP_

#include <cstdlib>
#include <string>

namespace takt_rt
{

/// The value of a variable; empty where it is not set. Set-up only: allocates, and no other thread
/// may change the environment meanwhile.
inline std::string variable(const char * name)
{
  const char * const value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

}  // namespace takt_rt

#endif  // TAKT_RT__ENVIRONMENT_HPP_
