#include "adopt/host_access.hpp"

#include <cstring>
#include <new>

namespace takt_rclcpp
{
namespace
{

class Probe : public rclcpp::Executor
{
public:
  using rclcpp::Executor::Executor;
  void spin() override {}

  bool agrees(const std::shared_ptr<rclcpp::Context> & context)
  {
    if (
      spinning.load() || context_ != context || notify_waitable_ == nullptr ||
      !rcl_wait_set_is_valid(&HostAccess::wait_set_of(*this))) {
      return false;
    }
    spinning.store(true);
    bool agrees = is_spinning();
    cancel();
    agrees = agrees && !spinning.load() && !is_spinning();
    // dynamic_cast reads the object's type information. Only a waitable has it, so the checks above
    // must hold before the cast.
    const auto * const waitable = static_cast<const rclcpp::Waitable *>(notify_waitable_.get());
    return agrees &&
           dynamic_cast<const rclcpp::executors::ExecutorNotifyWaitable *>(waitable) != nullptr &&
           get_all_callback_groups().empty() && CollectorAccess::nodes_of(collector_).empty();
  }
};

}  // namespace

bool layouts_agree(const std::shared_ptr<rclcpp::Context> & context)
{
  if (context == nullptr || !context->is_valid()) {
    return false;
  }
  rclcpp::ExecutorOptions options;
  options.context = context;
  // If the library's executor is larger than these headers say, its constructor writes beyond the
  // object. This room protects the stack; the code below checks whether it was written to.
  constexpr std::size_t kRoom = 4096;
  struct alignas(Probe) Storage
  {
    unsigned char bytes[sizeof(Probe) + kRoom];
  };
  const auto storage = std::make_unique<Storage>();
  std::memset(storage->bytes, 0xa5, sizeof storage->bytes);
  auto * const probe = new (storage->bytes) Probe(options);
  bool agrees = true;
  for (std::size_t i = sizeof(Probe); i < sizeof storage->bytes; ++i) {
    agrees = agrees && storage->bytes[i] == 0xa5;
  }
  agrees = agrees && probe->agrees(context);
  probe->~Probe();
  return agrees;
}

}  // namespace takt_rclcpp
