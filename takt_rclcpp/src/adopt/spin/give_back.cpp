#include "adopt/spin/give_back.hpp"

#include <dlfcn.h>

#include "adopt/host_access.hpp"
#include "adopt/process_settings.hpp"
#include "listen/events_host.hpp"

namespace takt_rclcpp
{

void give_back_listeners(rclcpp::Executor & host)
{
  if (listens_again(host)) {
    return;
  }
  // Private members of EventsExecutor; its symbols are what is left to reach them by.
  using Function = void (*)(rclcpp::Executor *);
  void * const library = ::dlopen("librclcpp.so", RTLD_NOLOAD | RTLD_LAZY);
  const auto listen_to_nodes = reinterpret_cast<Function>(::dlsym(
    library != nullptr ? library : RTLD_DEFAULT,
    "_ZN6rclcpp12experimental9executors14EventsExecutor21setup_notify_waitableEv"));
  if (listen_to_nodes == nullptr) {
    say(
      "this librclcpp does not show how an EventsExecutor listens; a further spin of it under its "
      "own loop would hear nothing",
      true);
    return;
  }
  // It listens to entities that are new to its collection; so all are to be new.
  HostAccess::clear_collection_of(host);
  listen_to_nodes(&host);
  HostAccess::rebuild_of(host).store(true);
  HostAccess::tell_updated(host);
}

}  // namespace takt_rclcpp
