// Removes takt's variables from the environment, so that the program and the programs that it
// starts do not find them.
#ifndef SHIM__ENVIRONMENT_HPP_
#define SHIM__ENVIRONMENT_HPP_

namespace takt_preload
{

/// Call it once: stores takt's variables, and removes them and this library from the environment.
/// With TAKT_CHILDREN=1 they stay there for the programs that this one starts. Allocates.
void take_variables();

/// The value of one of takt's variables; empty: not set. Any thread.
const char * variable(const char * name);

/// The removed variables, "NAME=value", the last one null. They live as long as the process.
const char * const * taken_variables();

}  // namespace takt_preload

#endif  // SHIM__ENVIRONMENT_HPP_
