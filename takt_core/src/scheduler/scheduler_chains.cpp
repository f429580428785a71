// Priorities, deadlines and their inheritance from chains. Serialised by setup_mutex_.
#include <algorithm>
#include <cassert>
#include <mutex>

#include "scheduler/scheduler_settings.hpp"
#include "takt_rt/duration_text.hpp"

namespace takt_core
{

using takt_rt::print_duration;

constexpr int kMaxPriority = 255;

void check_priority(const std::string & what, std::optional<int> priority, Faults & faults)
{
  if (priority && (*priority < 0 || *priority > kMaxPriority)) {
    faults.push_back(
      what + ": priority " + std::to_string(*priority) + " is out of range; use 0 to 255");
  }
}

void check_deadline(const std::string & what, std::optional<Duration> deadline, Faults & faults)
{
  if (deadline && *deadline <= Duration::zero()) {
    faults.push_back(what + ": deadline " + print_duration(*deadline) + " must be above zero");
  }
}

// Gives a waiting callback the key of its new priority at once.
void Scheduler::rekey(CallbackEntry & entry)
{
  assert(setup_mutex_.held());
  if (has_windows(order_)) {
    return;
  }
  ThreadSet & set = *lock_set(entry);
  CallbackEntry * const handed = requeue(set, entry);
  set.mutex.unlock();
  if (handed != nullptr) {
    handed->comes_ = CallbackEntry::Comes::returning;
    put_in(*handed, kNoThread);
  }
}

// Computes and publishes the callback's values from its own binding and its chains.
void Scheduler::inherit(CallbackEntry & entry)
{
  assert(setup_mutex_.held());
  Settings & own = settings(entry);
  const ChainOptions * important = nullptr;
  auto deadlines = std::make_unique<CallbackEntry::Deadlines>();
  for (const ChainOptions & chain : chains_) {
    if (
      std::find(chain.path.begin(), chain.path.end(), entry.callback().chain_id()) ==
      chain.path.end()) {
      continue;
    }
    if (important == nullptr || chain.priority > important->priority) {
      important = &chain;
    }
    if (!own.binding.deadline && chain.deadline != kForever) {
      deadlines->entries.push_back({detail::id_number(chain.path.front()), chain.deadline});
    }
  }
  const int inherited = important != nullptr ? important->priority : 0;
  entry.priority_.store(
    static_cast<std::uint8_t>(own.binding.priority.value_or(inherited)), std::memory_order_relaxed);
  deadlines->local =
    own.binding.deadline.value_or(important != nullptr ? important->deadline : kForever);
  if (deadlines->entries.empty() && deadlines->local == kForever) {
    deadlines.reset();
  }
  if (deadlines != nullptr || own.deadlines != nullptr) {
    ThreadSet & set = *lock_set(entry);
    {
      std::lock_guard group(entry.group_->mutex_);
      entry.deadlines_.store(deadlines.get(), std::memory_order_release);
    }
    set.mutex.unlock();
    own.deadlines = std::move(deadlines);  // no thread reads the old deadlines any more
  }
  rekey(entry);
}

Status Scheduler::set_priority(Callback & callback, std::optional<int> priority)
{
  std::lock_guard setup(setup_mutex_);
  Faults faults;
  CallbackEntry & entry = CallbackEntry::of(callback);
  check_priority(callback.id(), priority, faults);
  if (settings_.count(&entry) == 0) {
    faults.push_back(callback.id() + " is not in this executor");
  }
  if (faults.empty()) {
    settings(entry).binding.priority = priority;
    inherit(entry);
  }
  return faults;
}

Status Scheduler::set_deadline(Callback & callback, std::optional<Duration> deadline)
{
  std::lock_guard setup(setup_mutex_);
  Faults faults;
  CallbackEntry & entry = CallbackEntry::of(callback);
  check_deadline(callback.id(), deadline, faults);
  if (settings_.count(&entry) == 0) {
    faults.push_back(callback.id() + " is not in this executor");
  }
  if (faults.empty()) {
    settings(entry).binding.deadline = deadline;
    inherit(entry);
  }
  return faults;
}

Status Scheduler::set_chain(const ChainOptions & chain)
{
  std::lock_guard setup(setup_mutex_);
  Faults faults;
  const std::string what = "chain " + chain.name;
  check_priority(what, chain.priority, faults);
  check_deadline(what, chain.deadline, faults);
  if (chain.period < Duration::zero()) {
    faults.push_back(
      what + ": period " + print_duration(chain.period) + " must not be negative; 0: unknown");
  }
  if (chain.path.empty()) {
    faults.push_back(what + " has an empty path; name at least one callback");
  }
  if (!faults.empty()) {
    return faults;
  }
  std::vector<CallbackEntry *> affected = members_of(chain);
  if (const auto old = find_chain(chain.name); old != chains_.end()) {
    const std::vector<CallbackEntry *> before = members_of(*old);
    affected.insert(affected.end(), before.begin(), before.end());
    chains_[static_cast<std::size_t>(old - chains_.begin())] = chain;
  } else {
    chains_.push_back(chain);
  }
  for (CallbackEntry * const member : affected) {
    inherit(*member);
  }
  return {};
}

Status Scheduler::remove_chain(std::string_view name)
{
  std::lock_guard setup(setup_mutex_);
  const auto chain = find_chain(name);
  if (chain == chains_.end()) {
    return Faults{"there is no chain " + std::string(name) + " in this executor"};
  }
  const std::vector<CallbackEntry *> members = members_of(*chain);
  chains_.erase(chain);
  for (CallbackEntry * const member : members) {
    inherit(*member);
  }
  return {};
}

std::vector<ChainOptions>::const_iterator Scheduler::find_chain(std::string_view name) const
{
  assert(setup_mutex_.held());
  return std::find_if(
    chains_.begin(), chains_.end(), [&](const auto & c) { return c.name == name; });
}

// The members in this scheduler, each once, in the order of the path.
std::vector<CallbackEntry *> Scheduler::members_of(const ChainOptions & chain) const
{
  assert(setup_mutex_.held());
  std::vector<CallbackEntry *> members;
  const auto add = [&](CallbackEntry * member) {
    if (std::find(members.begin(), members.end(), member) == members.end()) {
      members.push_back(member);
    }
  };
  for (const std::string & id : chain.path) {
    const auto member = by_id_.find(id);
    if (member != by_id_.end() && member->second->callback().chain_id() == id) {
      add(member->second);
    }
    for (CallbackEntry * const other : aliases_) {
      if (other->callback().chain_id() == id) {
        add(other);
      }
    }
  }
  return members;
}

std::vector<ChainOptions> Scheduler::chains() const
{
  std::lock_guard setup(setup_mutex_);
  return chains_;
}

}  // namespace takt_core
