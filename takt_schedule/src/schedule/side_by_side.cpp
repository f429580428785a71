#include "schedule/side_by_side.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "takt_core/thread_mask.hpp"
#include "takt_schedule/choose_executor.hpp"
#include "takt_schedule/make_executor.hpp"
#include "takt_schedule/pattern.hpp"
#include "takt_schedule/resolver.hpp"
#include "threads/thread_names.hpp"

namespace takt_schedule
{
namespace
{

/// Threads by number: those of the schedule, then those of isolated groups.
using Threads = std::set<std::size_t>;

/// The threads and the groups of an executor's callbacks under one schedule, or without one.
class Places
{
public:
  /// Without a schedule.
  Places(const std::vector<ListedCallback> & callbacks, Before before)
  : callbacks_(&callbacks),
    names_{"0", "1"},
    threads_(callbacks.size(), before == Before::in_groups ? Threads{0, 1} : Threads{0}),
    triggers_(callbacks.size(), true)
  {
  }

  /// Under the executor `name` of a schedule that has it.
  static takt_rt::Result<Places> of(
    const std::vector<ListedCallback> & callbacks, const Schedule & schedule,
    const std::string & name, ClientLibrary library)
  {
    auto resolver = Resolver::create(schedule, name);
    if (!resolver) {
      return resolver.faults();
    }
    Places places(callbacks);
    places.shared_.emplace(resolver.value().executor());
    places.names_ = places.shared_->names();
    takt_rt::Faults faults;
    std::vector<ResolvedCallback> resolved;
    for (const ListedCallback & callback : callbacks) {
      places.place(callback, resolver.value(), resolved, faults);
    }
    if (!faults.empty()) {
      return faults;
    }
    if (library != ClientLibrary::takt_rcl) {
      places.follow_groups(resolved, library == ClientLibrary::rclcpp);
    }
    places.follow_takers(resolved);
    return places;
  }

  /// Whether runs of the two callbacks may overlap. Equal places: runs of one callback.
  bool overlap(std::size_t a, std::size_t b) const
  {
    const ListedCallback & first = callbacks_->at(a);
    const ListedCallback & second = callbacks_->at(b);
    const bool one_group = a == b || (!first.group.empty() && first.group == second.group);
    if (one_group && !(first.reentrant && second.reentrant)) {
      return false;
    }
    if (a == b && !triggers_[a]) {
      return false;
    }
    return threads_[a].size() > 1 || threads_[b].size() > 1 || threads_[a] != threads_[b];
  }

  std::vector<std::string> threads(std::size_t i) const
  {
    if (shared_ && !threads_[i].empty() && *threads_[i].rbegin() < shared_->names().size()) {
      takt_core::ThreadMask mask = 0;
      for (const std::size_t thread : threads_[i]) {
        mask |= takt_core::ThreadMask{1} << thread;
      }
      return shared_->words(mask);
    }
    std::vector<std::string> result;
    std::transform(
      threads_[i].begin(), threads_[i].end(), std::back_inserter(result),
      [&](std::size_t thread) { return names_[thread]; });
    return result;
  }

private:
  explicit Places(const std::vector<ListedCallback> & callbacks) : callbacks_(&callbacks) {}

  void place(
    const ListedCallback & callback, Resolver & resolver, std::vector<ResolvedCallback> & resolved,
    takt_rt::Faults & faults)
  {
    const auto group = callback.group.empty() ? takt_rt::Result<ResolvedGroup>(ResolvedGroup())
                                              : resolver.resolve_group(callback.group);
    const bool isolated = group && group->isolation.has_value();
    auto own = resolver.resolve(callback.id, callback.kind, isolated);
    for (const takt_rt::Faults & more : {group.faults(), own.faults()}) {
      faults.insert(faults.end(), more.begin(), more.end());
    }
    Threads threads;
    if (group && own) {
      apply_logical_time(*group, callback.kind, own.value());
      if (isolated) {
        threads = own_threads(callback.group, group->isolation->threads);
      }
      const takt_core::ThreadMask mask = own->binding.threads;
      for (std::size_t i = 0; !isolated && i < shared_->names().size(); ++i) {
        if (mask == 0 || (mask >> i & 1U) != 0) {
          threads.insert(i);
        }
      }
    }
    threads_.push_back(std::move(threads));
    triggers_.push_back(!own || !own->binding.non_triggering.has_value());
    resolved.push_back(own ? std::move(own.value()) : ResolvedCallback());
  }

  /// The threads of an isolated group.
  Threads own_threads(const std::string & group, std::uint32_t count)
  {
    const auto [first, fresh] = isolated_.emplace(group, names_.size());
    Threads threads;
    for (std::uint32_t i = 0; i < count; ++i) {
      threads.insert(first->second + i);
      if (fresh) {
        names_.push_back(count == 1 ? "own" : "own." + std::to_string(i));
      }
    }
    return threads;
  }

  /// `certainly`: callbacks without a rule leave the default threads.
  void follow_groups(const std::vector<ResolvedCallback> & resolved, bool certainly)
  {
    std::map<std::string_view, Threads> of_rules;
    for (std::size_t i = 0; i < callbacks_->size(); ++i) {
      if (resolved[i].names_threads && !callbacks_->at(i).group.empty()) {
        of_rules[callbacks_->at(i).group].insert(threads_[i].begin(), threads_[i].end());
      }
    }
    for (std::size_t i = 0; i < callbacks_->size(); ++i) {
      const auto found = of_rules.find(callbacks_->at(i).group);
      if (found != of_rules.end() && resolved[i].line == 0 && !callbacks_->at(i).reentrant) {
        if (certainly) {
          threads_[i].clear();
        }
        threads_[i].insert(found->second.begin(), found->second.end());
      }
    }
  }

