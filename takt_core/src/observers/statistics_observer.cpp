#include "takt_core/statistics_observer.hpp"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include <sys/syscall.h>
#include <unistd.h>

#include "scheduler/callback_numbers.hpp"
#include "takt_core/number_table.hpp"
#include "takt_core/seen_activations.hpp"
#include "takt_rt/pi_mutex.hpp"

namespace takt_core
{

using takt_rt::PiMutex;
using takt_rt::read_accounts;

namespace
{

struct ChainRecord
{
  ChainOptions options;
  detail::IdNumber root;  // in any executor of this process
  mutable PiMutex mutex;
  SeenActivations seen;
  ChainStatistics statistics;
  bool removed = false;
};

struct CallbackRecord
{
  mutable PiMutex mutex;
  std::uint32_t number = 0;  // of its present callback
  CallbackStatistics statistics;
  std::string chain_id;
  std::vector<ChainRecord *> ends;  // chains that end with this callback
  bool removed = false;
};

void clear(Distribution & distribution)
{
  distribution.moments = {};
  distribution.histogram.clear();
}

void copy(const CallbackStatistics & from, CallbackStatistics & to)
{
  to.id = from.id;
  to.start_delay.merge(from.start_delay);
  to.execution.merge(from.execution);
  to.response.merge(from.response);
  to.deadline_misses = from.deadline_misses;
  to.empty_takes = from.empty_takes;
  to.exceptions = from.exceptions;
  to.skipped_periods = from.skipped_periods;
}

}  // namespace

struct StatisticsObserver::Impl
{
  void connect(ChainRecord & chain);
  void disconnect(const ChainRecord & chain);
  CallbackRecord & record_for(const std::string & id);

