#include "takt_plan/kernel_model.hpp"

#include <algorithm>
#include <cmath>

namespace takt_plan
{
namespace
{

constexpr int kDeadlineRank = 1000;

/// The virtual time of a thread of this weight after it has run for `time`.
double virtual_span(Ns time, double weight)
{
  return static_cast<double>(time) * 1024 / weight;
}

bool share_a_core(const KernelThread & a, const KernelThread & b)
{
  return std::any_of(a.cores.begin(), a.cores.end(), [&](Index core) {
    return std::find(b.cores.begin(), b.cores.end(), core) != b.cores.end();
  });
}

}  // namespace

double fair_weight(int nice)
{
  return 1024 * std::pow(1.25, -nice);
}

KernelModel::KernelModel(Index cores, KernelOptions options, Ns start)
: options_(options),
  now_(start),
  running_(cores, kNone),
  next_(cores, kNone)
{
}

Index KernelModel::add(KernelThread given)
{
  Thread thread;
  rank(thread, given.policy, given.priority);
  thread.left = given.policy == KernelPolicy::rr ? options_.rr_quantum : 0;
  timed_ = timed_ || given.policy != KernelPolicy::fifo;
  thread.given = std::move(given);
  threads_.push_back(std::move(thread));
  queue_.reserve(threads_.size());
  throttled_.reserve(threads_.size());
  return threads_.size() - 1;
}

void KernelModel::rank(Thread & thread, KernelPolicy policy, int priority) const noexcept
{
  thread.policy = policy;
  thread.rank = policy == KernelPolicy::deadline ? kDeadlineRank
                : policy == KernelPolicy::fair   ? 0
                                                 : priority;
}

// Compares two runnable threads.
bool KernelModel::before(Index a, Index b) const noexcept
{
  const Thread & x = threads_[a];
  const Thread & y = threads_[b];
  if (x.rank != y.rank) {
    return x.rank > y.rank;
  }
  if (x.policy == KernelPolicy::deadline && x.deadline != y.deadline) {
    return x.deadline < y.deadline;
  }
  if (x.policy == KernelPolicy::fair) {
    // A slice that has begun is compared before virtual time, which changes while the thread runs.
    const bool x_slice = x.left > 0;
    const bool y_slice = y.left > 0;
    if (x_slice != y_slice) {
      return x_slice;
    }
    if (!x_slice && (x.virtual_time < y.virtual_time || y.virtual_time < x.virtual_time)) {
      return x.virtual_time < y.virtual_time;
    }
  }
  return x.position < y.position;
}

void KernelModel::enqueue(Index thread)
{
  const auto place =
    std::find_if(queue_.begin(), queue_.end(), [&](Index other) { return before(thread, other); });
  queue_.insert(place, thread);
  changed_ = true;
}

void KernelModel::dequeue(Index thread)
{
  queue_.erase(std::find(queue_.begin(), queue_.end(), thread));
  changed_ = true;
}

void KernelModel::wake(Index thread)
{
  Thread & woken = threads_[thread];
  if (woken.state != State::blocked) {
    return;
  }
  woken.state = State::runnable;
  woken.position = ++tail_;
  switch (woken.given.policy) {
    case KernelPolicy::deadline:
      start_server(woken);
      break;
    case KernelPolicy::fair:
      catch_up(thread);
      break;
    case KernelPolicy::rr:
      woken.left = options_.rr_quantum;
      break;
    case KernelPolicy::fifo:
      break;
  }
  if (woken.state == State::throttled) {
    throttled_.push_back(thread);
    return;
  }
  enqueue(thread);
}

// The rule of constant bandwidth servers at a wake-up. If the deadline is before the end of the
// period, it has Linux's form: the budget shrinks to the part that its density allows, and after
// the deadline the thread waits for the next period.
void KernelModel::start_server(Thread & thread)
{
  const KernelThread & given = thread.given;
  const Ns next_period = thread.deadline - given.deadline + given.period;
  if (!thread.served || now_ >= next_period) {
    thread.served = true;
    thread.deadline = now_ + given.deadline;
    thread.left = given.runtime;
    return;
  }
  if (now_ >= thread.deadline) {
    thread.state = State::throttled;
    thread.refill = next_period;
    return;
  }
  const double density = static_cast<double>(given.runtime) / static_cast<double>(given.deadline);
  const Ns allowed = static_cast<Ns>(density * static_cast<double>(thread.deadline - now_));
  if (given.deadline < given.period) {
    thread.left = std::min(thread.left, allowed);
    if (thread.left <= 0) {
      thread.state = State::throttled;
      thread.refill = next_period;
    }
  } else if (thread.left > allowed) {
    thread.deadline = now_ + given.deadline;
    thread.left = given.runtime;
  } else if (thread.left <= 0) {
    thread.state = State::throttled;
    thread.refill = next_period;
  }
}

// A thread that slept does not save virtual time, and does not pay for earlier time alone on a
// core.
void KernelModel::catch_up(Index thread)
{
  Thread & woken = threads_[thread];
  bool any = false;
  double least = 0;
  for (Index i = 0; i < threads_.size(); ++i) {
    const Thread & other = threads_[i];
    if (
      i != thread && other.state == State::runnable && other.given.policy == KernelPolicy::fair &&
      share_a_core(woken.given, other.given)) {
      least = any ? std::min(least, other.virtual_time) : other.virtual_time;
      any = true;
    }
  }
  if (any) {
    woken.virtual_time = std::clamp(
      woken.virtual_time, least, least + virtual_span(options_.fair_slice, woken.given.weight));
  }
  woken.left = 0;
}

void KernelModel::block(Index thread)
{
  Thread & blocked = threads_[thread];
  if (blocked.state == State::runnable) {
    dequeue(thread);
  } else if (blocked.state == State::throttled) {
    throttled_.erase(std::find(throttled_.begin(), throttled_.end(), thread));
  }
  blocked.state = State::blocked;
}

void KernelModel::set_priority(Index thread, KernelPolicy policy, int priority)
{
  Thread & changed = threads_[thread];
  const int was = changed.rank;
  rank(changed, policy, priority);
  if (changed.rank == was) {
    return;
  }
  changed.position = changed.rank > was ? ++tail_ : --head_;
  if (changed.state == State::runnable) {
    dequeue(thread);
    enqueue(thread);
  }
}

Index KernelModel::choose_core(const Thread & thread) const noexcept
{
  Index best = kNone;
  for (const Index core : thread.given.cores) {
    if (next_[core] != kNone) {
      continue;  // a more urgent thread has this core
    }
    const Index there = running_[core];
    if (there == kNone || threads_[there].state != State::runnable) {
      return core;
    }
    if (best == kNone || before(running_[best], there)) {
      best = core;
    }
  }
  return best;
}

bool KernelModel::settle()
{
  if (timed_) {
    expire();
  }
  if (!changed_) {
    return false;
  }
  changed_ = false;
  std::fill(next_.begin(), next_.end(), kNone);
  Index free = next_.size();
  for (const Index thread : queue_) {
    if (free == 0) {
      break;
    }
    const Thread & candidate = threads_[thread];
    const Index core = candidate.core != kNone && next_[candidate.core] == kNone
                         ? candidate.core
                         : choose_core(candidate);
    if (core != kNone) {
      next_[core] = thread;
      --free;
    }
  }
  bool moved = false;
  for (Index core = 0; core < running_.size(); ++core) {
    const Index left = running_[core];
    if (left != kNone && left != next_[core] && threads_[left].core == core) {
      threads_[left].core = kNone;
    }
  }
  for (Index core = 0; core < running_.size(); ++core) {
    if (next_[core] == running_[core]) {
      continue;
    }
    moved = true;
    running_[core] = next_[core];
    if (next_[core] != kNone) {
      Thread & placed = threads_[next_[core]];
      placed.core = core;
      ++placed.switches;
    }
  }
  if (timed_) {
    begin_slices();
  }
  return moved;
}

void KernelModel::begin_slices()
{
  for (const Index thread : running_) {
    if (thread == kNone) {
      continue;
    }
    Thread & running = threads_[thread];
    if (running.policy == KernelPolicy::fair && running.left <= 0) {
      dequeue(thread);
      running.left = options_.fair_slice;
      enqueue(thread);
    }
  }
  changed_ = false;  // all of them run already
}

// True if a waiting thread would run if `thread` went behind it.
bool KernelModel::contended(Index thread) const noexcept
{
  const Thread & running = threads_[thread];
  return std::any_of(queue_.begin(), queue_.end(), [&](Index other) {
    const Thread & waits = threads_[other];
    return waits.core == kNone && waits.rank == running.rank &&
           std::find(waits.given.cores.begin(), waits.given.cores.end(), running.core) !=
             waits.given.cores.end();
  });
}

Ns KernelModel::next_change() const noexcept
{
  if (!timed_) {
    return kUnbounded;
  }
  Ns next = kUnbounded;
  for (const Index thread : running_) {
    if (thread == kNone) {
      continue;
    }
    const Thread & running = threads_[thread];
    const bool ends = running.policy == KernelPolicy::deadline ||
                      (running.policy != KernelPolicy::fifo && contended(thread));
    if (ends) {
      next = std::min(next, now_ + std::max<Ns>(running.left, 0));
    }
  }
  for (const Index thread : throttled_) {
    next = std::min(next, threads_[thread].refill);
  }
  return next;
}

void KernelModel::advance(Ns to)
{
  const Ns passed = to - now_;
  now_ = to;
  if (!timed_ || passed == 0) {
    return;
  }
  for (const Index thread : running_) {
    if (thread == kNone) {
      continue;
    }
    Thread & running = threads_[thread];
    running.left -= running.policy == KernelPolicy::fifo ? 0 : passed;
    if (running.policy == KernelPolicy::fair) {
      running.virtual_time += virtual_span(passed, running.given.weight);
    }
  }
}

void KernelModel::throttle(Index thread)
{
  Thread & spent = threads_[thread];
  dequeue(thread);
  spent.state = State::throttled;
  spent.refill = spent.deadline - spent.given.deadline + spent.given.period;
  throttled_.push_back(thread);
}

// Handles the ends of quanta, slices and budgets, and new periods, up to now.
void KernelModel::expire()
{
  for (const Index thread : running_) {
    if (thread == kNone) {
      continue;
    }
    Thread & running = threads_[thread];
    if (
      running.state != State::runnable || running.policy == KernelPolicy::fifo ||
      running.left > 0) {
      continue;
    }
    if (running.policy == KernelPolicy::deadline) {
      throttle(thread);
      continue;
    }
    dequeue(thread);
    if (running.policy == KernelPolicy::rr) {
      running.left = options_.rr_quantum;
      running.position = contended(thread) ? ++tail_ : running.position;
    }
    enqueue(thread);
  }
  for (Index i = 0; i < throttled_.size();) {
    const Index thread = throttled_[i];
    Thread & waits = threads_[thread];
    if (waits.refill > now_) {
      ++i;
      continue;
    }
    throttled_.erase(throttled_.begin() + static_cast<std::ptrdiff_t>(i));
    waits.state = State::runnable;
    waits.deadline = waits.refill + waits.given.deadline;
    waits.left = waits.given.runtime;
    enqueue(thread);
  }
}

}  // namespace takt_plan
