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
    triggers_(callbacks.size(), true),
    certain_(callbacks.size(), true)
  {
    for (const ListedCallback & callback : callbacks) {
      const bool apart = before == Before::timers_apart && callback.kind == takt_core::Kind::timer;
      threads_.push_back(
        before == Before::in_groups ? Threads{0, 1} : Threads{std::size_t{apart ? 1U : 0U}});
    }
  }

  /// Under the executor `name` of a schedule that has it, in a program of `library`, which is
  /// known.
  static takt_rt::Result<Places> of(
    const AuditedExecutor & executor, const Schedule & schedule, const std::string & name,
    ClientLibrary library, Audit & audit)
  {
    const std::vector<ListedCallback> & callbacks = executor.callbacks;
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
    for (const ListedCallback & callback : executor.background) {
      places.match(callback, resolver.value());
    }
    audit.unmatched.push_back({schedule.file, name, resolver->unmatched_rules()});
    if (library == ClientLibrary::rclcpp) {
      places.follow_groups(resolved);
    }
    places.follow_takers(resolved);
    return places;
  }

  /// As `may_overlap`, and takt knows the threads of both: true is certain.
  bool surely_overlap(std::size_t a, std::size_t b) const
  {
    return certain_[a] && certain_[b] && may_overlap(a, b);
  }

  /// Whether runs of the two callbacks may overlap. Equal places: runs of one callback. False is
  /// certain.
  bool may_overlap(std::size_t a, std::size_t b) const
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

  bool has_schedule() const { return shared_.has_value(); }

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
    certain_.push_back(true);
    resolved.push_back(own ? std::move(own.value()) : ResolvedCallback());
  }

  /// Counts the rules that match a callback of the client library.
  static void match(const ListedCallback & callback, Resolver & resolver)
  {
    if (!callback.group.empty()) {
      static_cast<void>(resolver.resolve_group(callback.group));
    }
    static_cast<void>(resolver.resolve(callback.id, callback.kind));
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

  /// Callbacks without a rule run on the threads of their group's other callbacks. Where rules
  /// spread a group over threads, the first callback that the program made decides, so takt knows
  /// only all these threads.
  void follow_groups(const std::vector<ResolvedCallback> & resolved)
  {
    std::map<std::string_view, std::set<Threads>> of_rules;
    for (std::size_t i = 0; i < callbacks_->size(); ++i) {
      if (resolved[i].names_threads && !callbacks_->at(i).group.empty()) {
        of_rules[callbacks_->at(i).group].insert(threads_[i]);
      }
    }
    for (std::size_t i = 0; i < callbacks_->size(); ++i) {
      const auto found = of_rules.find(callbacks_->at(i).group);
      if (found != of_rules.end() && resolved[i].line == 0 && !callbacks_->at(i).reentrant) {
        assign(i, found->second);
      }
    }
  }

  /// The callback runs on one of these sets of threads.
  void assign(std::size_t i, const std::set<Threads> & sets)
  {
    certain_[i] = sets.size() == 1;
    threads_[i].clear();
    for (const Threads & one : sets) {
      threads_[i].insert(one.begin(), one.end());
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
      std::set<Threads> of_takers;  // empty: none, so it never runs
      for (std::size_t j = 0; j < callbacks_->size(); ++j) {
        const ListedCallback & other = callbacks_->at(j);
        const bool takes = rule->taken_by ? rule->taken_by(other.id)
                                          : !input.group.empty() && other.group == input.group;
        if (j != i && takes && triggers_[j]) {
          of_takers.insert(alone[j]);
        }
      }
      assign(i, of_takers);
    }
  }

  const std::vector<ListedCallback> * callbacks_;
  std::vector<std::string> names_;               // of all threads
  std::optional<ThreadNames> shared_;            // of threads that are not those of isolated groups
  std::map<std::string, std::size_t> isolated_;  // the first thread of each isolated group
  std::vector<Threads> threads_;                 // one entry for each callback
  std::vector<bool> triggers_;                   // false: a non-triggering callback
  std::vector<bool> certain_;                    // false: it may have only some of its threads
};

