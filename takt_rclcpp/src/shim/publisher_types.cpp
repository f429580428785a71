#include "shim/publisher_types.hpp"

#include <mutex>
#include <unordered_map>

#include "shim/interface.h"

namespace takt_preload
{
namespace
{

struct Types
{
  std::mutex mutex;
  std::unordered_map<const void *, const void *> by_implementation;
};

// An rcl_publisher_t holds nothing but the pointer to its implementation.
const void * implementation_of(const void * publisher)
{
  return *static_cast<const void * const *>(publisher);
}

Types & types()
{
  // Never destroyed: nodes may be made until the process has ended.
  static auto * const the_types = new Types;
  return *the_types;
}

}  // namespace

void note_publisher(const void * publisher, const void * type)
{
  Types & all = types();
  const std::lock_guard lock(all.mutex);
  all.by_implementation[implementation_of(publisher)] = type;
}

void forget_publisher(const void * publisher)
{
  Types & all = types();
  const std::lock_guard lock(all.mutex);
  all.by_implementation.erase(implementation_of(publisher));
}

}  // namespace takt_preload

extern "C" __attribute__((visibility("default"))) const void * takt_preload_type_of(
  const void * publisher)
{
  takt_preload::Types & all = takt_preload::types();
  const std::lock_guard lock(all.mutex);
  const auto found = all.by_implementation.find(takt_preload::implementation_of(publisher));
  return found == all.by_implementation.end() ? nullptr : found->second;
}
