// Samples the observer's counts for a look, and finds when the next look is due. Any thread; may
// block as set-up does.
#include <algorithm>
#include <mutex>

#include "executor_watch.hpp"
#include "kernel/kernel_figures.hpp"
#include "takt_rt/kernel_accounts.hpp"

namespace takt_watch
{
namespace
{

using takt_rt::Duration;
using takt_rt::Time;

constexpr auto kRelaxedLook = std::memory_order_relaxed;
// Least time between two judgements of a chain.
constexpr Duration kShortestLookGap = std::chrono::milliseconds(1);

}  // namespace

std::optional<RunningCallback> ExecutorWatch::running(const ThreadSlot & slot) const
{
  const auto current = slot.current();
  const CallbackRecord * const record = current ? by_number_.find(current->callback) : nullptr;
  if (record == nullptr) {
    return std::nullopt;
  }
  RunningCallback result{record->id, takt_rt::from_ns(current->since), std::nullopt};
  if (const std::int64_t stall = record->stall.load(kRelaxedLook); stall != kNoLimit) {
    result.stall = Duration(stall);
  }
  return result;
}

std::optional<RunningCallback> ExecutorWatch::running(std::uint32_t thread) const
{
  const std::lock_guard lock(mutex_);
  const ThreadSlot * const slot = slots_by_number_.find(thread);
  return slot == nullptr ? std::nullopt : running(*slot);
}

// Finds the threads of isolated groups. Asks the executor only if such threads were added since the
// last call.
void ExecutorWatch::find_isolated()
{
  {
    const std::lock_guard lock(mutex_);
    if (!isolated_changed_) {
      return;
    }
    isolated_changed_ = false;
  }
  std::map<std::string, std::vector<std::uint32_t>, std::less<>> found;
  for (const takt_core::ThreadState & thread : watched_.executor->threads()) {
    if (!thread.group.empty()) {
      found[thread.group].push_back(thread.number);
    }
  }
  const std::lock_guard lock(mutex_);
  isolated_ = std::move(found);
}

ExecutorSample ExecutorWatch::sample(Time now, bool window)
{
  find_isolated();
  const std::vector<pid_t> running_threads = watched_.executor->thread_ids();
  ExecutorSample result;
  result.name = watched_.name;
  std::vector<ThreadSample> threads;
  {
    const std::lock_guard lock(mutex_);
    result.on_alarm = rules_.settings.on_alarm;
    const double seconds = std::chrono::duration<double>(now - window_began_).count();
    for (CallbackRecord * const record : callbacks_there()) {
      CallbackSample sample = sample_of(*record, now);
      sample.window.missed = std::max(sample.window.missed, record->misses.take_most());
      sample.longest_overrun = Duration(record->longest_overrun.exchange(0, kRelaxedLook));
      raise_to(record->most_waiting, sample.waiting);
      if (window) {
        if (record->window_arrivals && seconds > 0) {
          const auto rate = [&](std::uint64_t from, std::uint64_t to) {
            return static_cast<double>(to - std::min(from, to)) / seconds;
          };
          record->arrival_rate = rate(*record->window_arrivals, sample.arrivals);
          record->service_rate = rate(record->window_starts, sample.starts);
        }
        record->window_arrivals = sample.arrivals;
        record->window_starts = sample.starts;
      }
      result.callbacks.push_back(std::move(sample));
    }
    for (const auto & [name, record] : chains_) {
      if (!record->removed) {
        result.chains.push_back(sample_of(*record));
        if (const auto since = record->open.silent_since()) {
          result.chains.back().silent = std::max(now - *since, Duration::zero());
        }
        MissWindow & last = result.chains.back().window;
        last.missed = std::max(last.missed, record->misses.take_most());
        result.chains.back().longest = Duration(record->longest.exchange(0, kRelaxedLook));
      }
    }
    for (const auto & slot : slots_) {
      ThreadSample thread;
      thread.number = slot->number;
      thread.name = slot->name;
      thread.tid = slot->tid.load(kRelaxedLook);
      thread.running = running(*slot);
      const bool there =
        slot->visitor
          ? thread.running.has_value()
          : thread.tid != 0 &&
              std::count(running_threads.begin(), running_threads.end(), thread.tid) != 0;
      if (there) {
        threads.push_back(std::move(thread));
      }
    }
    window_began_ = window ? now : window_began_;
  }
  const auto visitor = static_cast<std::uint32_t>(watched_.executor->options().threads.size());
  for (ThreadSample & thread : threads) {
    if (thread.number == visitor) {
      thread.name = name_of(thread.tid);
    }
    const takt_rt::CoreTimes times = takt_rt::core_times(thread.tid);
    thread.on_cpu = times.on_cpu;
    thread.run_queue_delay = times.queue_wait;
    thread.cores = cores_of(thread.tid);
  }
  result.threads = std::move(threads);
  return result;
}

// Counts overdue activations, and finds the next deadline. Call it with `mutex_` held.
void ExecutorWatch::judge_chains(Time now, Due & due)
{
  const bool spins = common_.spins(*watched_.executor);
  for (const auto & [name, one] : chains_) {
    ChainRecord & chain = *one;
    if (chain.followed == nullptr) {
      continue;
    }
    if (
      !spins || !common_.on.load(kRelaxedLook) ||
      !common_.roots.spins(*chain.followed, common_.spins)) {
      chain.open.pause();
      continue;
    }
    const auto judgement = chain.open.judge(
      now, chain.followed_deadline, common_.roots.unstarted(*chain.followed, common_.spins));
    const Time soonest = now + kShortestLookGap;
    chain.followed->not_before(soonest);
    if (judgement.next != takt_rt::kNever) {
      due.next = std::min(due.next, std::max(judgement.next, soonest));
    }
    if (judgement.overdue == 0) {
      continue;
    }
    const std::lock_guard own(chain.mutex);
    const std::uint32_t most = chain.rule.misses ? chain.rule.misses->most : 0;
    const bool exceeded = chain.misses.window().missed > most;
    for (std::uint64_t i = 0; i < judgement.overdue; ++i) {
      chain.activations.fetch_add(1, kRelaxedLook);
      chain.overdue.fetch_add(1, kRelaxedLook);
      chain.misses.record(true);
    }
    // While the limit stays exceeded, the periodic looks are enough.
    due.now = due.now || (!exceeded && chain.misses.window().missed > most);
  }
}

ExecutorWatch::Due ExecutorWatch::due(Time now)
{
  Due result;
  // Only the first crossing of a limit asks for a look. A limit that stays crossed asks for no
  // further look.
  const auto judge = [&](std::int64_t from, std::int64_t limit) {
    const Time crossing = takt_rt::add_saturated(takt_rt::from_ns(from), Duration(limit));
    if (crossing > now) {
      result.next = std::min(result.next, crossing);
    }
    return crossing <= now;
  };
  const std::lock_guard lock(mutex_);
  for (const auto & record : records_) {
    const std::int64_t age = record->age.load(kRelaxedLook);
    if (record->callback == nullptr || age == kNoLimit) {
      continue;
    }
    const Time oldest = record->callback->oldest_arrival();
    const bool too_old = oldest != takt_rt::kNever && judge(takt_rt::to_ns(oldest), age);
    result.now = result.now || (too_old && !record->too_old);
    record->too_old = too_old;
  }
  for (const auto & slot : slots_) {
    const auto current = slot->current();
    const CallbackRecord * const record = current ? by_number_.find(current->callback) : nullptr;
    const std::int64_t stall = record == nullptr ? kNoLimit : record->stall.load(kRelaxedLook);
    if (stall != kNoLimit && judge(current->since, stall) && slot->told_since != current->since) {
      result.now = true;
      slot->told_since = current->since;
    }
  }
  judge_chains(now, result);
  return result;
}

}  // namespace takt_watch