/// What is known of callbacks whose client library may be unknown: their places in each case.
struct Cases
{
  std::vector<Places> places;

  /// In one of the cases; false is certain.
  bool may_overlap(std::size_t a, std::size_t b) const
  {
    return std::any_of(
      places.begin(), places.end(), [&](const Places & one) { return one.may_overlap(a, b); });
  }

  /// In each case; true is certain.
  bool surely_overlap(std::size_t a, std::size_t b) const
  {
    return std::all_of(
      places.begin(), places.end(), [&](const Places & one) { return one.surely_overlap(a, b); });
  }

  /// The words of all cases with a schedule, each once.
  std::vector<std::string> threads(std::size_t i) const
  {
    const bool scheduled = std::any_of(
      places.begin(), places.end(), [](const Places & one) { return one.has_schedule(); });
    std::vector<std::string> result;
    for (const Places & one : places) {
      if (scheduled && !one.has_schedule()) {
        continue;
      }
      for (std::string & word : one.threads(i)) {
        if (std::find(result.begin(), result.end(), word) == result.end()) {
          result.push_back(std::move(word));
        }
      }
    }
    return result;
  }
};

/// The schedule's executor for these callbacks in a program of `library`, as takt_rclcpp and
/// takt_rcl choose it; empty: none.
std::string executor_of(
  const AuditedExecutor & executor, const Schedule & schedule, ClientLibrary library,
  const std::string & name)
{
  if (!name.empty()) {
    return name;
  }
  // The name of a model's executor is the schedule's; rclcpp's executors have no names.
  if (executor.library != ClientLibrary::rclcpp && schedule.find(executor.name) != nullptr) {
    return executor.name;
  }
  std::vector<std::string> ids;
  std::set<std::string> nodes;
  bool is_container = false;
  for (const auto * const list : {&executor.callbacks, &executor.background}) {
    for (const ListedCallback & callback : *list) {
      ids.push_back(callback.id);
      nodes.insert(callback.id.substr(0, callback.id.find(':')));
      is_container = is_container || callback.id.ends_with("/_container/load_node)");
    }
  }
  const std::vector<std::string> of_rclcpp(nodes.begin(), nodes.end());
  const bool adopted = library == ClientLibrary::rclcpp;
  auto chosen =
    choose_executor(schedule, ids, executor.name, adopted ? of_rclcpp : std::vector<std::string>())
      .name;
  if (chosen.empty() && schedule.executors.size() == 1) {
    // Its default threads take all callbacks.
    const ExecutorSchedule & only = schedule.executors.front();
    if (!adopted || only.callbacks.empty() || is_container) {
      chosen = only.name;
    }
  }
  return chosen;
}

/// In a program of `library`, which is known. Sets `audit.executor`, and notes why callbacks keep
/// the threads that the program gave them.
takt_rt::Result<Places> places_in(
  const AuditedExecutor & executor, const Schedule & schedule, ClientLibrary library,
  const std::string & name, Audit & audit)
{
  audit.executor = executor_of(executor, schedule, library, name);
  const ExecutorSchedule * const its = schedule.find(audit.executor);
  if (its == nullptr) {
    audit.notes.push_back(
      schedule.file + " has no rule for a callback of executor '" + executor.name +
      "', which therefore runs as without a schedule");
    return Places(executor.callbacks, executor.before);
  }
  if (
    library == ClientLibrary::rclcpp && executor.before != Before::in_groups && !executor.is_pool &&
    !its->parallel) {
    audit.notes.push_back(
      "the program's executor '" + executor.name + "' runs one callback at a time" +
      (executor.before == Before::timers_apart ? ", and its timers beside the others" : "") +
      ", and `takt exec` keeps that without `parallel: true` in "
      "executor '" +
      its->name + "' of " + schedule.file);
    return Places(executor.callbacks, executor.before);
  }
  return Places::of(executor, schedule, its->name, library, audit);
}

