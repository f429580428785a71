// Runs of non-triggering callbacks within the run of their taker (takt_core/non_triggering.hpp),
// and runs of sets of messages (Condition::spread in takt_core/condition.hpp), as executor threads
// do them.
#include <utility>

#include "simulation/simulation_parts.hpp"

namespace takt_plan::detail
{

// Makes the next input of the taker the thread's job; false if none is left. A message that the
// taker leaves out is taken and does no work.
bool SimulationRun::next_input(Thread & thread)
{
  takt_core::Scheduler & scheduler = *thread.host->scheduler;
  const takt_rt::Time now = takt_rt::from_ns(now_);
  if (!thread.inputs_begun) {
    thread.inputs_begun = true;
    scheduler.begin_inputs(thread.run);
  }
  takt_core::Run run;
  while (scheduler.next_input(thread.run, now, run)) {
    Load load;
    const Index task = static_cast<const SimulatedCallback &>(*run.callback).task;
    if (!graph_.take(task, takt_rt::to_ns(run.release), load)) {
      scheduler.complete_input(thread.run, run);
      continue;
    }
    scheduler.taken(run);
    if (run.leaves_out) {
      scheduler.left_out(run);
      load.works = false;
    }
    if (run.leaves_out || stopped_) {
      load.progress.clear();  // a source that has stopped would have started a taker earlier
    }
    for (const Progress & progress : load.progress) {
      result_.chains[graph_.chain(progress.step)].released += graph_.begins(progress.step) ? 1 : 0;
    }
    thread.taker.emplace(
      Thread::Taker{std::move(thread.run), std::move(thread.load), thread.task, thread.stages});
    thread.run = std::move(run);
    thread.load = std::move(load);
    set_up_job(thread);
    return true;
  }
  thread.inputs_left = false;
  thread.run.start = now;
  return false;
}

// An input has ended: the job is that of its taker again, whose message is taken. More urgent
// threads may have run meanwhile.
void SimulationRun::go_on_with_taker(Thread & thread)
{
  thread.run = std::move(thread.taker->run);
  thread.load = std::move(thread.taker->load);
  thread.task = thread.taker->task;
  thread.stages = thread.taker->stages;
  thread.stage = Thread::kWork;
  thread.calls = 0;
  thread.slept = false;
  thread.taker.reset();
  thread.state = Thread::State::job;
  thread.left = 0;
  begin_stage(thread);
}

// The thread's run took a message that waits for its set. A model has no header stamps: the stamp
// is the release of the source that led to the message, as in a graph whose callbacks pass on the
// stamp of the sensor.
void SimulationRun::keep(Thread & thread)
{
  thread.run.stamp = takt_rt::from_ns(thread.load.source);
  kept_[static_cast<const SimulatedCallback &>(*thread.run.callback).task] = thread.load;
  thread.load.works = false;
  thread.load.progress.clear();  // the chains go on when the set is complete
}

// Makes the next callback of the set the thread's job; false if none is left. Then the run that
// took the last message ends.
bool SimulationRun::next_of_set(Thread & thread)
{
  takt_core::Scheduler & scheduler = *thread.host->scheduler;
  takt_core::Run run;
  while (scheduler.next_of_set(*thread.set, takt_rt::from_ns(now_), run)) {
    const Index task = static_cast<const SimulatedCallback &>(*run.callback).task;
    if (run.leaves_out) {
      scheduler.left_out(run);
      ++result_.tasks[task].left_out;
      scheduler.complete_of_set(*thread.set, run);
      continue;
    }
    thread.run = std::move(run);
    thread.load = std::move(kept_[task]);
    for (const Progress & progress : thread.load.progress) {
      result_.chains[graph_.chain(progress.step)].released += graph_.begins(progress.step) ? 1 : 0;
    }
    thread.state = Thread::State::job;
    thread.inputs_left = thread.run.callback->takes_inputs();
    thread.inputs_begun = false;
    set_up_job(thread);
    thread.stages[0] = thread.stages[1] = 0;  // its message is taken
    thread.left = 0;
    begin_stage(thread);
    return true;
  }
  scheduler.complete(*thread.set);
  thread.set.reset();
  return false;
}

}  // namespace takt_plan::detail
