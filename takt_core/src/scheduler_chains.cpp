// Priorities, deadlines and what callbacks inherit from chains. Serialised by setup_mutex_.
#include <algorithm>
#include <mutex>

#include "scheduler_settings.hpp"

namespace takt_core
{

constexpr int kMaxPriority = 255;

void check_priority(const std::string & what, std::optional<int> priority, Faults & faults)
{
  if (priority && (*priority < 0 || *priority > kMaxPriority)) {
    faults.push_back(
      what + ": priority " + std::to_string(*priority) + " is out of range; use 0 to 255");
  }
}

// The key of a waiting callback follows its new priority at once.
void Scheduler::rekey(Callback & callback)
{
  if (has_windows(order_)) {
    return;
  }
  ThreadSet & set = lock_set(callback);
  const Callback::Where where = callback.where_.load(std::memory_order_relaxed);
  Callback * handed = nullptr;
  // In these places nobody starts it without the set's mutex.
  if (
    where == Callback::Where::queue || where == Callback::Where::parked ||
    where == Callback::Where::intake) {
    const std::uint64_t key = precedence(set, callback).key;
    if (where == Callback::Where::queue) {
      set.queue->remove(callback);
      insert(set, callback, ReadyQueue::From::release);
    }
    handed = callback.group_->rekey(callback, key);
  }
  set.mutex.unlock();
  if (handed != nullptr) {
    handed->returning_ = true;
    put_in(*handed, kNoThread);
  }
}

// Computes what the callback gets from its own binding and from its chains, and publishes it.
void Scheduler::inherit(Callback & callback)
{
  Settings & own = settings(callback);
  const ChainOptions * important = nullptr;
  auto deadlines = std::make_unique<Callback::ChainDeadlines>();
  for (const ChainOptions & chain : chains_) {
    if (std::find(chain.path.begin(), chain.path.end(), callback.id_) == chain.path.end()) {
      continue;
    }
    if (important == nullptr || chain.priority > important->priority) {
      important = &chain;
    }
    const auto root = by_id_.find(chain.path.front());
    if (!own.binding.deadline && chain.deadline != kForever && root != by_id_.end()) {
      deadlines->entries.push_back({root->second->number_, chain.deadline});
    }
  }
  const int inherited = important != nullptr ? important->priority : 0;
  callback.priority_.store(own.binding.priority.value_or(inherited), std::memory_order_relaxed);
  const Duration local =
    own.binding.deadline.value_or(important != nullptr ? important->deadline : kForever);
  callback.local_deadline_.store(local.count(), std::memory_order_relaxed);
  const bool none = deadlines->entries.empty();
  callback.chain_deadlines_.store(none ? nullptr : deadlines.get(), std::memory_order_release);
  if (!none) {
    own.deadlines.push_back(std::move(deadlines));
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
  if (settings_.count(&callback) == 0) {
    return Faults{callback.id_ + " is not in this executor"};
  }
  settings(callback).binding.deadline = deadline;
  inherit(callback);
  return {};
}

Status Scheduler::set_chain(const ChainOptions & chain)
{
  std::lock_guard setup(setup_mutex_);
  Faults faults;
  check_priority("chain " + chain.name, chain.priority, faults);
  if (chain.path.empty()) {
    faults.push_back("chain " + chain.name + " has an empty path; name at least one callback");
  }
  if (!faults.empty()) {
    return faults;
  }
  std::vector<std::string> affected = chain.path;
  const auto old = std::find_if(
    chains_.begin(), chains_.end(), [&](const auto & c) { return c.name == chain.name; });
  if (old != chains_.end()) {
    affected.insert(affected.end(), old->path.begin(), old->path.end());
    *old = chain;
  } else {
    chains_.push_back(chain);
  }
  for (const std::string & id : affected) {
    if (const auto member = by_id_.find(id); member != by_id_.end()) {
      inherit(*member->second);
    }
  }
  return {};
}

}  // namespace takt_core
