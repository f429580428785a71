// Reads records for looks and documents. Any thread; may block as set-up does.
#include <algorithm>
#include <mutex>

#include "executor_watch.hpp"
#include "takt_rt/guard/guard.hpp"

namespace takt_watch
{
namespace
{

using takt_rt::Duration;
using takt_rt::Time;

constexpr auto kRelaxedFigure = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;

std::uint64_t since(std::uint64_t before, std::uint64_t began, std::uint64_t now)
{
  return before + now - std::min(began, now);
}

// True for a callback that a front end made for its own use; schedules do not name such callbacks.
bool is_adapters_own(const CallbackRecord & record)
{
  return record.id.starts_with("/takt:");
}

// Reads the misses and their window. Call it before other counts of the same runs are read, so that
// no other count is older.
template <typename Sample>
void read_misses(const MissCounter & misses, Sample & sample)
{
  sample.misses = misses.misses();
  sample.window = misses.window();
}

// True if responses of the chain count from the arrival of the last callback's message.
bool is_from_arrival(const ChainRecord & record)
{
  return record.ends_here && record.root != nullptr && !record.root->here();
}

// Adds a distribution of `record` to `to`. The ends of runs wait only while the moments are copied.
void add(const takt_core::Distribution & from, ChainRecord & record, takt_core::Distribution & to)
{
  to.histogram.merge(from.histogram);
  const std::lock_guard own(record.mutex);  // the ends of runs lock this mutex, too
  to.moments.merge(from.moments);
}

}  // namespace

// The callbacks that documents list, in the order in which they were added. Call this function and
// all functions below with `mutex_` held.
std::vector<CallbackRecord *> ExecutorWatch::callbacks_there() const
{
  std::vector<CallbackRecord *> there;
  for (const auto & record : records_) {
    if (record->callback != nullptr && !is_adapters_own(*record)) {
      there.push_back(record.get());
    }
  }
  std::sort(
    there.begin(), there.end(), [](const auto * a, const auto * b) { return a->order < b->order; });
  return there;
}

bool ExecutorWatch::is_isolated(const CallbackRecord & record) const
{
  takt_core::Executor & executor = *watched_.executor;
  return &executor.scheduler_of(*record.callback) != &executor.scheduler();
}

std::vector<std::uint32_t> ExecutorWatch::threads_of(const CallbackRecord & record) const
{
  std::vector<std::uint32_t> threads;
  if (is_isolated(record)) {
    const auto known = isolated_.find(record.group);
    return known == isolated_.end() ? threads : known->second;
  }
  takt_core::ThreadMask mask = watched_.executor->scheduler().threads(*record.callback);
  for (std::uint32_t thread = 0; mask != 0; ++thread, mask >>= 1U) {
    if ((mask & 1U) != 0) {
      threads.push_back(thread);
    }
  }
  return threads;
}

CallbackSample ExecutorWatch::sample_of(const CallbackRecord & record, Time now) const
{
  const takt_core::Callback & callback = *record.callback;
  CallbackSample sample;
  sample.id = record.id;
  sample.chain_id = record.chain_id;
  sample.kind = record.kind;
  sample.group = record.group;
  sample.exclusive = record.exclusive;
  sample.threads = threads_of(record);
  const takt_core::MessageCounts messages = callback.message_counts();
  sample.depth = messages.history;
  // Read the counts of ends before those of starts, and starts before arrivals. So a sample has at
  // most as many ends as starts, and at most as many starts as arrivals.
  read_misses(record.misses, sample);
  sample.responses = record.misses.responses();
  sample.overruns = record.overruns.load(kAcquire);
  sample.busy = Duration(record.busy.load(kRelaxedFigure));
  sample.starts = record.starts.load(kAcquire);
  sample.empty_takes = record.empty_takes.load(kAcquire);
  sample.skipped =
    since(record.before.skipped, record.began_at.skipped, callback.skipped_periods());
  if (record.guard_name != 0) {
    const takt_rt::GuardAccount & account = *takt_rt::guard_library()->account();
    if (account.is_judged != 0) {
      // Read before the events that these looks found.
      sample.guard_looks = account.judge_looks.load(kAcquire);
      const takt_rt::GuardedName & name = account.names[record.guard_name - 1];
      sample.guard_seen = name.seen.load(kRelaxedFigure);
      sample.guard_events = name.events.load(kRelaxedFigure);
    }
    sample.guarded = account.alarming(record.guard_name - 1);
  }
  sample.overwritten =
    since(record.before.overwritten, record.began_at.overwritten, messages.overwritten);
  if (record.kind == takt_core::Kind::timer) {
    // All periods of the timer.
    sample.arrivals = sample.starts + sample.empty_takes + sample.skipped;
  } else {
    sample.waiting =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(messages.waiting, UINT32_MAX));
    if (const Time oldest = callback.oldest_arrival(); oldest != takt_rt::kNever) {
      sample.oldest_age = std::max(now - oldest, Duration::zero());
    }
    sample.arrivals =
      since(record.before.arrivals, record.began_at.arrivals, callback.message_counts().arrivals);
  }
  if (const auto lost = callback.lost()) {
    sample.lost = since(record.before.lost, record.began_at.lost, *lost);
  }
  sample.rule = record.rule;
  return sample;
}

