// rclcpp 29, of Kilted, and later ones.
#include <dlfcn.h>

#include "rclcpp_api/rclcpp_api.hpp"

namespace takt_rclcpp::api
{
namespace
{

struct CollectionAccess : rclcpp::Executor
{
  static void clear(rclcpp::Executor & host)
  {
    (host.*(&CollectionAccess::current_collection_)).clear();
  }
  static void tell_updated(rclcpp::Executor & host)
  {
    (host.*(&CollectionAccess::entities_need_rebuild_)).store(true);
    (host.*(&CollectionAccess::handle_updated_entities))(false);
  }
};

}  // namespace

rclcpp::executors::ExecutorEntitiesCollector * own_collector_of(rclcpp::Executor & /*host*/)
{
  return nullptr;
}

rclcpp::executors::ExecutorNotifyWaitable * own_notify_waitable_of(rclcpp::Executor & /*host*/)
{
  return nullptr;
}

bool listens_again(rclcpp::Executor & host)
{
  // Reach private members of EventsExecutor by their symbols.
  using Function = void (*)(rclcpp::Executor *);
  void * const library = ::dlopen("librclcpp.so", RTLD_NOLOAD | RTLD_LAZY);
  const auto listen_to_nodes = reinterpret_cast<Function>(::dlsym(
    library != nullptr ? library : RTLD_DEFAULT,
    "_ZN6rclcpp12experimental9executors14EventsExecutor21setup_notify_waitableEv"));
  if (listen_to_nodes == nullptr) {
    return false;
  }
  // The host listens to entities that are not in its collection, so empty the collection.
  CollectionAccess::clear(host);
  listen_to_nodes(&host);
  CollectionAccess::tell_updated(host);
  return true;
}

NextCall next_call_of(const rcl_timer_t & timer) noexcept
{
  NextCall next;
  next.read = takt_rt::now();
  std::int64_t at = 0;
  next.result = rcl_timer_get_next_call_time(&timer, &at);
  // For the longest periods rcl's time wraps around, but this unsigned difference is still right.
  next.left = static_cast<std::int64_t>(
    static_cast<std::uint64_t>(at) - static_cast<std::uint64_t>(takt_rt::to_ns(next.read)));
  return next;
}

}  // namespace takt_rclcpp::api
