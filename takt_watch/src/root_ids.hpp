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
#include <optional>
#include <string>

#include "open_activations.hpp"
#include "root.hpp"
#include "takt_core/callback.hpp"
#include "takt_core/executor.hpp"
#include "takt_core/number_table.hpp"

namespace takt_watch
{

class RootIds
{
public:
  // ---- set-up; any thread; allocate ----

  /// The root of a chain that was set. Bounded by the ids that chains ever began with.
  Root & root(const std::string & id)
  {
    const std::lock_guard lock(mutex_);
    auto & known = roots_[id];
    if (known == nullptr) {
      known = std::make_unique<Root>(id);
      if (const auto there = callbacks_.find(id); there != callbacks_.end()) {
        known->set_here(true);
        for (const auto & [number, callback] : there->second) {
          by_number_.set(number, known.get());
        }
      }
    }
    return *known;
  }

  /// `executor`: that has it.
  void add(const takt_core::Callback & callback, const takt_core::Executor & executor)
  {
    const std::lock_guard lock(mutex_);
    callbacks_[callback.chain_id()][callback.number()] = {&callback, &executor};
    const auto known = roots_.find(callback.chain_id());
    by_number_.set(callback.number(), known == roots_.end() ? nullptr : known->second.get());
    if (known != roots_.end()) {
      known->second->set_here(true);
    }
  }

  /// Messages of a removed callback that are under way still find it, until its number comes again.
  void remove(std::uint32_t number, const std::string & id)
  {
    const std::lock_guard lock(mutex_);
    const auto known = callbacks_.find(id);
    if (known != callbacks_.end() && known->second.erase(number) == 1 && known->second.empty()) {
      callbacks_.erase(known);
      if (const auto root = roots_.find(id); root != roots_.end()) {
        root->second->set_here(false);
      }
    }
  }

  /// Whether the root is here, in an executor that spins: else its releases may never start, and are not overdue. Any
  /// thread; may block as set-up does.
  bool spins(const Root & root, bool (*spins)(const takt_core::Executor &)) const;

  /// What the timer `root` has not started for; absent: it is no timer, is cancelled, or `spins` says that its executor
  /// does not spin. Any thread; may block as set-up does.
  std::optional<UnstartedTimer> unstarted(
    const Root & root, bool (*spins)(const takt_core::Executor &)) const;

  /// nullptr: no chain begins with that callback. Real-time safe.
  Root * find(std::uint32_t number) const noexcept { return by_number_.find(number); }

private:
  struct Known
  {
    const takt_core::Callback * callback = nullptr;
    const takt_core::Executor * executor = nullptr;
  };

  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Root>> roots_;
  // Of callbacks that are there, by id and number.
  std::map<std::string, std::map<std::uint32_t, Known>> callbacks_;
  takt_core::NumberTable<Root> by_number_;
};

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__ROOT_IDS_HPP_
