#include "shim/stand_in/rclcpp.hpp"

#include <cstdio>

namespace rclcpp
{
namespace
{

void say(const char * what)
{
  std::printf("%s\n", what);
  std::fflush(stdout);
}

}  // namespace

Executor::~Executor() = default;
void Executor::handle_updated_entities(bool)
{
}

void Executor::add_callback_group(
  std::shared_ptr<CallbackGroup>, std::shared_ptr<node_interfaces::NodeBaseInterface>, bool notify)
{
  say(notify ? "stock group, told" : "stock group");
}

void executors::SingleThreadedExecutor::spin()
{
  say("stock single");
}
void executors::MultiThreadedExecutor::spin()
{
  say("stock multi");
}
void executors::StaticSingleThreadedExecutor::spin()
{
  say("stock static");
}
void experimental::executors::EventsExecutor::spin()
{
  say("stock events");
}
void experimental::executors::EventsExecutor::handle_updated_entities(bool)
{
  say("stock updated");
}

void spin(std::shared_ptr<node_interfaces::NodeBaseInterface>)
{
  executors::SingleThreadedExecutor executor;
  executor.spin();
}
void spin(std::shared_ptr<Node>)
{
  spin(std::make_shared<node_interfaces::NodeBaseInterface>());
}
void spin_virtually(Executor & executor)
{
  executor.spin();
}

}  // namespace rclcpp

extern "C" int rcl_publish(const void *, const void *, void *)
{
  rclcpp::say("stock publish");
  return 7;
}
