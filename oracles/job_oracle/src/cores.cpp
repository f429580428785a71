#include "cores.hpp"

#include <algorithm>
#include <utility>

namespace job_oracle
{

int Cores::add(std::vector<int> cores, int priority)
{
  threads_.emplace_back();
  threads_.back().cores = std::move(cores);
  threads_.back().priority = priority;
  return static_cast<int>(threads_.size()) - 1;
}

void Cores::wake(int thread)
{
  if (!at(thread).busy) {
    at(thread).busy = true;
    queue_.push_back(thread);
  }
}

void Cores::sleep(int thread)
{
  at(thread).busy = false;
  queue_.erase(std::find(queue_.begin(), queue_.end(), thread));
}

void Cores::set_priority(int thread, int priority)
{
  const int before = at(thread).priority;
  at(thread).priority = priority;
  if (!at(thread).busy || priority == before) {
    return;
  }
  queue_.erase(std::find(queue_.begin(), queue_.end(), thread));
  queue_.insert(priority > before ? queue_.end() : queue_.begin(), thread);
}

bool Cores::done(int core) const
{
  const int thread = running(core);
  return thread != kNone && at(thread).switching == 0 && at(thread).left == 0;
}

/// A core for the thread, of those that no more urgent one has in `next`; kNone: there is none.
int Cores::place_for(int thread, const std::vector<int> & next)
{
  const auto free = [&](int core) { return next[static_cast<std::size_t>(core)] == kNone; };
  if (at(thread).core != kNone && free(at(thread).core)) {
    return at(thread).core;
  }
  // An idle one, or where the least urgent thread is; in some runs any of them.
  const auto urgency = [&](int core) {
    const int there = running(core);
    return there == kNone || !at(there).busy ? -1 : at(there).priority;
  };
  int best = kNone;
  int equals = 0;
  for (const int core : at(thread).cores) {
    if (!free(core)) {
      continue;
    }
    if (best == kNone || (!situation_.any_core() && urgency(core) < urgency(best))) {
      best = core;
      equals = 1;
    } else if (situation_.any_core() || urgency(core) == urgency(best)) {
      best = situation_.chance().one_in(++equals) ? core : best;
    }
  }
  return best;
}

bool Cores::choose()
{
  std::vector<int> order = queue_;
  std::stable_sort(
    order.begin(), order.end(), [&](int a, int b) { return at(a).priority > at(b).priority; });
  std::vector<int> next(running_.size(), kNone);
  for (const int thread : order) {
    const int core = place_for(thread, next);
    if (core != kNone) {
      next[static_cast<std::size_t>(core)] = thread;
    }
  }
  bool changed = false;
  for (std::size_t core = 0; core < running_.size(); ++core) {
    const int before = running_[core];
    if (next[core] == before) {
      continue;
    }
    changed = true;
    if (before != kNone && at(before).core == static_cast<int>(core)) {
      at(before).core = kNone;
    }
    running_[core] = next[core];
  }
  for (std::size_t core = 0; core < running_.size(); ++core) {
    const int thread = running_[core];
    if (thread != kNone && at(thread).core != static_cast<int>(core)) {
      at(thread).core = static_cast<int>(core);
      at(thread).switching = context_switch_;
    }
  }
  return changed;
}

Time Cores::next(Time now) const
{
  Time first = kNever;
  for (const int running : running_) {
    if (running != kNone) {
      const Thread & thread = at(running);
      first = std::min(first, now + thread.switching + thread.left);
    }
  }
  return first;
}

void Cores::pass(Time time)
{
  for (const int running : running_) {
    if (running != kNone) {
      Thread & thread = at(running);
      const Time switched = std::min(time, thread.switching);
      thread.switching -= switched;
      thread.left -= time - switched;
    }
  }
}

}  // namespace job_oracle
