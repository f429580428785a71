// Finds bindings that an executor refuses: groups across OS priorities, priorities that a following
// thread cannot take, threads for callbacks of isolated groups. All functions need the set-up
// mutex.
#include <algorithm>
#include <unordered_set>

#include "executor/executor_impl.hpp"
#include "takt_core/arrival_word.hpp"
#include "takt_core/binding_rules.hpp"
#include "takt_rt/futex.hpp"

namespace takt_core
{

std::string has_own_threads(const Callback & callback)
{
  return callback.id() + ": group " + callback.group().id() +
         " is isolated, so its callbacks run on its own threads";
}

// Checks callbacks on the threads of the options; an isolated group's threads are always alike.
Faults Executor::Impl::check(
  const std::vector<NewBinding> & bindings,
  const std::vector<ExecutorThreadOptions> & threads) const
{
  Faults faults;
  std::unordered_set<const Group *> with_sets;
  for (const NewBinding & binding : bindings) {
    check_following(binding, threads, faults);
    if (binding.callback->stamped() && with_sets.insert(&binding.callback->group()).second) {
      check_sets(*binding.callback, bindings, faults);
    }
  }
  if (takt_core::uniform(threads)) {
    return faults;
  }
  const std::vector<const Callback *> inputs = main.scheduler.non_triggering();
  std::unordered_set<const Group *> seen;
  const auto check = [&](const Group & group) {
    if (seen.insert(&group).second) {
      check_group(group, entrants(group, bindings), bindings, threads, faults);
    }
  };
  for (const NewBinding & binding : bindings) {
    check(binding.callback->group());
    for (const Callback * const input : inputs) {
      if (
        &input->group() != &binding.callback->group() &&
        takes(*binding.callback, *input, *main.scheduler.binding(*input).value().non_triggering)) {
        check(input->group());
      }
    }
  }
  return faults;
}

void Executor::Impl::check_following(
  const NewBinding & binding, const std::vector<ExecutorThreadOptions> & threads, Faults & faults)
{
  for (std::size_t t = 0; t < threads.size(); ++t) {
    const ThreadAttributes & attributes = threads[t].attributes;
    const bool bound = binding.threads == 0 || (binding.threads >> t & 1) != 0;
    if (bound && threads[t].follow && !can_follow(attributes, binding.priority)) {
      faults.push_back(
        binding.callback->id() + ": priority " + std::to_string(binding.priority) +
        " cannot be taken by following thread " + attributes.name + "; use 1 to " +
        std::to_string(attributes.priority));
      return;
    }
  }
}

// With Condition::spread: the thread that completes a set runs the callbacks of the whole set, so
// all inputs of the group have the threads of `callback`.
void Executor::Impl::check_sets(
  const Callback & callback, const std::vector<NewBinding> & bindings, Faults & faults) const
{
  const Group & group = callback.group();
  const std::optional<Condition> condition = group.condition();
  const auto known = members.find(&group);
  if (!condition || !condition->spread || known == members.end()) {
    return;
  }
  const auto threads_of = [&](const Callback & one) {
    for (const NewBinding & binding : bindings) {
      if (binding.callback == &one) {
        return binding.threads == 0 ? main.scheduler.all_threads() : binding.threads;
      }
    }
    return main.scheduler.threads(one);
  };
  for (const Callback * const other : known->second) {
    if (other->keeps_for_set() && threads_of(*other) != threads_of(callback)) {
      faults.push_back(
        "group " + group.id() + " holds " + callback.id() + " and " + other->id() +
        ", which are bound to different threads, and the thread that completes a set of messages "
        "(spread) runs the callbacks of the whole set; bind them to the same threads, or omit "
        "spread");
      return;
    }
  }
}

// All callbacks that run in `group`; those of `bindings` come first.
std::vector<Executor::Impl::Entrant> Executor::Impl::entrants(
  const Group & group, const std::vector<NewBinding> & bindings) const
{
  std::vector<Entrant> result;
  std::unordered_set<const Callback *> seen;
  const auto add = [&](const Callback & callback, const Callback * takes) {
    if (seen.insert(&callback).second) {
      result.push_back({&callback, takes});
    }
  };
  for (const NewBinding & binding : bindings) {
    if (&binding.callback->group() == &group) {
      add(*binding.callback, nullptr);
    }
  }
  const auto known = members.find(&group);
  if (known == members.end()) {
    return result;
  }
  std::vector<const Callback *> inputs;
  for (const Callback * const member : known->second) {
    if (member->non_triggering()) {
      inputs.push_back(member);
    } else {
      add(*member, nullptr);
    }
  }
  if (inputs.empty()) {
    return result;
  }
  const auto all = main.scheduler.callbacks();
  for (const Callback * const member : inputs) {
    const Result<Binding> binding = main.scheduler.binding(*member);
    for (const NewBinding & other : bindings) {
      if (takes(*other.callback, *member, *binding->non_triggering)) {
        add(*other.callback, member);
      }
    }
    for (const auto & other : all) {
      if (!other->non_triggering() && takes(*other, *member, *binding->non_triggering)) {
        add(*other, member);
      }
    }
  }
  return result;
}

// Judges each callback in `bindings` by its new binding, and all others by their present bindings.
void Executor::Impl::check_group(
  const Group & group, const std::vector<Entrant> & entrants,
  const std::vector<NewBinding> & bindings, const std::vector<ExecutorThreadOptions> & threads,
  Faults & faults) const
{
  const bool allowed = std::any_of(bindings.begin(), bindings.end(), [&](const NewBinding & one) {
    return &one.callback->group() == &group && one.across_priorities;
  });
  if (
    !group.exclusive() || entrants.empty() || allowed ||
    group.across_priorities_.load(std::memory_order_relaxed)) {
    return;
  }
  const auto urgencies_of = [&](const Callback & callback) {
    for (const NewBinding & one : bindings) {
      if (one.callback == &callback) {
        return urgencies(threads, one.threads, one.priority);
      }
    }
    return urgencies(threads, main.scheduler.threads(callback), main.scheduler.priority(callback));
  };
  const Entrant & first = entrants.front();
  const std::vector<int> own = urgencies_of(*first.callback);
  for (const Entrant & other : entrants) {
    if (urgencies_of(*other.callback) == own) {
      continue;
    }
    const auto words = [](const Entrant & one) {
      return one.callback->id() + (one.takes == nullptr
                                     ? std::string()
                                     : " (which takes the messages of " + one.takes->id() + ")");
    };
    faults.push_back(
      "group " + group.id() + " holds " + words(first) + " and " + words(other) +
      ", which are bound to threads of different OS priority: the less urgent one would block "
      "the other; bind them alike, put them in different groups, or say across_priorities: "
      "allow");
    return;
  }
}

// Checks that the takers of a callback that will be added may run in its group.
Faults Executor::Impl::check_taken(const Callback & added, const NonTriggering & rule) const
{
  Faults faults;
  if (!takt_core::uniform(main.options)) {
    std::vector<Entrant> all = entrants(added.group(), {});
    for (const auto & other : main.scheduler.callbacks()) {
      if (
        !other->non_triggering() && &other->group() != &added.group() &&
        takes(*other, added, rule)) {
        all.push_back({other.get(), &added});
      }
    }
    check_group(added.group(), all, {}, main.options, faults);
  }
  return faults;
}

bool Executor::Impl::has(const Callback & callback) const
{
  const auto group = members.find(&callback.group());
  return group != members.end() &&
         std::find(group->second.begin(), group->second.end(), &callback) != group->second.end();
}

// `word`: of the callback; may be null.
Faults Executor::Impl::check_word(const Callback & callback, const ArrivalWord * word) const
{
  if (word == nullptr) {
    return {};
  }
  if (!takt_rt::has_futex_wait_any()) {
    return {
      callback.id() +
      ": messages in shared memory wake an executor thread by the system call futex_waitv, which "
      "this kernel lacks "
      "or forbids (it came with Linux 5.16)"};
  }
  std::size_t words = main.words.size();
  for (const auto & crew : owned_crews) {
    words += crew->words.size();
  }
  if (words >= ArrivalWord::kMost) {
    return {
      callback.id() + ": the executor has " + std::to_string(words) +
      " callbacks with messages in shared memory already, and cannot have more"};
  }
  return {};
}

// The crew's own scheduler checks ids among the crew's callbacks. This function checks the id
// against the other crews.
Faults Executor::Impl::check_id(const Callback & callback) const
{
  const bool isolated = callback.group().isolation_ != nullptr;
  const bool used =
    isolated_ids.count(callback.id()) != 0 || (isolated && main.scheduler.find(callback.id()));
  if (!used) {
    return {};
  }
  return {"callback id " + callback.id() + " is used already; ids are unique in an executor"};
}

}  // namespace takt_core
