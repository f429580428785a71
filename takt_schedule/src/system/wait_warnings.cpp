#include "takt_schedule/wait_warnings.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "takt_core/scheduler.hpp"
#include "takt_schedule/quoted.hpp"
#include "takt_schedule/resolver.hpp"
#include "threads/thread_names.hpp"

namespace takt_schedule
{
namespace
{

using Index = std::size_t;
using takt_core::ThreadMask;
using takt_rt::Faults;

class WaitCheck
{
public:
  WaitCheck(const System & system, const Schedule & schedule) : system_(system), schedule_(schedule)
  {
    for (Index i = 0; i < system.callbacks.size(); ++i) {
      for (const std::string & id : system.callbacks[i].all_ids()) {
        by_id_.emplace(id, i);
      }
    }
    for (const GroupModel & group : system.groups) {
      if (group.kind == takt_core::GroupKind::reentrant) {
        reentrant_.insert(group.id);
      }
    }
  }

  Faults run()
  {
    for (Index i = 0; i < system_.callbacks.size(); ++i) {
      for (const std::string & id : system_.callbacks[i].waits_for) {
        const auto found = by_id_.find(id);
        if (found != by_id_.end() && told_.insert(found->second).second) {
          judge(i, found->second);
        }
      }
    }
    return std::move(warnings_);
  }

private:
  /// The threads of its executor that may run it; empty: its group has threads of its own, or its
  /// threads are unknown.
  ThreadMask threads_of(Index index)
  {
    const auto known = threads_.find(index);
    if (known != threads_.end()) {
      return known->second;
    }
    const CallbackModel & callback = system_.callbacks[index];
    ThreadMask threads = 0;
    if (Resolver * const resolver = resolver_of(callback.executor)) {
      const auto group = callback.group.empty() ? takt_rt::Result<ResolvedGroup>(ResolvedGroup())
                                                : resolver->resolve_group(callback.group);
      if (group && !group->isolation) {
        const auto resolved = resolver->resolve(callback.id, callback.kind());
        threads = resolved ? resolved->binding.threads : 0;
      }
    }
    threads_.emplace(index, threads);
    return threads;
  }

  Resolver * resolver_of(const std::string & executor)
  {
    const auto [found, fresh] = resolvers_.try_emplace(executor);
    if (fresh) {
      auto created = Resolver::create(schedule_, executor);
      if (created) {
        found->second.emplace(std::move(created.value()));
      }
    }
    return found->second ? &*found->second : nullptr;
  }

  /// The callbacks for which its run waits, directly or through others. With `held`, also those for
  /// which a holder of the only thread, or of the group, of an awaited callback waits.
  const std::set<Index> & waits_of(Index index, bool held)
  {
    const auto [found, fresh] = waits_[held ? 1 : 0].try_emplace(index);
    if (fresh) {
      std::vector<Index> open{index};
      while (!open.empty()) {
        const Index next = open.back();
        open.pop_back();
        for (const std::string & id : system_.callbacks[next].waits_for) {
          const auto other = by_id_.find(id);
          if (other == by_id_.end() || !found->second.insert(other->second).second) {
            continue;
          }
          open.push_back(other->second);
          for (const Index holder : held ? holders_of(other->second) : std::vector<Index>()) {
            if (!one_at_a_time(holder, index)) {
              open.push_back(holder);
            }
          }
        }
      }
    }
    return found->second;
  }

  /// Callbacks that wait for others, and meanwhile hold the thread or group that this callback
  /// needs.
  std::vector<Index> holders_of(Index index)
  {
    const ThreadMask threads = threads_of(index);
    const std::string & executor = system_.callbacks[index].executor;
    std::vector<Index> holders;
    for (Index one = 0; one < system_.callbacks.size(); ++one) {
      const CallbackModel & other = system_.callbacks[one];
      const bool thread = std::popcount(threads) == 1 && other.executor == executor &&
                          (threads_of(one) & threads) != 0;
      if (!other.waits_for.empty() && one != index && (thread || one_at_a_time(one, index))) {
        holders.push_back(one);
      }
    }
    return holders;
  }

