#include "adopt/end_of_context.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "takt_core/executor.hpp"

namespace takt_rclcpp
{
namespace
{

// For all that spins in the context together.
constexpr std::chrono::seconds kLongestShutdown{2};

struct Table
{
  struct Entry
  {
    const rclcpp::Context * context;
    ContextUser * user;
  };
  std::mutex mutex;
  std::condition_variable gone;
  std::vector<Entry> users;
  std::set<std::weak_ptr<rclcpp::Context>, std::owner_less<std::weak_ptr<rclcpp::Context>>> watched;

  bool any(const rclcpp::Context * context) const
  {
    return std::any_of(
      users.begin(), users.end(), [&](const Entry & one) { return one.context == context; });
  }
};

// Never destroyed: a context may end after this library's own objects.
Table & table()
{
  static Table & g_table = *new Table;
  return g_table;
}

void end(const rclcpp::Context * context)
{
  Table & all = table();
  std::unique_lock lock(all.mutex);
  for (const Table::Entry & one : all.users) {
    if (one.context == context) {
      one.user->context_ends();
    }
  }
  // A callback that ends its context would wait for itself.
  if (takt_core::current_run() == nullptr) {
    all.gone.wait_for(lock, kLongestShutdown, [&] { return !all.any(context); });
  }
}

// With the table unlocked: a shutdown in progress holds the context's mutex and wants the table. A context that
// is ending takes no further function.
void watch(const std::shared_ptr<rclcpp::Context> & context)
{
  Table & all = table();
  {
    const std::lock_guard lock(all.mutex);
    std::erase_if(all.watched, [](const auto & one) { return one.expired(); });
    if (!all.watched.insert(context).second) {
      return;
    }
  }
  context->add_pre_shutdown_callback([raw = context.get()] { end(raw); });
}

}  // namespace

UsesContext::UsesContext(const std::shared_ptr<rclcpp::Context> & context, ContextUser & user)
: user_(user)
{
  watch(context);
  const std::lock_guard lock(table().mutex);
  table().users.push_back({context.get(), &user});
}

UsesContext::~UsesContext()
{
  {
    const std::lock_guard lock(table().mutex);
    std::erase_if(table().users, [&](const Table::Entry & one) { return one.user == &user_; });
  }
  table().gone.notify_all();
}

}  // namespace takt_rclcpp
