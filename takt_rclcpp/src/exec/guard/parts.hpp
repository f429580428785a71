// Whose code a function is: the program's, the client library's, the middleware's, or the C++
// library's.
#ifndef EXEC__GUARD__PARTS_HPP_
#define EXEC__GUARD__PARTS_HPP_

#include <optional>
#include <string>

#include "exec/guard/symbols.hpp"

namespace takt_exec
{

/// A part of a process.
enum class Part
{
  program,
  client_library,  ///< rclcpp or takt_rcl
  middleware,
  runtime  ///< the C and C++ libraries, which work for their caller further out
};

const char * name_of(Part part);

/// The part that has the function at `place`, whose code is in the file `object`. The code of
/// templates is in the program's file, so the function's name counts, and of functions that the
/// compiler inlined the source file, too: addr2line has only a part of their names. May allocate.
Part part_of(const std::string & object, const Place & place);

/// A function of the program in a template of a library that calls it.
struct Carried
{
  std::string function;  ///< "main::{lambda()#1}::operator()"
  /// True: the template does nothing by itself that the guard notes. False: it may.
  bool alone = false;
};

/// The function whose code an optimising compiler may have put into `demangled`, because this is a
/// template of a library with the function's type as an argument: "main::{lambda()#1}::operator()"
/// of "rclcpp::GenericTimer<main::{lambda()#1}, (void*)0>::execute_callback()". Nothing: the
/// function is not such a template. May allocate.
std::optional<Carried> carried_function(const std::string & demangled);

}  // namespace takt_exec

#endif  // EXEC__GUARD__PARTS_HPP_
