// Releases and messages of a run, and their records.
#include <algorithm>

#include "simulation/simulation_parts.hpp"
#include "takt_core/sequence.hpp"
#include "takt_core/wake_deferral.hpp"

namespace takt_plan::detail
{

using takt_core::ActivationScope;
using takt_core::ActivationSet;

void SimulationRun::plan_release(Event::Kind kind, Index to, Ns nominal, Ns time)
{
  if (nominal < options_.duration) {
    Event event;
    event.time = time;
    event.sequence = ++sequence_;
    event.kind = kind;
    event.to = to;
    event.nominal = nominal;
    events_.push(event);
  }
}

// The delay of the release with this nominal time.
Ns SimulationRun::jitter(Index task, Ns nominal)
{
  const Ns most = model_.model.tasks[task].release->jitter;
  Ns time = nominal;
  if (most > 0 && offsets_.jitter == Offsets::Jitter::any) {
    time += draw_.between(0, 1) == 0 ? 0 : draw_.between(0, most);
  } else if (offsets_.jitter == Offsets::Jitter::first && nominal == offsets_.tasks[task]) {
    time += most;
  }
  last_release_[task] = std::max(last_release_[task], time);
  return last_release_[task] - nominal;
}

void SimulationRun::arrive(const Event & event)
{
  switch (event.kind) {
    case Event::Kind::outside: {
      release_outside(event.to, event.nominal);
      const Ns next = event.nominal + model_.model.tasks[event.to].release->period;
      plan_release(event.kind, event.to, next, next + jitter(event.to, next));
      break;
    }
    case Event::Kind::other: {
      Thread & thread = threads_[event.to];
      ++thread.pending;
      thread.woken = true;
      const OtherLoad & other = model_.model.others[event.to - model_.model.threads.size()];
      plan_release(
        event.kind, event.to, event.nominal + other.period, event.nominal + other.period);
      break;
    }
    case Event::Kind::message: {
      const Output output{event.to, event.topic, 0, event.reads, false, false, 0};
      free_places_.push_back(event.load);
      deliver(output, under_way_[event.load], {}, now_);
      break;
    }
    case Event::Kind::wake:
      answer(threads_[event.to]);
      break;
  }
}

void SimulationRun::release_outside(Index task, Ns nominal)
{
  graph_.receive_outside(task, nominal);
  announce(task, {}, now_);
}

void SimulationRun::announce(Index task, const ActivationSet & works_for, Ns arrived)
{
  SimulatedCallback & callback = *callbacks_[task];
  const ActivationScope scope(works_for);
  callback.host->scheduler->ready(callback, 1, takt_rt::from_ns(arrived));
}

void SimulationRun::deliver(
  const Output & output, const Load & load, const ActivationSet & works_for, Ns arrived)
{
  if (output.reads) {
    graph_.keep(output.to, output.topic, load, arrived);
  } else if (
    const ActivationSet * announced = graph_.receive(output.to, output.topic, load, works_for)) {
    announce(output.to, *announced, arrived);
  }
}

void SimulationRun::send(const Output & output, const Load & load, Ns time)
{
  Event event;
  event.time = time;
  event.sequence = ++sequence_;
  event.kind = Event::Kind::message;
  event.to = output.to;
  event.topic = output.topic;
  event.reads = output.reads;
  if (free_places_.empty()) {
    free_places_.push_back(under_way_.size());
    under_way_.emplace_back();
  }
  event.load = free_places_.back();
  free_places_.pop_back();
  under_way_[event.load] = load;
  events_.push(event);
}

// `arrived`: when messages that are not under way arrive for the scheduler.
void SimulationRun::publish(
  Index task, const Load & load, const ActivationSet & activations, Ns arrived)
{
  static const ActivationSet kUnknown;
  for (Output & output : graph_.outputs(task)) {
    graph_.pass(load, output, message_);
    const Ns under_way = output.delay == 0                        ? 0
                         : options_.execution == Execution::worst ? output.delay
                         : options_.execution == Execution::best  ? 0
                                                                  : draw_.between(0, output.delay);
    output.last = std::max(output.last, now_ + under_way);
    if (output.last > now_) {
      send(output, message_, output.last);
    } else {
      // A message from another process does not carry activations.
      deliver(output, message_, output.same_executor ? activations : kUnknown, arrived);
    }
  }
}

void SimulationRun::end_job(Thread & thread)
{
  if (thread.publishes) {
    end_border(thread);
    return;
  }
  takt_core::Scheduler & scheduler = *thread.host->scheduler;
  if (thread.keeps) {
    thread.keeps = false;
    scheduler.keep_for_set(thread.run);  // a simulation removes no callback
    thread.set = thread.run;
    return;
  }
  {
    std::optional<takt_core::WakeDeferral> deferral;
    if (thread.run.callback->publishes_last() && !thread.follow) {
      deferral.emplace(scheduler, thread.index);
    }
    const takt_core::SequenceScope sequence(scheduler, thread.run, !thread.follow);
    if (thread.load.works && !hold(thread)) {
      publish(thread.task, thread.load, thread.run.activations, now_);
    }
  }
  if (thread.run.leaves_out) {
    ++result_.tasks[thread.task].left_out;
  } else {
    note_end(thread);
  }
  if (thread.taker) {
    scheduler.complete_input(thread.taker->run, thread.run);
  } else if (thread.set) {
    scheduler.complete_of_set(*thread.set, thread.run);
  } else {
    end_period(thread);
    scheduler.complete(thread.run);
  }
  if (thread.load.caller != kNone) {
    answer(threads_[thread.load.caller]);
  }
}

void SimulationRun::sleep_in_run(Thread & thread, Ns time)
{
  Event event;
  event.time = now_ + time;
  event.sequence = ++sequence_;
  event.kind = Event::Kind::wake;
  event.to = static_cast<Index>(&thread - threads_.data());
  events_.push(event);
}

// Sends the next request of the thread's run. Its delay includes that of the answer (Link::delay).
void SimulationRun::call(Thread & thread)
{
  static const ActivationSet kUnknown;
  const Output & output = graph_.calls(thread.task)[thread.calls++];
  graph_.pass(thread.load, output, message_);
  message_.caller = static_cast<Index>(&thread - threads_.data());
  const Ns under_way = output.delay == 0                        ? 0
                       : options_.execution == Execution::worst ? output.delay
                       : options_.execution == Execution::best  ? 0
                                                                : draw_.between(0, output.delay);
  if (under_way > 0) {
    send(output, message_, now_ + under_way);
  } else {
    deliver(output, message_, kUnknown, now_);
  }
}

// A run for which this thread's run waited has ended, or the sleep of the run is over. Sends the
// next request, or wakes the thread.
void SimulationRun::answer(Thread & caller)
{
  if (caller.calls < graph_.calls(caller.task).size()) {
    call(caller);
    return;
  }
  caller.state = Thread::State::job;
  caller.left = 0;
  caller.kernel->wake(caller.number);
}

void SimulationRun::note(Responses & responses, Response response, Ns deadline)
{
  ++responses.count;
  responses.sum += static_cast<double>(response.time());
  responses.missed += response.time() > deadline ? 1 : 0;
  if (response.time() > responses.worst.time()) {
    responses.worst = response;
  }
}

void SimulationRun::note_end(Thread & thread)
{
  ++result_.jobs;
  const Ns release = takt_rt::to_ns(thread.run.release);
  TaskResult & task = result_.tasks[thread.task];
  note(task.responses, {number_, release, now_}, model_.tasks[thread.task].deadline);
  task.from_source = std::max(task.from_source, now_ - thread.load.source);
  if (observer_ != nullptr) {
    observer_->on_end(
      static_cast<Index>(&thread - threads_.data()), thread.task, release,
      takt_rt::to_ns(thread.run.start), now_);
  }
  for (const Progress & progress : thread.load.progress) {
    if (graph_.ends(progress.step)) {
      const Index chain = graph_.chain(progress.step);
      note(
        result_.chains[chain].responses, {number_, progress.release, now_},
        model_.model.chains[chain].deadline);
      if (observer_ != nullptr) {
        observer_->on_chain_end(chain, progress.release, now_);
      }
    }
  }
}

void SimulationRun::conclude()
{
  ++result_.runs;
  result_.simulated += std::max<Ns>(now_, 0);
  for (Index i = 0; i < result_.tasks.size(); ++i) {
    const MessageCounts counts = graph_.counts(i);
    TaskResult & task = result_.tasks[i];
    task.received += counts.received;
    task.taken += counts.taken;
    task.overwritten += counts.overwritten;
    task.waiting += counts.waiting;
  }
}

Ns SimulationRun::sleep_time(Index task)
{
  const Ns most = model_.model.tasks[task].sleep;
  switch (options_.execution) {
    case Execution::worst:
      return most;
    case Execution::best:
      return 0;
    case Execution::histogram:
    case Execution::uniform:
      break;
  }
  return most == 0 ? 0 : draw_.between(0, most);
}

Ns SimulationRun::execution_time(Index task)
{
  const Ns worst = model_.model.tasks[task].time;
  const SimulatedTask & simulated = model_.tasks[task];
  if (options_.execution_time) {
    return std::clamp<Ns>(options_.execution_time(task, begun_[task]++), 0, worst);
  }
  switch (options_.execution) {
    case Execution::worst:
      return worst;
    case Execution::best:
      return simulated.best;
    case Execution::histogram:
      if (!simulated.histogram.empty()) {
        const auto & sums = cumulated_[task];
        const auto drawn =
          static_cast<std::uint64_t>(draw_.between(1, static_cast<Ns>(sums.back())));
        const auto found = std::lower_bound(sums.begin(), sums.end(), drawn);
        return simulated.histogram[static_cast<Index>(found - sums.begin())].first;
      }
      [[fallthrough]];
    case Execution::uniform:
      break;
  }
  return draw_.between(simulated.best, worst);
}

}  // namespace takt_plan::detail
