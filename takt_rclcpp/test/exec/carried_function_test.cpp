// Functions of the program that the compiler put into templates of libraries.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "exec/guard/parts.hpp"

namespace takt_exec
{
namespace
{

// "-" in front: the template may do something by itself. Empty: there is no such function.
std::string carried(const std::string & name)
{
  const auto found = carried_function(name);
  return found ? (found->alone ? "" : "-") + found->function : "";
}

TEST(CarriedFunction, is_the_one_that_the_template_calls)
{
  const std::pair<const char *, const char *> kNames[] = {
    {"std::_Function_handler<void (takt_rt::Cycle const&), main::{lambda(takt_rt::Cycle "
     "const&)#1}>::_M_invoke(std::_Any_data const&, takt_rt::Cycle const&)",
     "main::{lambda(takt_rt::Cycle const&)#1}::operator()"},
    {"std::_Function_handler<int (), my::Counter<int, 3> >::_M_invoke(std::_Any_data const&)",
     "my::Counter<int, 3>::operator()"},
    {"std::_Function_handler<void (), std::_Bind<main::{lambda(int)#1} (int)> >::_M_invoke("
     "std::_Any_data const&)",
     "main::{lambda(int)#1}::operator()"},
    {"rclcpp::GenericTimer<main::{lambda()#1}, (void*)0>::execute_callback(std::shared_ptr<void> "
     "const&) [clone .cold]",
     "main::{lambda()#1}::operator()"},
    {"rclcpp::WallTimer<(anonymous namespace)::Node::Node(int, "
     "char)::{lambda(rclcpp::TimerBase&)#2}, "
     "(void*)0>::execute_callback()",
     "(anonymous namespace)::Node::Node(int, "
     "char)::{lambda(rclcpp::TimerBase&)#2}::operator()"},
    {"std::_Function_handler<void (takt_rcl::Timer&, takt_rcl::TimerInfo const&), "
     "takt_rcl::detail::timer_function<main::{lambda()#2}>(main::{lambda()#2}&&)::{lambda("
     "takt_rcl::Timer&, takt_rcl::TimerInfo const&)#1}>::_M_invoke(std::_Any_data const&, "
     "takt_rcl::Timer&, takt_rcl::TimerInfo const&)",
     "main::{lambda()#2}::operator()"},
    {"void takt_rcl::detail::call_user<robot::Node::Node()::{lambda(auto:1 const&)#1} const, M "
     "const&>("
     "robot::Node::Node()::{lambda(auto:1 const&)#1} const&, M const&)",
     "robot::Node::Node()::{lambda(auto:1 const&)#1}::operator()"},
    {"std::thread::_State_impl<std::thread::_Invoker<std::tuple<main::{lambda()#1}> > >::_M_run()",
     "main::{lambda()#1}::operator()"},
    {"rclcpp::Thing<int, std::tuple<main::{lambda()#1}> >::work()",
     "-main::{lambda()#1}::operator()"}};
  for (const auto & [name, function] : kNames) {
    EXPECT_EQ(carried(name), function) << name;
  }
}

TEST(CarriedFunction, is_none_elsewhere)
{
  for (const char * const name :
       {"", "main", "std::vector<int>::push_back(int&&)", "std::_Function_handler<",
        "std::_Function_handler<void (), void (*)()>::_M_invoke(std::_Any_data const&)",
        "std::_Function_handler<void (), main::{lambda()#1}>::_M_manager(std::_Any_data&)",
        "my::f(std::_Function_handler<void (), my::F>::_M_invoke)",
        // The library's own lambda, and a pointer to a member.
        "std::_Function_handler<void (), rclcpp::Node::Node(int, bool)::{lambda(int, "
        "bool)#2}>::_M_invoke(std::_Any_data const&)",
        "rclcpp::GenericTimer<std::_Bind<void (my::Node::*(my::Node*))()>, "
        "(void*)0>::execute_callback()",
        "rclcpp::GenericTimer<void (my::Node::*)(), (void*)0>::execute_callback()",
        "my::Timer<main::{lambda()#1}>::run()",
        "rclcpp::Publisher<std_msgs::msg::Int32_<std::allocator<void> >, "
        "std::allocator<void> >::publish(int)"}) {
    EXPECT_EQ(carried(name), "") << name;
  }
}

Place place(const char * function, const char * file, bool inlined)
{
  return {function, file, 1, inlined};
}

TEST(PartOf, is_the_one_that_has_the_source_of_an_inlined_function)
{
  const std::string program = "/home/me/install/robot/lib/robot/node";
  EXPECT_EQ(part_of(program, place("operator()", "/home/me/src/node.cpp", true)), Part::program);
  EXPECT_EQ(
    part_of(program, place("push_back", "/usr/include/c++/12/bits/stl_vector.h", true)),
    Part::runtime);
  for (const char * const file :
       {"/opt/ros/kilted/include/rclcpp/rclcpp/timer.hpp", "include/rclcpp/timer.hpp",
        "/home/me/takt/takt_rcl/include/takt_rcl/timer.hpp",
        "/opt/ros/kilted/include/std_msgs/std_msgs/msg/detail/int32__struct.hpp"}) {
    EXPECT_EQ(part_of(program, place("delegate<>", file, true)), Part::client_library) << file;
  }
  EXPECT_EQ(
    part_of(program, place("rclcpp::Publisher<M>::publish(M)", "", false)), Part::client_library);
  EXPECT_EQ(part_of(program, place("plan", "/home/me/rclcpp/plan.hpp", true)), Part::program)
    << "a folder of the user with that name";
  EXPECT_EQ(
    part_of(program, place("nav_msgs::msg::Path_<std::allocator<void> >::~Path_()", "", false)),
    Part::client_library);
  EXPECT_EQ(
    part_of(
      program, place(
                 "robot::action::Planner::on_path(nav_msgs::msg::Path_<std::allocator<void> > "
                 "const&)",
                 "", false)),
    Part::program)
    << "a namespace of the user with that name";
  EXPECT_EQ(
    part_of("/opt/ros/kilted/lib/librclcpp.so", place("f", "x.cpp", true)), Part::client_library);
}

}  // namespace
}  // namespace takt_exec
