// What takt put into the environment of a program for this library: the program itself, and what it starts, are not to
// find it there.
#ifndef SHIM__ENVIRONMENT_HPP_
#define SHIM__ENVIRONMENT_HPP_

namespace takt_preload
{

/// Once: keeps takt's variables and takes them, and this library, out of the environment; under TAKT_CHILDREN=1
/// they stay there for the programs that this one starts. Allocates.
void take_variables();

/// The value of one of takt's variables; empty: it is not set. Any thread.
const char * variable(const char * name);

/// The variables that were taken, "NAME=value", the last one null. They live as long as the process.
const char * const * taken_variables();

}  // namespace takt_preload

#endif  // SHIM__ENVIRONMENT_HPP_
