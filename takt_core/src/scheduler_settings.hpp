// What set-up remembers of each callback; private to the scheduler's sources.
#ifndef TAKT_CORE__SRC__SCHEDULER_SETTINGS_HPP_
#define TAKT_CORE__SRC__SCHEDULER_SETTINGS_HPP_

#include <memory>
#include <vector>

#include "takt_core/scheduler.hpp"

namespace takt_core
{

/// The chains that end-to-end deadlines are inherited from: immutable once published, because
/// producers of keys read it without a lock.
struct Callback::ChainDeadlines
{
  struct Entry
  {
    std::uint32_t root;  // number of the chain's root callback in this process
    Duration deadline;   // from the root's release
  };
  std::vector<Entry> entries;
};

/// Adds a fault if `priority` is out of range.
void check_priority(const std::string & what, std::optional<int> priority, Faults & faults);

struct Scheduler::Settings
{
  std::shared_ptr<Callback> callback;
  Binding binding;  // as asked; absent values are inherited
  /// Every table ever published: a reader may still hold an old one. Bounded by the number of
  /// chain changes; freed with the callback.
  std::vector<std::unique_ptr<const Callback::ChainDeadlines>> deadlines;
};

}  // namespace takt_core

#endif  // TAKT_CORE__SRC__SCHEDULER_SETTINGS_HPP_
