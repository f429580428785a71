// Set-up hooks for callbacks and threads that are added and removed.
#include <algorithm>
#include <mutex>
#include <utility>

#include "executor_watch.hpp"
#include "kernel/own_thread.hpp"
#include "takt_core/group.hpp"
#include "takt_rt/guard/guard.hpp"

namespace takt_watch
{
namespace
{

using takt_core::Callback;

std::int64_t limit(const std::optional<takt_rt::Duration> & duration)
{
  return duration ? std::int64_t{duration->count()} : kNoLimit;
}

OwnCounts counts_of(const CallbackRecord & record)
{
  const Callback & callback = *record.callback;
  const takt_core::MessageCounts messages = callback.message_counts();
  return {
    messages.arrivals, messages.overwritten, callback.lost().value_or(0),
    callback.skipped_periods()};
}

}  // namespace

ExecutorWatch::ExecutorWatch(WatchedExecutor watched, Switch & common, std::function<void()> needed)
: watched_(std::move(watched)),
  common_(common),
  needed_(std::move(needed)),
  rules_(watched_)
{
  std::uint32_t number = 0;
  for (const auto & thread : watched_.executor->options().threads) {
    make_slot(number++).name = thread.attributes.name;
  }
  make_slot(number).visitor = true;
}

ExecutorWatch::~ExecutorWatch()
{
  leave();
}

void ExecutorWatch::leave()
{
  if (common_.abandoned.load()) {
    return;
  }
  const std::lock_guard lock(mutex_);
  if (left_) {
    return;
  }
  left_ = true;
  for (const auto & record : records_) {
    if (record->callback != nullptr) {
      common_.roots.remove(record->number.load(), record->chain_id);
    }
  }
  for (const auto & [name, chain] : chains_) {
    follow(*chain);
  }
}

void ExecutorWatch::begin()
{
  const std::lock_guard lock(mutex_);
  if (owned_statistics_ != nullptr) {
    return;
  }
  for (const auto & record : records_) {
    if (record->callback != nullptr) {
      attach(*record);
    }
  }
  make_statistics();
}

// Call this function and all functions below with `mutex_` held.
void ExecutorWatch::make_statistics()
{
  owned_statistics_ = std::make_unique<takt_core::StatisticsObserver>();
  for (const auto & record : records_) {
    if (record->callback != nullptr) {
      owned_statistics_->on_added(*record->callback);
    }
  }
  statistics_.store(owned_statistics_.get(), std::memory_order_release);
}

// Begins the counts of a callback. Messages that wait now count as arrivals, because their runs
// will count, too.
void ExecutorWatch::attach(CallbackRecord & record) const
{
  const std::uint64_t waiting = record.callback->message_counts().waiting;
  record.began_at = counts_of(record);
  record.began_at.arrivals -= std::min(waiting, record.began_at.arrivals);
}

// Gives the record its rule. Returns true if the callback has a rule.
bool ExecutorWatch::give_rule(CallbackRecord & record) const
{
  record.rule = rules_.rule ? rules_.rule(*record.callback) : takt_schedule::WatchRule();
  const takt_schedule::WatchRule & rule = record.rule;
  record.age.store(rule.backlog ? limit(rule.backlog->age) : kNoLimit);
  record.stall.store(limit(rule.stall));
  record.budget.store(limit(rule.budget));
  const std::lock_guard own(record.mutex);
  record.misses.set_window(window_of(rule.misses));
  return !rule.empty();
}

void ExecutorWatch::change(const WatchRules & rules)
{
  bool needed = false;
  {
    const std::lock_guard lock(mutex_);
    rules_ = rules;
    for (const auto & record : records_) {
      needed = (record->callback != nullptr && give_rule(*record)) || needed;
    }
    for (const auto & [name, chain] : chains_) {
      needed = (!chain->removed && give_rule(*chain)) || needed;
    }
  }
  if (needed) {
    needed_();
  }
}

takt_schedule::WatchSettings ExecutorWatch::settings() const
{
  const std::lock_guard lock(mutex_);
  return rules_.settings;
}

CallbackRecord & ExecutorWatch::record_for(const std::string & id)
{
  CallbackRecord *& known = by_id_[id];
  if (known == nullptr) {
    if (spare_.empty()) {
      spare_.push_back(std::make_unique<CallbackRecord>());
    }
    known = records_.emplace_back(std::move(spare_.back())).get();
    spare_.pop_back();
    known->id = id;
  }
  return *known;
}

void ExecutorWatch::on_added(const Callback & callback)
{
  if (common_.abandoned.load()) {
    return;
  }
  bool needed = false;
  {
    const std::lock_guard lock(mutex_);
    forget_if_many();
    CallbackRecord & record = record_for(callback.id());
    record.callback = &callback;
    record.chain_id = callback.chain_id();
    record.group = callback.group().id();
    record.exclusive = callback.group().exclusive();
    if (const auto * const guard = takt_rt::guard_library();
        guard != nullptr && guard->watches_executors() != 0) {
      record.guard_name = guard->name(callback.id().c_str());
    }
    record.kind = callback.kind();
    record.order = added_++;
    record.too_old = false;
    {
      const std::lock_guard own(record.mutex);
      record.number.store(callback.number());
    }
    needed = give_rule(record);
    attach(record);
    if (!left_) {
      common_.roots.add(callback, *watched_.executor);
    }
    connect(record.chain_id);
    if (owned_statistics_ != nullptr) {
      owned_statistics_->on_added(callback);
    }
    by_number_.set(callback.number(), &record);
  }
  if (needed) {
    needed_();
  }
}

void ExecutorWatch::on_removed(const Callback & callback)
{
  if (common_.abandoned.load()) {
    return;
  }
  const std::lock_guard lock(mutex_);
  const auto known = by_id_.find(callback.id());
  if (known == by_id_.end() || known->second->callback != &callback) {
    return;
  }
  CallbackRecord & record = *known->second;
  const OwnCounts now = counts_of(record);
  record.before.arrivals += now.arrivals - record.began_at.arrivals;
  record.before.overwritten += now.overwritten - record.began_at.overwritten;
  record.before.lost += now.lost - record.began_at.lost;
  record.before.skipped += now.skipped - record.began_at.skipped;
  record.callback = nullptr;
  record.window_arrivals.reset();
  record.arrival_rate.reset();
  record.service_rate.reset();
  common_.roots.remove(callback.number(), record.chain_id);
  connect(record.chain_id);
  if (owned_statistics_ != nullptr) {
    owned_statistics_->on_removed(callback);
  }
}

ThreadSlot & ExecutorWatch::make_slot(std::uint32_t thread)
{
  ThreadSlot * slot = slots_by_number_.find(thread);
  if (slot == nullptr) {
    slot = slots_.emplace_back(std::make_unique<ThreadSlot>()).get();
    slot->number = thread;
    slots_by_number_.set(thread, slot);
  }
  return *slot;
}

void ExecutorWatch::on_thread(std::uint32_t thread, const takt_rt::AttributeReport & report)
{
  if (common_.abandoned.load()) {
    return;
  }
  const std::lock_guard lock(mutex_);
  ThreadSlot & slot = make_slot(thread);
  slot.name = report.asked.name;
  slot.tid.store(own_thread());
  isolated_changed_ = isolated_changed_ || thread > watched_.executor->options().threads.size();
}

}  // namespace takt_watch
