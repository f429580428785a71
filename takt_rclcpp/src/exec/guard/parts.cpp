#include "exec/guard/parts.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "exec/guard/account_file.hpp"
#include "takt_schedule/middlewares.hpp"

namespace takt_exec
{
namespace
{

constexpr std::array<std::string_view, 5> kRuntimeFunctions{
  "std::", "__gnu_cxx::", "__gthread_", "operator new", "operator delete"};
constexpr std::array<std::string_view, 4> kClientFunctions{
  "rclcpp::", "rclcpp_action::", "rclcpp_lifecycle::", "takt_rcl::"};
constexpr std::string_view kLambda = "{lambda(";

bool begins_with_one_of(std::string_view text, std::span<const std::string_view> beginnings)
{
  return std::any_of(beginnings.begin(), beginnings.end(), [&](std::string_view one) {
    return text.substr(0, one.size()) == one;
  });
}

bool has_one_of(const std::string & text, std::span<const std::string_view> parts)
{
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view one) {
    return text.find(one) != std::string::npos;
  });
}

bool is_middleware(const std::string & object)
{
  constexpr std::array<std::string_view, 2> kOfAll{"librmw", "libtakt_channel"};
  const std::string name = base_name(object);
  const auto all = takt_schedule::middlewares();
  return begins_with_one_of(name, kOfAll) ||
         std::any_of(all.begin(), all.end(), [&](const takt_schedule::Middleware & one) {
           return begins_with_one_of(name, one.libraries);
         });
}

// The function's name without its result: "std::vector<int>::push_back(int&&)" for
// "void std::vector<int>::push_back(int&&)". (Of templates, demanglers print the result's type.)
std::string qualified_name(const std::string & function)
{
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < function.size(); ++i) {
    constexpr std::string_view kUnnamed = "(anonymous namespace)";
    constexpr std::string_view kDeduced = "decltype(auto)";
    if (function.compare(i, kUnnamed.size(), kUnnamed) == 0) {
      i += kUnnamed.size() - 1;
    } else if (function.compare(i, kDeduced.size(), kDeduced) == 0) {
      i += kDeduced.size() - 1;
    } else if (function[i] == '<') {
      ++depth;
    } else if (function[i] == '>') {
      --depth;
    } else if (depth == 0 && (function[i] == '(' || function.compare(i, 9, "operator ") == 0)) {
      break;
    } else if (depth == 0 && function[i] == ' ') {
      begin = i + 1;
    }
  }
  return function.substr(begin);
}

// Functions in headers of the C and C++ libraries, and of what the system has for all programs.
bool is_runtime_header(const std::string & file)
{
  constexpr std::array<std::string_view, 4> kFolders{
    "/usr/include/", "/usr/local/include/", "/usr/lib/", "/include/c++/"};
  return has_one_of(file, kFolders);
}

bool is_client_header(const std::string & file)
{
  constexpr std::array<std::string_view, 14> kFolders{
    "/include/rclcpp/", "/include/rclcpp_action/", "/include/rclcpp_components/",
    "/include/rclcpp_lifecycle/", "/include/rcl/", "/include/rcl_", "/include/rcutils/",
    "/include/rcpputils/", "/include/rosidl_", "/include/tracetools/", "/include/takt_",
    // Of message types, which the client library makes, copies and destroys.
    "/msg/detail/", "/srv/detail/", "/action/detail/"};
  return has_one_of("/" + file, kFolders);
}

bool is_runtime(const std::string & object, const Place & place)
{
  constexpr std::array<std::string_view, 9> kObjects{
    "libc.so",  "libstdc++.so", "libpthread.so",    "libgcc_s.so", "libm.so",
    "libdl.so", "ld-linux",     "libtakt_guard.so", "librt.so"};
  return begins_with_one_of(base_name(object), kObjects) ||
         begins_with_one_of(qualified_name(place.function), kRuntimeFunctions) ||
         (place.inlined && is_runtime_header(place.file));
}

// True for functions of generated types, such as `nav_msgs::msg::Path_<std::allocator<void> >`. A
// function of the program may get a message as argument, and may lie in a namespace of that name.
bool is_messages_own(const std::string & name)
{
  const std::string own = name.substr(0, name.find_first_of("<("));
  constexpr std::array<std::string_view, 3> kNamespaces{"::msg::", "::srv::", "::action::"};
  return name.find("_<std::allocator<void> >") == own.size() - 1 &&
         std::any_of(kNamespaces.begin(), kNamespaces.end(), [&](std::string_view space) {
           const std::size_t found = own.find(space);
           return found != std::string::npos &&
                  own.find("::", found + space.size()) == std::string::npos;
         });
}

bool is_client_library(const std::string & object, const Place & place)
{
  constexpr std::array<std::string_view, 9> kObjects{
    "librclcpp",      "librcl",        "librcutils",    "librcpputils", "librosidl",
    "libtakt_rcl.so", "libtakt_rt.so", "libtracetools", "libspdlog"};
  const std::string name = qualified_name(place.function);
  return begins_with_one_of(base_name(object), kObjects) ||
         begins_with_one_of(name, kClientFunctions) ||
         (place.inlined && is_client_header(place.file)) || is_messages_own(name);
}

