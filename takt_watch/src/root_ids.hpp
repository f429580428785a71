// Maps callback numbers to roots of chains, over all executors of the process.
//
// A chain names its root by the callback's id; an activation names it by the callback's number. All
// watched executors share one map, so a chain may begin in one executor and end in another.
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

  /// The root with this id; the first call for an id makes it. The map keeps each root, so it grows
  /// with the number of ids with which chains ever began.
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

  /// `executor`: the executor that owns `callback`.
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

  /// Removes a callback. Its activations still find the root, until another callback gets the
  /// number.
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

  /// True if the root's callback is in a spinning executor of this process. If not, the root's
  /// releases may never start, and are not overdue. Any thread; may block as set-up does.
  bool spins(const Root & root, bool (*spins)(const takt_core::Executor &)) const;

  /// The releases of the timer `root` that have not started. Absent: the root is another callback
  /// than a timer, the timer is cancelled, or `spins` returns false for its executor. Any thread;
  /// may block as set-up does.
  std::optional<UnstartedTimer> unstarted(
    const Root & root, bool (*spins)(const takt_core::Executor &)) const;

  /// The root with this callback number. Null: no chain begins with this callback. Real-time safe.
  Root * find(std::uint32_t number) const noexcept { return by_number_.find(number); }

private:
  struct Known
  {
    const takt_core::Callback * callback = nullptr;
    const takt_core::Executor * executor = nullptr;
  };

  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Root>> roots_;
  // The existing callbacks, by id and number.
  std::map<std::string, std::map<std::uint32_t, Known>> callbacks_;
  takt_core::NumberTable<Root> by_number_;
};

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__ROOT_IDS_HPP_