  /// A non-triggering callback runs on the threads of its takers.
  void follow_takers(const std::vector<ResolvedCallback> & resolved)
  {
    const std::vector<Threads> alone = threads_;
    for (std::size_t i = 0; i < callbacks_->size(); ++i) {
      const auto & rule = resolved[i].binding.non_triggering;
      if (!rule) {
        continue;
      }
      const ListedCallback & input = callbacks_->at(i);
      Threads of_takers;
      for (std::size_t j = 0; j < callbacks_->size(); ++j) {
        const ListedCallback & other = callbacks_->at(j);
        const bool takes = rule->taken_by ? rule->taken_by(other.id)
                                          : !input.group.empty() && other.group == input.group;
        if (j != i && takes && triggers_[j]) {
          of_takers.insert(alone[j].begin(), alone[j].end());
        }
      }
      threads_[i] = std::move(of_takers);
    }
  }

  const std::vector<ListedCallback> * callbacks_;
  std::vector<std::string> names_;               // of all threads
  std::optional<ThreadNames> shared_;            // of threads that are not those of isolated groups
  std::map<std::string, std::size_t> isolated_;  // the first thread of each isolated group
  std::vector<Threads> threads_;                 // one entry for each callback
  std::vector<bool> triggers_;                   // false: a non-triggering callback
};

/// Empty: the schedule has no executor for these callbacks.
takt_rt::Result<std::string> executor_of(
  const AuditedExecutor & executor, const Schedule & schedule, const std::string & name)
{
  if (!name.empty()) {
    const auto found = find_executor(schedule, name);
    return found ? takt_rt::Result<std::string>(name) : found.faults();
  }
  if (schedule.find(executor.name) != nullptr) {
    return executor.name;
  }
  std::vector<std::string> ids;
  std::transform(
    executor.callbacks.begin(), executor.callbacks.end(), std::back_inserter(ids),
    [](const ListedCallback & callback) { return callback.id; });
  auto chosen = choose_executor(schedule, ids, executor.name).name;
  if (
    chosen.empty() && executor.library != ClientLibrary::rclcpp && schedule.executors.size() == 1) {
    chosen = schedule.executors.front().name;  // its default threads take all callbacks
  }
  return chosen;
}

/// Sets `audit.executor`, and notes why callbacks keep the threads that the program gave them.
takt_rt::Result<Places> places_under(
  const AuditedExecutor & executor, const Schedule & schedule, const std::string & name,
  Audit & audit)
{
  if (auto faults = too_many_patterns(schedule, executor.callbacks); !faults.empty()) {
    return faults;
  }
  const auto found = executor_of(executor, schedule, name);
  if (!found) {
    return found.faults();
  }
  audit.executor = found.value();
  const ExecutorSchedule * const its = schedule.find(audit.executor);
  if (its == nullptr) {
    audit.notes.push_back(
      schedule.file + " has no rule for a callback of executor '" + executor.name +
      "', which therefore runs as without a schedule");
    return Places(executor.callbacks, executor.before);
  }
  const bool is_exclusive = executor.before == Before::one_at_a_time && !its->parallel;
  if (is_exclusive && executor.library == ClientLibrary::rclcpp) {
    audit.notes.push_back(
      "the program's executor '" + executor.name +
      "' runs one callback at a time, and `takt exec` keeps that without `parallel: true` in "
      "executor '" +
      its->name + "' of " + schedule.file);
    return Places(executor.callbacks, executor.before);
  }
  if (is_exclusive && executor.library == ClientLibrary::unknown) {
    audit.notes.push_back(
      "executor '" + its->name + "' of " + schedule.file +
      " has no `parallel: true`: a program whose executor is single-threaded would keep to one "
      "callback at a time "
      "under `takt exec`");
  }
  return Places::of(executor.callbacks, schedule, its->name, executor.library);
}

}  // namespace

takt_rt::Result<Audit> side_by_side(
  const AuditedExecutor & executor, const Schedule & schedule, const Schedule * earlier,
  const std::string & name)
{
  const auto & callbacks = executor.callbacks;
  Audit audit;
  Places before(callbacks, executor.before);
  if (earlier != nullptr) {
    Audit of_earlier;  // its notes are about the schedule of before
    auto places = places_under(executor, *earlier, "", of_earlier);
    if (!places) {
      return places.faults();
    }
    before = std::move(places.value());
  }
  const auto after = places_under(executor, schedule, name, audit);
  if (!after) {
    return after.faults();
  }
  for (std::size_t i = 0; i < callbacks.size(); ++i) {
    audit.threads.push_back(after->threads(i));
    for (std::size_t j = i; j < callbacks.size(); ++j) {
      if (before.overlap(i, j)) {
        audit.already += i == j ? 0 : 1;
      } else if (after->overlap(i, j)) {
        audit.pairs.push_back({i, j});
      } else {
        audit.kept += i == j ? 0 : 1;
      }
    }
  }
  return audit;
}

}  // namespace takt_schedule