  /// Whether both are in one exclusive group.
  bool one_at_a_time(Index a, Index b) const
  {
    const std::string & group = system_.callbacks[a].group;
    return !group.empty() && group == system_.callbacks[b].group && !reentrant_.contains(group);
  }

  /// Whether it may hold one of the threads while it waits for a callback that needs one of them.
  bool holds(Index index, const std::string & executor, ThreadMask threads, bool held)
  {
    const auto on_them = [&](Index one) {
      return system_.callbacks[one].executor == executor && (threads_of(one) & threads) != 0;
    };
    const std::set<Index> & waits = waits_of(index, held);
    return on_them(index) && std::any_of(waits.begin(), waits.end(), on_them);
  }

  void judge(Index waiting, Index index)
  {
    const CallbackModel & callback = system_.callbacks[index];
    const ThreadMask threads = threads_of(index);
    const int count = std::popcount(threads);
    std::set<std::string> held;  // by groups: one callback of each runs at a time
    std::string names;
    bool any_number = false;
    bool direct = false;
    for (Index one = 0; one < system_.callbacks.size() && threads != 0; ++one) {
      const CallbackModel & other = system_.callbacks[one];
      if (other.waits_for.empty() || !holds(one, callback.executor, threads, true)) {
        continue;
      }
      direct = direct || holds(one, callback.executor, threads, false);
      any_number = any_number || reentrant_.contains(other.group);
      if (
        held.insert(other.group.empty() ? other.id : other.group).second && held.size() <= kShown) {
        names += (names.empty() ? "" : ", ") + quoted(other.id);
      }
    }
    if (
      threads == 0 || held.empty() ||
      (!any_number && held.size() < static_cast<std::size_t>(count))) {
      return;
    }
    const ExecutorSchedule * const executor = schedule_.find(callback.executor);
    const auto words = ThreadNames(*executor).words(threads);
    if (count == 1 && !direct) {
      warn(
        system_.callbacks[waiting], quoted(callback.id) + " runs on thread " +
                                      quoted(words.empty() ? std::string() : words.front()) +
                                      ", which runs of " + names +
                                      (held.size() > kShown ? " and others" : "") +
                                      " hold while they wait for threads that others hold until it "
                                      "has run: all these waits may "
                                      "never end; give it a thread of its own");
      return;
    }
    if (count == 1) {
      const bool itself = holds(waiting, callback.executor, threads, false);
      const std::string who = itself ? quoted(system_.callbacks[waiting].id) : names;
      warn(
        system_.callbacks[waiting], who + " waits within a run for " + quoted(callback.id) +
                                      ", and the schedule puts both on thread " +
                                      quoted(words.empty() ? std::string() : words.front()) +
                                      ": that wait never ends; give them different threads");
      return;
    }
    warn(
      system_.callbacks[waiting],
      quoted(callback.id) + " runs on " + std::to_string(count) + " threads, and runs of " + names +
        (held.size() > kShown ? " and others" : "") +
        " that wait for it may hold all of them at once, so that no wait ends; give it a thread of "
        "its own");
  }

  void warn(const CallbackModel & at, std::string text)
  {
    warnings_.push_back(located(system_.file, at.source, std::move(text)));
  }

  static constexpr std::size_t kShown = 3;

  const System & system_;
  const Schedule & schedule_;
  std::unordered_map<std::string, Index> by_id_;
  std::set<std::string> reentrant_;
  std::map<std::string, std::optional<Resolver>> resolvers_;
  std::unordered_map<Index, ThreadMask> threads_;
  std::array<std::unordered_map<Index, std::set<Index>>, 2> waits_;  // by `held`
  std::set<Index> told_;
  Faults warnings_;
};

}  // namespace

Faults wait_warnings(const System & system, const Schedule & schedule)
{
  return WaitCheck(system, schedule).run();
}

}  // namespace takt_schedule
