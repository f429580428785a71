// The ids of a node's callbacks or groups. The registry lives as long as any callback or group that
// has one of its ids.
#ifndef TAKT_CORE__ADAPTER__ID_REGISTRY_HPP_
#define TAKT_CORE__ADAPTER__ID_REGISTRY_HPP_

#include <mutex>
#include <set>
#include <string>

#include "takt_core/adapter/callback_ids.hpp"

namespace takt_core::adapter
{

/// Any thread. May block and allocate.
class IdRegistry
{
public:
  /// Returns `base`, with the lowest free `#n` if `base` is taken.
  std::string claim(const std::string & base)
  {
    std::lock_guard lock(mutex_);
    std::string id = base;
    for (unsigned n = 2; !ids_.insert(id).second; ++n) {
      id = numbered(base, n);
    }
    return id;
  }

  /// Frees an id that `claim` returned.
  void release(const std::string & id) noexcept
  {
    std::lock_guard lock(mutex_);
    ids_.erase(id);
  }

private:
  std::mutex mutex_;
  std::set<std::string> ids_;
};

}  // namespace takt_core::adapter

#endif  // TAKT_CORE__ADAPTER__ID_REGISTRY_HPP_