  mutable std::mutex setup;
  std::vector<std::unique_ptr<CallbackRecord>> callbacks;
  std::vector<std::unique_ptr<CallbackRecord>> spare;  // cleared records of forgotten callbacks
  std::unordered_map<std::string, CallbackRecord *> by_id;
  std::vector<std::unique_ptr<ChainRecord>> chains;
  std::vector<ThreadStatistics> threads;
  NumberTable<CallbackRecord> by_number;
};

StatisticsObserver::StatisticsObserver() : impl_(std::make_unique<Impl>())
{
}
StatisticsObserver::~StatisticsObserver() = default;

void StatisticsObserver::Impl::disconnect(const ChainRecord & chain)
{
  for (const auto & record : callbacks) {
    std::lock_guard lock(record->mutex);
    std::erase(record->ends, &chain);
  }
}

// Connects the chain to the records of its last callback. With `setup` held.
void StatisticsObserver::Impl::connect(ChainRecord & chain)
{
  disconnect(chain);
  for (const auto & record : callbacks) {
    std::lock_guard lock(record->mutex);
    if (!chain.removed && record->chain_id == chain.options.path.back()) {
      record->ends.push_back(&chain);
    }
  }
}

// The record with this id, else a cleared record, else a new one. With `setup` held.
CallbackRecord & StatisticsObserver::Impl::record_for(const std::string & id)
{
  CallbackRecord *& known = by_id[id];
  if (known == nullptr) {
    if (spare.empty()) {
      spare.push_back(std::make_unique<CallbackRecord>());
    }
    known = callbacks.emplace_back(std::move(spare.back())).get();
    spare.pop_back();
  }
  return *known;
}

void StatisticsObserver::on_added(const Callback & callback)
{
  std::lock_guard lock(impl_->setup);
  CallbackRecord & record = impl_->record_for(callback.id());
  {
    std::lock_guard own(record.mutex);
    record.statistics.id = callback.id();
    record.chain_id = callback.chain_id();
    record.number = callback.number();
    record.removed = false;
  }
  impl_->by_number.set(callback.number(), &record);
  for (const auto & chain : impl_->chains) {
    if (chain->options.path.back() == callback.chain_id()) {
      impl_->connect(*chain);
    }
  }
}

void StatisticsObserver::on_removed(const Callback & callback)
{
  std::lock_guard lock(impl_->setup);
  const auto known = impl_->by_id.find(callback.id());
  if (known != impl_->by_id.end()) {
    known->second->removed = true;
  }
}

void StatisticsObserver::forget_removed()
{
  std::lock_guard lock(impl_->setup);
  auto & callbacks = impl_->callbacks;
  for (auto & record : callbacks) {
    if (!record->removed) {
      continue;
    }
    {
      std::lock_guard own(record->mutex);
      // If the record was replaced meanwhile, the number belongs to the new record.
      if (impl_->by_number.find(record->number) == record.get()) {
        impl_->by_number.set(record->number, nullptr);
      }
      impl_->by_id.erase(record->statistics.id);
      record->number = 0;  // a run that found the record before does not write to it any more
      record->ends.clear();
      record->removed = false;
      CallbackStatistics & own_statistics = record->statistics;
      for (Distribution * const distribution :
           {&own_statistics.start_delay, &own_statistics.execution, &own_statistics.response}) {
        clear(*distribution);
      }
      own_statistics.deadline_misses = 0;
      own_statistics.empty_takes = 0;
      own_statistics.exceptions = 0;
      own_statistics.skipped_periods = 0;
    }
    impl_->spare.push_back(std::move(record));
  }
  std::erase(callbacks, nullptr);
  std::erase_if(impl_->chains, [](const auto & chain) { return chain->removed; });
}

void StatisticsObserver::on_chain(const ChainOptions & chain)
{
  std::lock_guard lock(impl_->setup);
  auto & chains = impl_->chains;
  const auto known = std::find_if(
    chains.begin(), chains.end(), [&](const auto & c) { return c->statistics.name == chain.name; });
  ChainRecord * record = known == chains.end() ? nullptr : known->get();
  if (record == nullptr) {
    record = chains.emplace_back(std::make_unique<ChainRecord>()).get();
    record->statistics.name = chain.name;
  }
  {
    std::lock_guard own(record->mutex);
    record->options = chain;
    record->root = detail::id_number(chain.path.front());
    record->removed = false;
  }
  impl_->connect(*record);
}

void StatisticsObserver::on_chain_removed(std::string_view name)
{
  std::lock_guard lock(impl_->setup);
  for (const auto & chain : impl_->chains) {
    if (chain->statistics.name == name) {
      chain->removed = true;
      impl_->disconnect(*chain);
    }
  }
}

void StatisticsObserver::on_thread(std::uint32_t thread, const AttributeReport & report)
{
  std::lock_guard lock(impl_->setup);
  ThreadStatistics entry;
  entry.thread = thread;
  entry.attributes = report;
  entry.account.tid = static_cast<pid_t>(::syscall(SYS_gettid));
  std::erase_if(impl_->threads, [&](const auto & t) { return t.thread == thread; });
  impl_->threads.push_back(std::move(entry));
}

void StatisticsObserver::on_end(const Run & run, Time end) noexcept
{
  CallbackRecord * const record = impl_->by_number.find(run.callback->number());
  if (record == nullptr) {
    return;
  }
  std::lock_guard lock(record->mutex);
  if (record->number != run.callback->number()) {
    return;  // `forget_removed` cleared the record meanwhile
  }
  CallbackStatistics & own = record->statistics;
  // If a newer message replaced the message of the pick, its release is after the start: the delay
  // is 0.
  own.start_delay.record(std::max(run.start - run.release, Duration::zero()));
  own.execution.record(end - run.start);
  own.response.record(end - run.release);
  own.skipped_periods += run.skipped;
  own.deadline_misses += end > run.deadline ? 1 : 0;

  for (ChainRecord * const chain : record->ends) {
    std::lock_guard chain_lock(chain->mutex);
    for (const Activation & activation : run.activations) {
      if (
        detail::id_number_of(activation.root) == *chain->root &&
        chain->seen.first_time(activation)) {
        const Duration response = end - activation.release;
        chain->statistics.response.record(response);
        chain->statistics.deadline_misses += response > chain->options.deadline ? 1 : 0;
      }
    }
  }
}

void StatisticsObserver::on_empty_take(const Run & run) noexcept
{
  if (CallbackRecord * const record = impl_->by_number.find(run.callback->number())) {
    std::lock_guard lock(record->mutex);
    record->statistics.empty_takes += record->number == run.callback->number() ? 1 : 0;
  }
}

void StatisticsObserver::on_exception(const Run & run, const std::exception_ptr &) noexcept
{
  if (CallbackRecord * const record = impl_->by_number.find(run.callback->number())) {
    std::lock_guard lock(record->mutex);
    record->statistics.exceptions += record->number == run.callback->number() ? 1 : 0;
  }
}

std::vector<std::unique_ptr<CallbackStatistics>> StatisticsObserver::callbacks() const
{
  std::lock_guard lock(impl_->setup);
  std::vector<std::unique_ptr<CallbackStatistics>> result;
  for (const auto & record : impl_->callbacks) {
    result.push_back(std::make_unique<CallbackStatistics>());
    std::lock_guard own(record->mutex);
    copy(record->statistics, *result.back());
  }
  return result;
}

std::vector<std::unique_ptr<ChainStatistics>> StatisticsObserver::chains() const
{
  std::lock_guard lock(impl_->setup);
  std::vector<std::unique_ptr<ChainStatistics>> result;
  for (const auto & record : impl_->chains) {
    auto & snapshot = *result.emplace_back(std::make_unique<ChainStatistics>());
    std::lock_guard own(record->mutex);
    snapshot.name = record->statistics.name;
    snapshot.response.merge(record->statistics.response);
    snapshot.deadline_misses = record->statistics.deadline_misses;
  }
  return result;
}

std::vector<ThreadStatistics> StatisticsObserver::threads() const
{
  std::lock_guard lock(impl_->setup);
  std::vector<ThreadStatistics> result = impl_->threads;
  const std::vector<ThreadAccount> accounts = read_accounts();
  for (ThreadStatistics & thread : result) {
    for (const ThreadAccount & account : accounts) {
      if (account.tid == thread.account.tid) {
        thread.account = account;
      }
    }
  }
  std::sort(result.begin(), result.end(), [](const auto & a, const auto & b) {
    return a.thread < b.thread;
  });
  return result;
}

}  // namespace takt_core
