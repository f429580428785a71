// Names of functions in the guard's report.
#include "exec/guard/symbols.hpp"

#include <gtest/gtest.h>

#include <string>

namespace takt_exec
{
namespace
{

TEST(WrittenFunction, is_the_one_that_a_std_function_calls)
{
  EXPECT_EQ(
    written_function(
      "std::_Function_handler<void (takt_rt::Cycle const&), main::{lambda(takt_rt::Cycle "
      "const&)#1}>::_M_invoke(std::_Any_data const&, takt_rt::Cycle const&)"),
    "main::{lambda(takt_rt::Cycle const&)#1}::operator()");
  EXPECT_EQ(
    written_function(
      "std::_Function_handler<int (), my::Counter<int, 3> >::_M_invoke(std::_Any_data const&)"),
    "my::Counter<int, 3> ::operator()");
  EXPECT_EQ(
    written_function("std::_Function_handler<void (), rclcpp::Node::Node(int, bool)::{lambda(int, "
                     "bool)#2}>::_M_invoke(std::_Any_data const&)"),
    "rclcpp::Node::Node(int, bool)::{lambda(int, bool)#2}::operator()")
    << "the client library's own stays its own";
}

TEST(WrittenFunction, is_the_function_itself_elsewhere)
{
  for (const std::string name :
       {"", "main", "std::vector<int>::push_back(int&&)", "std::_Function_handler<",
        "std::_Function_handler<void (), void (*)()>::_M_invoke(std::_Any_data const&)",
        "std::_Function_handler<void (), main::{lambda()#1}>::_M_manager(std::_Any_data&)",
        "my::f(std::_Function_handler<void (), my::F>::_M_invoke)"}) {
    EXPECT_EQ(written_function(name), name);
  }
}

}  // namespace
}  // namespace takt_exec
