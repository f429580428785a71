// The hooks on executor threads and on threads that publish; real-time safe.
#include "executor_watch.hpp"

#include <algorithm>
#include <mutex>

#include "kernel/own_thread.hpp"

namespace takt_watch
{
namespace
{

using takt_core::Callback;
using takt_core::Run;
using takt_rt::Duration;
using takt_rt::Time;

constexpr auto kRelaxed = std::memory_order_relaxed;

// The release order puts this count after the callback's own counts. A reader that reads this count
// first sees own counts at least as new.
void count(std::atomic<std::uint64_t> & counter) noexcept
{
  counter.fetch_add(1, std::memory_order_release);
}

void note_waiting(CallbackRecord & record, const Callback & callback, std::uint32_t more) noexcept
{
  const takt_core::MessageCounts messages = callback.message_counts();
  raise_to(
    record.most_waiting,
    static_cast<std::uint32_t>(std::min<std::uint64_t>(messages.waiting + more, messages.history)));
}

Time after(Time time, std::int64_t limit) noexcept
{
  return takt_rt::add_saturated(time, Duration(limit));
}

// Counts the end of a run for a chain whose root is not in this process. Each run of the last
// callback is an activation, and its response counts from the arrival of its message. Call it with
// the mutexes of the callback's and the chain's record held.
void count_from_arrival(ChainRecord & chain, const Run & run, Time end) noexcept
{
  const Duration response = end - run.release;
  raise_to(chain.longest, std::int64_t{response.count()});
  if (chain.deadline != takt_rt::kForever) {
    chain.misses.record(response > chain.deadline);
  }
  if (chain.from_arrival != nullptr) {
    chain.from_arrival->record(response);
  }
  count(chain.activations);
}

// Counts the end of a run for a chain that ends with its callback. Call it with the mutex of the
// callback's record held.
void count_end(ChainRecord & chain, const Run & run, Time end, const RootIds & roots) noexcept
{
  const std::lock_guard lock(chain.mutex);
  bool for_others = true;
  for (const takt_core::Activation & activation : run.activations) {
    if (roots.find(activation.root) != chain.root) {
      continue;
    }
    for_others = false;
    if (!chain.ends_first(activation, end, chain.responses.get())) {
      continue;
    }
    const Duration response = end - activation.release;
    raise_to(chain.longest, std::int64_t{response.count()});
    if (chain.open.ended(activation.release)) {
      continue;  // its miss was counted when it became overdue
    }
    count(chain.activations);
    if (chain.deadline != takt_rt::kForever) {
      chain.misses.record(response > chain.deadline);
    }
  }
  if (for_others && !chain.root->here()) {
    count_from_arrival(chain, run, end);
  } else if (for_others) {
    chain.open.ended_for_others();
  }
}

// True if the run's own callback began one of the run's activations.
bool is_of_root(const Run & run) noexcept
{
  return std::any_of(run.activations.begin(), run.activations.end(), [&](const auto & one) {
    return one.root == run.callback->number();
  });
}

}  // namespace

takt_core::ObserverInterest ExecutorWatch::interest() const noexcept
{
  takt_core::ObserverInterest interest;
  interest.arrivals = true;  // rules limit ages, and a message may begin a chain
  return interest;
}

bool ExecutorWatch::watches() const noexcept
{
  return common_.on.load(kRelaxed) || measures_chains_.load(kRelaxed);
}

void ExecutorWatch::on_arrival(const Callback & callback, std::uint32_t count, Time now) noexcept
{
  if (!common_.on.load(kRelaxed)) {
    return;
  }
  Root * const root = common_.roots.find(callback.number());
  if (root != nullptr && root->followed() && callback.kind() != takt_core::Kind::timer) {
    const takt_core::ActivationSet * const carried = takt_core::current_activations();
    if ((carried == nullptr || carried->empty()) && common_.spins(*watched_.executor)) {
      root->released(now, count);
      common_.wake_up.by(root->first_deadline(now));
    }
  }
  CallbackRecord * const record = by_number_.find(callback.number());
  const std::int64_t age = record == nullptr ? kNoLimit : record->age.load(kRelaxed);
  if (age != kNoLimit) {
    note_waiting(*record, callback, count);
    common_.wake_up.by(after(now, age));
  }
}

void ExecutorWatch::on_picked(const Run & run) noexcept
{
  if (!common_.on.load(kRelaxed)) {
    return;
  }
  ThreadSlot * const slot = slots_by_number_.find(run.thread);
  if (slot == nullptr || statistics() == nullptr) {
    return;  // another executor with the same callbacks is watched now
  }
  if (slot->visitor) {
    slot->tid.store(own_thread(), kRelaxed);
  }
  CallbackRecord * const record = by_number_.find(run.callback->number());
  slot->record = record;
  slot->started = false;
  slot->begin(run.callback->number(), run.start);
  const std::int64_t stall = record == nullptr ? kNoLimit : record->stall.load(kRelaxed);
  if (stall != kNoLimit) {
    common_.wake_up.by(after(run.start, stall));
  }
}

void ExecutorWatch::on_start(const Run & run, Time) noexcept
{
  if (!common_.on.load(kRelaxed)) {
    return;
  }
  ThreadSlot * const slot = slot_of(run);
  if (slot == nullptr || slot->record == nullptr) {
    return;
  }
  slot->started = true;
  count(slot->record->starts);
  if (run.callback->kind() == takt_core::Kind::timer) {
    Root * const root = common_.roots.find(run.callback->number());
    if (root != nullptr && root->followed()) {
      root->released(run.release, 1);
      common_.wake_up.by(root->first_deadline(run.release));  // usually planned already: see `due`
    }
  } else {
    note_waiting(*slot->record, *run.callback, 1);  // 1: the message that the run has taken
  }
}

void ExecutorWatch::on_end(const Run & run, Time end) noexcept
{
  ThreadSlot * const slot = common_.on.load(kRelaxed) ? slot_of(run) : nullptr;
  if (slot == nullptr) {  // the watch is off, or the run began before it was on
    if (measures_chains_.load(kRelaxed)) {
      end_while_off(run, end);
    }
    return;
  }
  slot->end();
  CallbackRecord * const record = slot->record;
  if (record == nullptr) {
    return;
  }
  const std::int64_t execution = (end - run.start).count();
  record->busy.fetch_add(execution, kRelaxed);
  if (execution > record->budget.load(kRelaxed)) {
    raise_to(record->longest_overrun, execution);
    count(record->overruns);
  }
  {
    const std::lock_guard lock(record->mutex);
    // The numbers differ if the callback was forgotten.
    if (record->number.load(kRelaxed) == run.callback->number()) {
      if (run.deadline != takt_rt::kNever) {
        record->misses.record(end > run.deadline);
      }
      for (ChainRecord * const chain : record->ends) {
        count_end(*chain, run, end, common_.roots);
      }
    }
  }
  statistics_.load(kRelaxed)->on_end(run, end);
}

// Records the responses of chains that end with this run and are measured while the switch is off.
void ExecutorWatch::end_while_off(const Run & run, Time end) const noexcept
{
  CallbackRecord * const record = by_number_.find(run.callback->number());
  if (record == nullptr) {
    return;
  }
  const std::lock_guard lock(record->mutex);
  if (record->number.load(kRelaxed) != run.callback->number()) {
    return;  // the callback was forgotten
  }
  for (ChainRecord * const chain : record->ends) {
    const std::lock_guard own(chain->mutex);
    for (const takt_core::Activation & activation : run.activations) {
      if (common_.roots.find(activation.root) == chain->root) {
        chain->ends_first(activation, end, chain->while_off.get());
      }
    }
  }
}

void ExecutorWatch::on_empty_take(const Run & run) noexcept
{
  if (!common_.on.load(kRelaxed)) {
    return;
  }
  ThreadSlot * const slot = slot_of(run);
  if (slot == nullptr) {
    return;
  }
  slot->end();
  Root * const root = common_.roots.find(run.callback->number());
  if (root != nullptr && root->followed() && is_of_root(run)) {
    root->withdrawn(run.release);
  }
  if (slot->record != nullptr) {
    count(slot->record->empty_takes);
    statistics_.load(kRelaxed)->on_empty_take(run);
  }
}

void ExecutorWatch::on_exception(const Run & run, const std::exception_ptr & exception) noexcept
{
  if (!common_.on.load(kRelaxed)) {
    return;
  }
  ThreadSlot * const slot = slot_of(run);
  if (slot == nullptr) {
    return;
  }
  if (!slot->started) {
    slot->end();  // the take threw, and on_end does not follow
  }
  if (slot->record != nullptr) {
    count(slot->record->exceptions);
    statistics_.load(kRelaxed)->on_exception(run, exception);
  }
}

}  // namespace takt_watch
