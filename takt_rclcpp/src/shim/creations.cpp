#include "shim/creations.hpp"

#include <cstddef>
#include <mutex>
#include <unordered_map>

#include "shim/interface.h"

namespace takt_preload
{
namespace
{

// Objects are recorded by address only: an owning pointer would keep the library with the object's
// code loaded. A new object at a known address gets a new number. Beyond this count the oldest
// objects lose their numbers.
constexpr std::size_t kMost = 65536;

struct Creations
{
  std::mutex mutex;
  std::unordered_map<const void *, unsigned long long> numbers;
  unsigned long long last = 0;
};

Creations & creations()
{
  // Never destroyed: nodes may be made until the process has ended.
  static auto * const the_creations = new Creations;
  return *the_creations;
}

}  // namespace

void note_made(const void * shared_pointer)
{
  // A std::shared_ptr begins with the pointer that its `get` returns.
  const void * const object = *static_cast<const void * const *>(shared_pointer);
  Creations & all = creations();
  const std::lock_guard lock(all.mutex);
  if (all.numbers.size() >= kMost) {
    all.numbers.clear();
  }
  all.numbers[object] = ++all.last;
}

}  // namespace takt_preload

extern "C" __attribute__((visibility("default"))) unsigned long long takt_preload_made_as(
  const void * object)
{
  takt_preload::Creations & all = takt_preload::creations();
  const std::lock_guard lock(all.mutex);
  const auto found = all.numbers.find(object);
  return found == all.numbers.end() ? 0 : found->second;
}
