#include "cores.hpp"

#include <algorithm>

namespace job_oracle
{

int Cores::add(int core, int priority)
{
  threads_.push_back({core, priority});
  return static_cast<int>(threads_.size()) - 1;
}

void Cores::wake(int thread)
{
  if (!at(thread).busy) {
    at(thread).busy = true;
    queue_of(thread).push_back(thread);
  }
}

void Cores::sleep(int thread)
{
  at(thread).busy = false;
  std::vector<int> & queue = queue_of(thread);
  queue.erase(std::find(queue.begin(), queue.end(), thread));
}

void Cores::set_priority(int thread, int priority)
{
  const int before = at(thread).priority;
  at(thread).priority = priority;
  if (!at(thread).busy || priority == before) {
    return;
  }
  std::vector<int> & queue = queue_of(thread);
  queue.erase(std::find(queue.begin(), queue.end(), thread));
  queue.insert(priority > before ? queue.end() : queue.begin(), thread);
}

bool Cores::done(int core) const
{
  const int thread = running(core);
  return thread != kNone && at(thread).switching == 0 && at(thread).left == 0;
}

bool Cores::choose(int core)
{
  Core & of = cores_[static_cast<std::size_t>(core)];
  int best = kNone;
  for (const int thread : of.queue) {
    if (best == kNone || at(thread).priority > at(best).priority) {
      best = thread;
    }
  }
  if (best == of.running) {
    return false;
  }
  of.running = best;
  if (best != kNone) {
    at(best).switching = context_switch_;
  }
  return true;
}

Time Cores::next(Time now) const
{
  Time first = kNever;
  for (const Core & core : cores_) {
    if (core.running != kNone) {
      const Thread & thread = at(core.running);
      first = std::min(first, now + thread.switching + thread.left);
    }
  }
  return first;
}

void Cores::pass(Time time)
{
  for (const Core & core : cores_) {
    if (core.running != kNone) {
      Thread & thread = at(core.running);
      const Time switched = std::min(time, thread.switching);
      thread.switching -= switched;
      thread.left -= time - switched;
    }
  }
}

}  // namespace job_oracle
