#include "adopt/spin/end_of_context.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace takt_rclcpp
{
namespace
{

// How long the end of a context waits for all its spins together.
constexpr std::chrono::seconds kLongestEnd{2};

struct Table
{
  struct Entry
  {
    const rclcpp::Context * context;
    ContextUser * user;
  };
  std::mutex mutex;
  std::vector<Entry> users;
  std::multiset<const rclcpp::Context *> spins;
  std::set<std::weak_ptr<rclcpp::Context>, std::owner_less<std::weak_ptr<rclcpp::Context>>> watched;

  // True if each remaining spin runs a callback. `users` has one entry for a spin until shortly
  // before its end.
  bool all_run_callbacks(const rclcpp::Context * context) const
  {
    const auto runs = [&](const Entry & one) {
      return one.context == context && one.user->runs_callback();
    };
    const auto running = std::count_if(users.begin(), users.end(), runs);
    return spins.count(context) <= static_cast<std::size_t>(running);
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
  {
    const std::lock_guard lock(all.mutex);
    for (const Table::Entry & one : all.users) {
      if (one.context == context) {
        one.user->context_ended();
      }
    }
  }
  const auto over = [&] {
    const std::lock_guard lock(all.mutex);
    return all.all_run_callbacks(context);
  };
  const auto until = std::chrono::steady_clock::now() + kLongestEnd;
  while (!over() && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

// Call it with the table unlocked: a shutdown in progress holds the context's mutex and waits for
// the table. A context that is ending accepts no further function.
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
  context->add_on_shutdown_callback([raw = context.get()] { end(raw); });
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
  const std::lock_guard lock(table().mutex);
  std::erase_if(table().users, [&](const Table::Entry & one) { return one.user == &user_; });
}

HoldsTheEnd::HoldsTheEnd(const std::shared_ptr<rclcpp::Context> & context) : context_(context.get())
{
  const std::lock_guard lock(table().mutex);
  table().spins.insert(context_);
}

HoldsTheEnd::~HoldsTheEnd()
{
  const std::lock_guard lock(table().mutex);
  table().spins.erase(table().spins.find(context_));
}

}  // namespace takt_rclcpp