bool is_of_library(std::string_view type)
{
  return begins_with_one_of(type, kRuntimeFunctions) || begins_with_one_of(type, kClientFunctions);
}

// The arguments of the template whose "<" is at `open`; `end`: behind its ">".
std::vector<std::string> arguments_of(const std::string & text, std::size_t open, std::size_t & end)
{
  std::vector<std::string> all;
  int depth = 0;
  std::size_t begin = open + 1;
  const auto add = [&](std::size_t until) {
    begin = std::min(text.find_first_not_of(' ', begin), until);
    all.push_back(text.substr(begin, until - begin));
    while (!all.back().empty() && (all.back().back() == ' ' || all.back().back() == '&')) {
      all.back().pop_back();
    }
    if (constexpr std::string_view kConst = " const"; all.back().ends_with(kConst)) {
      all.back().resize(all.back().size() - kConst.size());
    }
  };
  for (std::size_t i = open + 1; i < text.size(); ++i) {
    const char letter = text[i];
    if (depth == 0 && (letter == '>' || letter == ',')) {
      add(i);
      begin = i + 1;
      if (letter == '>') {
        end = i + 1;
        return all;
      }
    }
    depth += letter == '<' || letter == '(' || letter == '{' ? 1 : 0;
    depth -= letter == '>' || letter == ')' || letter == '}' ? 1 : 0;
  }
  end = text.size();
  return {};  // the name is damaged
}

// The lambda of the program that is an argument of a template in `name`, at any depth.
std::string lambda_in(const std::string & name)
{
  for (std::size_t at = name.find('<'); at != std::string::npos; at = name.find('<', at)) {
    for (const std::string & argument : arguments_of(name, at, at)) {
      if (argument.find(kLambda) == std::string::npos) {
        continue;
      }
      if (std::string found = is_of_library(argument) ? lambda_in(argument) : argument;
          !found.empty()) {
        // Of "main::{lambda(int)#1} (int)", which is what std::_Bind has, the type.
        return found.substr(0, found.find(" (", found.rfind('}')));
      }
    }
  }
  return {};
}

// The type of a function object of the program; empty: a pointer to a function, whose code the
// compiler cannot know, or an object of a library.
std::string written_type(const std::string & type)
{
  if (is_of_library(type)) {
    return lambda_in(type);
  }
  const bool is_class = !type.empty() && type.back() != '*' && type.back() != ')' &&
                        type.find("(*)") == std::string::npos;
  return is_class ? type : "";
}

// Templates that do nothing by themselves but call the function object whose type is the argument
// with this number.
constexpr std::array<std::pair<std::string_view, std::size_t>, 9> kCallers{
  {{"std::_Function_handler<", 1},
   {"std::__invoke_impl<", 1},
   {"std::__invoke<", 0},
   {"std::__invoke_r<", 1},
   {"std::thread::_State_impl<", 0},
   {"rclcpp::GenericTimer<", 0},
   {"rclcpp::WallTimer<", 0},
   {"takt_rcl::detail::call_user<", 0},
   {"takt_rcl::detail::timer_function<", 0}}};

}  // namespace

const char * name_of(Part part)
{
  switch (part) {
    case Part::middleware:
      return "middleware";
    case Part::runtime:
      return "runtime";
    case Part::client_library:
      return "client_library";
    case Part::program:
      break;
  }
  return "program";
}

Part part_of(const std::string & object, const Place & place)
{
  return is_middleware(object)              ? Part::middleware
         : is_runtime(object, place)        ? Part::runtime
         : is_client_library(object, place) ? Part::client_library
                                            : Part::program;
}

std::optional<Carried> carried_function(const std::string & demangled)
{
  constexpr std::string_view kCalled = "::operator()";
  constexpr std::string_view kHandler = "std::_Function_handler<";
  const std::string name = qualified_name(demangled);
  if (!is_of_library(name)) {
    return std::nullopt;
  }
  for (const auto & [caller, number] : kCallers) {
    if (!name.starts_with(caller)) {
      continue;
    }
    std::size_t end = 0;
    const auto arguments = arguments_of(name, caller.size() - 1, end);
    // The handler's other functions copy and destroy the function object.
    const bool calls = caller != kHandler || name.compare(end, 11, "::_M_invoke") == 0;
    const std::string type =
      calls && arguments.size() > number ? written_type(arguments[number]) : "";
    return type.empty() ? std::nullopt
                        : std::optional<Carried>({type + std::string(kCalled), true});
  }
  const std::string type = begins_with_one_of(name, kClientFunctions) ? lambda_in(name) : "";
  return type.empty() ? std::nullopt : std::optional<Carried>({type + std::string(kCalled), false});
}

}  // namespace takt_exec
