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

// A waiting callback gets the key of its new priority at once.
void Scheduler::rekey(Callback & callback)
{
  assert(setup_mutex_.held());
  if (has_windows(order_)) {
    return;
  }
  ThreadSet & set = *lock_set(callback);
  Callback * const handed = requeue(set, callback);
  set.mutex.unlock();
  if (handed != nullptr) {
    handed->comes_ = Callback::Comes::returning;
    put_in(*handed, kNoThread);
  }
}

// Computes and publishes the callback's values from its own binding and its chains.
void Scheduler::inherit(Callback & callback)
{
  assert(setup_mutex_.held());
  Settings & own = settings(callback);
  const ChainOptions * important = nullptr;
  auto deadlines = std::make_unique<Callback::Deadlines>();
  for (const ChainOptions & chain : chains_) {
    if (std::find(chain.path.begin(), chain.path.end(), callback.chain_id()) == chain.path.end()) {
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
  callback.priority_.store(
    static_cast<std::uint8_t>(own.binding.priority.value_or(inherited)), std::memory_order_relaxed);
  deadlines->local =
    own.binding.deadline.value_or(important != nullptr ? important->deadline : kForever);
  if (deadlines->entries.empty() && deadlines->local == kForever) {
    deadlines.reset();
  }
  if (deadlines != nullptr || own.deadlines != nullptr) {
    ThreadSet & set = *lock_set(callback);
    {
      std::lock_guard group(callback.group_->mutex_);
      callback.deadlines_.store(deadlines.get(), std::memory_order_release);
    }
    set.mutex.unlock();
    own.deadlines = std::move(deadlines);  // no thread reads the old deadlines any more
  }
  rekey(callback);
}

Status Scheduler::set_priority(Callback & callback, std::optional<int> priority)
{
  std::lock_guard setup(setup_mutex_);
  Faults faults;
  check_priority(callback.id_, priority, faults);
  if (settings_.count(&callback) == 0) {
    faults.push_back(callback.id_ + " is not in this executor");
  }
  if (faults.empty()) {
    settings(callback).binding.priority = priority;
    inherit(callback);
  }
  return faults;
}

Status Scheduler::set_deadline(Callback & callback, std::optional<Duration> deadline)
{
  std::lock_guard setup(setup_mutex_);
  Faults faults;
  check_deadline(callback.id_, deadline, faults);
  if (settings_.count(&callback) == 0) {
    faults.push_back(callback.id_ + " is not in this executor");
  }
  if (faults.empty()) {
    settings(callback).binding.deadline = deadline;
    inherit(callback);
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
  std::vector<Callback *> affected = members_of(chain);
  if (const auto old = find_chain(chain.name); old != chains_.end()) {
    const std::vector<Callback *> before = members_of(*old);
    affected.insert(affected.end(), before.begin(), before.end());
    chains_[static_cast<std::size_t>(old - chains_.begin())] = chain;
  } else {
    chains_.push_back(chain);
  }
  for (Callback * const member : affected) {
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
  const std::vector<Callback *> members = members_of(*chain);
  chains_.erase(chain);
  for (Callback * const member : members) {
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
std::vector<Callback *> Scheduler::members_of(const ChainOptions & chain) const
{
  assert(setup_mutex_.held());
  std::vector<Callback *> members;
  const auto add = [&](Callback * member) {
    if (std::find(members.begin(), members.end(), member) == members.end()) {
      members.push_back(member);
    }
  };
  for (const std::string & id : chain.path) {
    const auto member = by_id_.find(id);
    if (member != by_id_.end() && member->second->chain_id() == id) {
      add(member->second);
    }
    for (Callback * const other : aliases_) {
      if (other->chain_id() == id) {
        add(other);
      }
    }
  }
  return members;
}

std::vector<std::shared_ptr<Callback>> Scheduler::members(std::string_view name) const
{
  std::lock_guard setup(setup_mutex_);
  std::vector<std::shared_ptr<Callback>> result;
  if (const auto chain = find_chain(name); chain != chains_.end()) {
    for (const Callback * const member : members_of(*chain)) {
      result.push_back(settings(*member).callback);
    }
  }
  return result;
}

std::vector<ChainOptions> Scheduler::chains() const
{
  std::lock_guard setup(setup_mutex_);
  return chains_;
}

}  // namespace takt_core