/// As `places_in`, in each case of the library.
takt_rt::Result<Cases> cases_under(
  const AuditedExecutor & executor, const Schedule & schedule, const std::string & name,
  Audit & audit)
{
  if (auto faults = too_many_patterns(schedule, executor.callbacks); !faults.empty()) {
    return faults;
  }
  Cases cases;
  const bool unknown = executor.library == ClientLibrary::unknown;
  // The last case decides what the audit says of the schedule: without a rule it is the same in
  // both.
  const auto libraries =
    unknown ? std::vector<ClientLibrary>{ClientLibrary::rclcpp, ClientLibrary::takt_rcl}
            : std::vector<ClientLibrary>{executor.library};
  for (const ClientLibrary library : libraries) {
    Audit of_case;
    auto places = places_in(executor, schedule, library, name, of_case);
    if (!places) {
      return places.faults();
    }
    audit.executor = of_case.executor;
    audit.notes = std::move(of_case.notes);
    audit.unmatched = std::move(of_case.unmatched);
    cases.places.push_back(std::move(places.value()));
  }
  const ExecutorSchedule * const its = schedule.find(audit.executor);
  if (unknown && its != nullptr && executor.before == Before::one_at_a_time && !its->parallel) {
    audit.notes.push_back(
      "executor '" + its->name + "' of " + schedule.file +
      " has no `parallel: true`: a program whose executor is single-threaded would keep to one "
      "callback at a time "
      "under `takt exec`");
  }
  return cases;
}

}  // namespace

takt_rt::Result<Audit> side_by_side(
  const AuditedExecutor & executor, const Schedule & schedule, const Schedule * earlier,
  const std::string & name)
{
  const auto & callbacks = executor.callbacks;
  if (!name.empty()) {
    if (const auto found = find_executor(schedule, name); !found) {
      return found.faults();
    }
  }
  Audit of_earlier;
  Cases before{{Places(callbacks, executor.before)}};
  if (earlier != nullptr) {
    const std::string its = earlier->find(name) == nullptr ? std::string() : name;
    auto cases = cases_under(executor, *earlier, its, of_earlier);
    if (!cases) {
      return cases.faults();
    }
    before = std::move(cases.value());
  }
  Audit audit;
  const auto after = cases_under(executor, schedule, name, audit);
  if (!after) {
    return after.faults();
  }
  const auto append = [](auto & to, const auto & more) {
    for (const auto & one : more) {
      to.push_back(one);
    }
  };
  append(audit.notes, of_earlier.notes);
  append(audit.unmatched, of_earlier.unmatched);
  for (std::size_t i = 0; i < callbacks.size(); ++i) {
    audit.threads.push_back(after->threads(i));
    for (std::size_t j = i; j < callbacks.size(); ++j) {
      if (before.surely_overlap(i, j)) {
        audit.already += i == j ? 0 : 1;
      } else if (after->may_overlap(i, j)) {
        audit.pairs.push_back({i, j});
      } else {
        audit.kept += i == j ? 0 : 1;
      }
    }
  }
  return audit;
}

void keep_unmatched_by_all(std::vector<Audit> & audits)
{
  // The sentences may differ: each executor's callbacks suggest other ids.
  using Position = std::pair<int, int>;
  const auto position = [](const takt_rt::Fault & rule) {
    return Position(rule.line, rule.column);
  };
  // The rules that all executors of the program with these rules leave over.
  std::map<std::pair<std::string, std::string>, std::set<Position>> left;
  for (const Audit & audit : audits) {
    for (const UnmatchedRules & one : audit.unmatched) {
      std::set<Position> own;
      std::transform(one.rules.begin(), one.rules.end(), std::inserter(own, own.end()), position);
      const auto [found, fresh] = left.emplace(std::pair(one.file, one.executor), own);
      if (!fresh) {
        std::erase_if(found->second, [&](const Position & rule) { return own.count(rule) == 0; });
      }
    }
  }
  for (Audit & audit : audits) {
    for (UnmatchedRules & one : audit.unmatched) {
      auto & open = left[{one.file, one.executor}];
      std::erase_if(
        one.rules, [&](const takt_rt::Fault & rule) { return open.erase(position(rule)) == 0; });
    }
  }
}

}  // namespace takt_schedule
