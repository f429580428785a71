// As report.cpp, where the build did not find rclcpp.
#include <utility>

#include "sinks/report.hpp"

namespace takt_bench
{
namespace
{

struct Empty final : takt_core::Callback
{
  using Callback::Callback;
  void run(const takt_core::Run &) override {}
};

}  // namespace

std::shared_ptr<takt_core::Observer> report_recorder()
{
  return nullptr;
}

std::shared_ptr<takt_core::Callback> empty_callback(takt_core::CallbackOptions options)
{
  return std::make_shared<Empty>(std::move(options));
}

}  // namespace takt_bench
