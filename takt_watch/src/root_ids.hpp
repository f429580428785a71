// Which callback numbers are the roots of chains, in whichever executor of the process a root is.
//
// A chain names its root by id; an activation names it by the callback's number. One for all watched executors, so that
// a chain that begins in one and ends in another is found at its end.
#ifndef TAKT_WATCH__SRC__ROOT_IDS_HPP_
#define TAKT_WATCH__SRC__ROOT_IDS_HPP_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "number_table.hpp"

namespace takt_watch
{

/// Stands for the id of a root; compared by address. Lives as long as its RootIds.
struct Root
{
  std::string id{};
};

class RootIds
{
public:
  // ---- set-up; any thread; allocate ----

  /// The root of a chain that was set. Bounded by the ids that chains ever began with.
  const Root & root(const std::string & id)
  {
    const std::lock_guard lock(mutex_);
    auto & known = roots_[id];
    if (known == nullptr) {
      known = std::make_unique<const Root>(Root{id});
      const auto there = numbers_.find(id);
      for (const std::uint32_t number :
           there == numbers_.end() ? std::set<std::uint32_t>() : there->second) {
        by_number_.set(number, known.get());
      }
    }
    return *known;
  }

  void add(std::uint32_t number, const std::string & id)
  {
    const std::lock_guard lock(mutex_);
    numbers_[id].insert(number);
    const auto known = roots_.find(id);
    by_number_.set(number, known == roots_.end() ? nullptr : known->second.get());
  }

  /// Messages of a removed callback that are under way still find it, until its number comes again.
  void remove(std::uint32_t number, const std::string & id)
  {
    const std::lock_guard lock(mutex_);
    const auto known = numbers_.find(id);
    if (known != numbers_.end() && known->second.erase(number) == 1 && known->second.empty()) {
      numbers_.erase(known);
    }
  }

  /// nullptr: no chain begins with that callback. Real-time safe.
  const Root * find(std::uint32_t number) const noexcept { return by_number_.find(number); }

private:
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<const Root>> roots_;
  std::map<std::string, std::set<std::uint32_t>> numbers_;  // of callbacks that are there
  NumberTable<const Root> by_number_;
};

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__ROOT_IDS_HPP_