ChainSample ExecutorWatch::sample_of(const ChainRecord & record)
{
  ChainSample sample;
  sample.name = record.options.name;
  sample.path = record.options.path;
  sample.from_arrival = is_from_arrival(record);
  read_misses(record.misses, sample);
  sample.overdue = record.overdue.load(kAcquire);
  sample.activations = record.activations.load(kAcquire);
  if (record.options.deadline != takt_rt::kForever) {
    sample.deadline = record.options.deadline;
  }
  sample.rule = record.rule;
  return sample;
}

std::vector<CallbackFigures> ExecutorWatch::callbacks(Time now)
{
  find_isolated();
  std::vector<CallbackFigures> all;
  const std::lock_guard lock(mutex_);
  for (CallbackRecord * const one : callbacks_there()) {
    CallbackRecord & record = *one;
    CallbackFigures & figures = all.emplace_back();
    figures.exceptions = record.exceptions.load(kAcquire);
    figures.consecutive_misses = record.misses.consecutive();
    figures.most_consecutive_misses = record.misses.most_consecutive();
    figures.sample = sample_of(record, now);
    raise_to(record.most_waiting, figures.sample.waiting);
    figures.most_waiting = record.most_waiting.load(kRelaxedFigure);
    const takt_core::Callback & callback = *record.callback;
    figures.priority = watched_.executor->scheduler_of(callback).priority(callback);
    figures.effective_priority = std::min(figures.priority + callback.raised(), 255);
    figures.arrival_rate = record.arrival_rate;
    figures.service_rate = record.service_rate;
    for (const auto & [name, chain] : chains_) {
      const auto & path = chain->options.path;
      if (!chain->removed && std::count(path.begin(), path.end(), record.chain_id) != 0) {
        figures.chains.push_back(name);
      }
    }
  }
  return all;
}

std::vector<ChainFigures> ExecutorWatch::chains()
{
  std::vector<ChainFigures> all;
  const std::lock_guard lock(mutex_);
  for (const auto & [name, record] : chains_) {
    if (!record->removed) {
      ChainFigures & figures = all.emplace_back();
      // Copy the distribution before the counts: so it has at most as many values as there were
      // activations.
      if (record->responses != nullptr) {
        figures.responses = std::make_unique<takt_core::Distribution>();
        add(
          is_from_arrival(*record) ? *record->from_arrival : *record->responses, *record,
          *figures.responses);
      }
      figures.sample = sample_of(*record);
      figures.path = record->options.path;
      figures.priority = record->options.priority;
      figures.consecutive_misses = record->misses.consecutive();
      figures.most_consecutive_misses = record->misses.most_consecutive();
    }
  }
  return all;
}

std::vector<ChainResponses> ExecutorWatch::chain_responses() const
{
  const std::lock_guard lock(mutex_);
  std::vector<ChainRecord *> measured;
  for (const auto & [name, record] : chains_) {
    if (record->responses != nullptr) {
      measured.push_back(record.get());
    }
  }
  std::sort(measured.begin(), measured.end(), [](const auto * a, const auto * b) {
    return a->order < b->order;
  });
  std::vector<ChainResponses> all;
  for (ChainRecord * const record : measured) {
    ChainResponses & one = all.emplace_back();
    one.chain = record->options;
    one.responses = std::make_unique<takt_core::Distribution>();
    add(*record->responses, *record, *one.responses);
    if (record->while_off != nullptr) {
      add(*record->while_off, *record, *one.responses);
    }
    const std::lock_guard own(record->mutex);
    one.late = record->late;
  }
  return all;
}

}  // namespace takt_watch
