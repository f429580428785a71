// What the executors' threads do: ready queues, groups, runs.
#include <algorithm>
#include <utility>

#include "simulation.hpp"

namespace job_oracle
{

bool Simulation::reentrant(const Task & of) const
{
  return of.group != kNone && !model_.groups[static_cast<std::size_t>(of.group)];
}

/// Whether the next run of `one` goes before that of `other`.
bool Simulation::before(int one, int other)
{
  const auto key = [&](int index) {
    const Thread & thread = model_.threads[static_cast<std::size_t>(task(index).threads.front())];
    const Job & job = waiting(index).messages.front().job;
    return std::tuple(
      thread.by_priority ? -task(index).priority : 0,
      job.of_source && task(index).source->timer ? job.nominal : job.release);
  };
  return key(one) < key(other);
}

/// There is something to run for the task.
void Simulation::offer(int index)
{
  Waiting & of = waiting(index);
  const Task & task_of = task(index);
  if (of.state != State::none || of.messages.empty()) {
    return;
  }
  if (reentrant(task_of) ? of.taking : of.running > 0) {
    return;
  }
  if (task_of.group == kNone || reentrant(task_of)) {
    enqueue(index);
    return;
  }
  int & holder = holder_[static_cast<std::size_t>(task_of.group)];
  if (holder == kNone) {
    holder = index;
    enqueue(index);
  } else if (waiting(holder).state == State::queued && before(index, holder)) {
    waiting(holder).state = State::parked;
    holder = index;
    enqueue(index);
  } else {
    of.state = State::parked;
  }
}

void Simulation::enqueue(int index)
{
  waiting(index).state = State::queued;
  wake_for(index);
}

/// Wakes the most urgent thread that sleeps and may run the task.
void Simulation::wake_for(int index)
{
  int best = kNone;
  int equals = 0;
  for (const int thread : task(index).threads) {
    if (run_of(thread).phase != Phase::sleeps) {
      continue;
    }
    const auto priority = [&](int of) {
      return model_.threads[static_cast<std::size_t>(of)].priority;
    };
    if (best == kNone || priority(thread) > priority(best)) {
      best = thread;
      equals = 1;
    } else if (priority(thread) == priority(best) && situation_.chance().one_in(++equals)) {
      best = thread;
    }
  }
  if (best != kNone) {
    run_of(best).phase = Phase::looks;
    cores_.set_left(best, 0);
    cores_.wake(best);
  }
}

/// A thread that has taken work wakes the next one if there is more.
void Simulation::pass_on()
{
  int best = kNone;
  for (int index = 0; index < static_cast<int>(waiting_.size()); ++index) {
    const bool may = waiting(index).state == State::queued &&
                     std::any_of(
                       task(index).threads.begin(), task(index).threads.end(),
                       [&](int thread) { return run_of(thread).phase == Phase::sleeps; });
    if (may && (best == kNone || before(index, best))) {
      best = index;
    }
  }
  if (best != kNone) {
    wake_for(best);
  }
}

void Simulation::look(int thread)
{
  int best = kNone;
  int equals = 0;
  for (int index = 0; index < static_cast<int>(waiting_.size()); ++index) {
    const std::vector<int> & threads = task(index).threads;
    if (
      waiting(index).state != State::queued ||
      std::find(threads.begin(), threads.end(), thread) == threads.end()) {
      continue;
    }
    if (best == kNone || before(index, best)) {
      best = index;
      equals = 1;
    } else if (!before(best, index) && situation_.chance().one_in(++equals)) {
      best = index;  // ready at the same instant
    }
  }
  if (best == kNone) {
    run_of(thread).phase = Phase::sleeps;
    cores_.sleep(thread);
    return;
  }
  begin(thread, best);
  pass_on();
}

void Simulation::begin(int thread, int index)
{
  Waiting & of = waiting(index);
  Run & run = run_of(thread);
  run.message = std::move(of.messages.front());
  of.messages.pop_front();
  of.state = State::none;
  of.taking = true;
  ++of.running;
  if (run.message.job.of_source) {
    of.expired = false;
    of.started = now_;
  }
  run.phase = Phase::dispatches;
  cores_.set_left(thread, task(index).dispatch);
}

/// The run has its message.
void Simulation::take(Run & run)
{
  const int index = run.message.job.task;
  const Task & of = task(index);
  Waiting & state = waiting(index);
  state.taking = false;
  run.publishes = true;
  run.passes = run.message.job.source;
  if (of.join == Join::newest && !run.message.job.of_source) {
    const Job job = run.message.job;
    state.kept[static_cast<std::size_t>(run.message.topic)] = std::move(run.message);
    run.message = {};
    run.message.job = job;
    run.publishes = std::all_of(
      state.kept.begin(), state.kept.end(), [](const auto & kept) { return kept.has_value(); });
    run.message.job.part = run.publishes ? Part::works : Part::keeps;
    for (std::size_t topic = 0; run.publishes && topic < state.kept.size(); ++topic) {
      std::optional<Message> & kept = state.kept[topic];
      run.passes = std::max(run.passes, kept->job.source);
      run.message.tokens.insert(run.message.tokens.end(), kept->tokens.begin(), kept->tokens.end());
      kept.reset();
    }
  }
  const Time time = run.publishes ? situation_.execution(of) : 0;
  run.before = situation_.before_publishing(time);
  run.after = time - run.before;
  if (reentrant(of)) {
    offer(index);
  }
}

/// The thread's phase is over.
void Simulation::step(int thread)
{
  Run & run = run_of(thread);
  const Thread & of = model_.threads[static_cast<std::size_t>(thread)];
  const auto go_on = [&](Phase phase, Time left) {
    run.phase = phase;
    cores_.set_left(thread, left);
    const bool raised = phase == Phase::takes || phase == Phase::publishes;
    // Where there is nothing to do at the ceiling, the thread does not go there.
    cores_.set_priority(
      thread, raised && left > 0 ? std::max(of.priority, of.ceiling) : of.priority);
  };
  switch (run.phase) {
    case Phase::sleeps:
      return;
    case Phase::looks:
      look(thread);
      return;
    case Phase::dispatches:
      go_on(Phase::takes, task(run.message.job.task).take);
      return;
    case Phase::takes:
      take(run);
      go_on(Phase::works, run.before);
      return;
    case Phase::works:
      go_on(Phase::publishes, run.publishes ? task(run.message.job.task).publish : 0);
      return;
    case Phase::publishes:
      if (run.publishes) {
        send(run.message, run.passes);
      }
      go_on(Phase::goes_on, run.after);
      return;
    case Phase::goes_on:
      finish(thread);
  }
}

void Simulation::finish(int thread)
{
  Run & run = run_of(thread);
  const Message message = std::move(run.message);
  run.phase = Phase::looks;
  cores_.set_left(thread, 0);
  watcher_.on_end(message.job, now_);
  for (const Token & token : message.tokens) {
    if (token.place + 1 == model_.chains[static_cast<std::size_t>(token.chain)].path.size()) {
      watcher_.on_chain_end(token.chain, token.release, now_);
    }
  }
  --waiting(message.job.task).running;
  leave(message.job.task);
}

/// The group goes to the best of those that wait for it.
void Simulation::leave(int index)
{
  const Task & of = task(index);
  if (of.group == kNone || reentrant(of)) {
    offer(index);
    return;
  }
  if (!waiting(index).messages.empty()) {
    waiting(index).state = State::parked;
  }
  int best = kNone;
  for (int one = 0; one < static_cast<int>(waiting_.size()); ++one) {
    const bool waits = task(one).group == of.group && waiting(one).state == State::parked;
    if (waits && (best == kNone || before(one, best))) {
      best = one;
    }
  }
  holder_[static_cast<std::size_t>(of.group)] = best;
  if (best != kNone) {
    enqueue(best);
  }
}

}  // namespace job_oracle
