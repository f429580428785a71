#include "executor/registry.hpp"

#include <mutex>
#include <vector>

namespace takt_core
{
namespace
{

struct Registry
{
  std::mutex mutex;
  std::vector<Executor *> executors;
};

// The list is never destroyed, because static executors may be destroyed later.
Registry & registry()
{
  static auto * const all = new Registry;
  return *all;
}

}  // namespace

namespace detail
{

void register_executor(Executor & executor)
{
  const std::lock_guard lock(registry().mutex);
  registry().executors.push_back(&executor);
}

void unregister_executor(Executor & executor)
{
  const std::lock_guard lock(registry().mutex);
  std::erase(registry().executors, &executor);
}

}  // namespace detail

void for_each_executor(const std::function<void(Executor &)> & function)
{
  const std::lock_guard lock(registry().mutex);
  for (Executor * const executor : registry().executors) {
    function(*executor);
  }
}

}  // namespace takt_core
