#include "takt_core/statistics_observer.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include <sys/syscall.h>
#include <unistd.h>

#include "number_table.hpp"
#include "takt_core/pi_mutex.hpp"

namespace takt_core
{

namespace
{

struct ChainRecord
{
  ChainOptions options;
  std::uint32_t root = 0;  // callback number, 0 until the root was added here
  mutable PiMutex mutex;
  Time last_release = Time::min();
  ChainStatistics statistics;
};

struct CallbackRecord
{
  mutable PiMutex mutex;
  CallbackStatistics statistics;
  std::vector<ChainRecord *> ends;  // chains whose last callback this is
};

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

  mutable std::mutex setup;
  std::vector<std::unique_ptr<CallbackRecord>> callbacks;
  std::map<std::string, std::pair<std::uint32_t, CallbackRecord *>> by_id;
  std::vector<std::unique_ptr<ChainRecord>> chains;
  std::vector<ThreadStatistics> threads;
  NumberTable<CallbackRecord> by_number;
};

StatisticsObserver::StatisticsObserver() : impl_(std::make_unique<Impl>())
{
}
StatisticsObserver::~StatisticsObserver() = default;

// Finds the chain's ends again. With `setup` held.
void StatisticsObserver::Impl::connect(ChainRecord & chain)
{
  for (const auto & record : callbacks) {
    std::lock_guard lock(record->mutex);
    std::erase(record->ends, &chain);
  }
  const auto root = by_id.find(chain.options.path.front());
  const auto last = by_id.find(chain.options.path.back());
  {
    std::lock_guard lock(chain.mutex);
    chain.root = root == by_id.end() ? 0 : root->second.first;
  }
  if (last != by_id.end()) {
    std::lock_guard lock(last->second.second->mutex);
    last->second.second->ends.push_back(&chain);
  }
}

void StatisticsObserver::on_added(const Callback & callback)
{
  std::lock_guard lock(impl_->setup);
  auto record = std::make_unique<CallbackRecord>();
  record->statistics.id = callback.id();
  impl_->by_id[callback.id()] = {callback.number(), record.get()};
  impl_->by_number.set(callback.number(), record.get());
  impl_->callbacks.push_back(std::move(record));
  for (const auto & chain : impl_->chains) {
    const auto & path = chain->options.path;
    if (path.front() == callback.id() || path.back() == callback.id()) {
      impl_->connect(*chain);
    }
  }
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
  }
  impl_->connect(*record);
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
  CallbackStatistics & own = record->statistics;
  own.start_delay.record(run.start - run.release);
  own.execution.record(end - run.start);
  own.response.record(end - run.release);
  own.skipped_periods += run.skipped;
  own.deadline_misses += end > run.deadline ? 1 : 0;

  for (ChainRecord * const chain : record->ends) {
    std::lock_guard chain_lock(chain->mutex);
    for (const Activation & activation : run.activations) {
      // Newer ones only: a cached message can bring an activation here a second time.
      if (activation.root == chain->root && activation.release > chain->last_release) {
        chain->last_release = activation.release;
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
    ++record->statistics.empty_takes;
  }
}

void StatisticsObserver::on_exception(const Run & run, const std::exception_ptr &) noexcept
{
  if (CallbackRecord * const record = impl_->by_number.find(run.callback->number())) {
    std::lock_guard lock(record->mutex);
    ++record->statistics.exceptions;
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
