// Groups with logical execution time (takt_core/logical_time.hpp): messages of their runs wait for
// the end of the period.
//
// To hold a message takes as long as to publish it, and it is published once more at the border.
#include <algorithm>
#include <utility>

#include "simulation/simulation_parts.hpp"

namespace takt_plan::detail
{

using takt_rt::Duration;

namespace
{

// The publisher is a timer that runs once and is then cancelled. Its period never passes.
constexpr Duration kOnce = std::chrono::hours(24 * 365);

}  // namespace

void SimulationRun::add_borders()
{
  for (Index i = 0; i < model_.model.tasks.size(); ++i) {
    const Task & task = model_.model.tasks[i];
    if (!model_.model.has_logical_time(task)) {
      continue;
    }
    auto border = std::make_unique<Border>();
    border->timer = i;
    border->host = callbacks_[i]->host;
    border->late = *model_.model.groups[task.group].logical_time;
    callbacks_[i]->border = border.get();
    takt_core::CallbackOptions options;
    options.id = "/takt:timer(let_" + std::to_string(i) + ")";
    options.kind = takt_core::Kind::timer;
    options.of_client_library = true;
    options.timer.emplace();
    options.timer->period = kOnce;
    options.timer->autostart = false;
    border->publisher = std::make_shared<SimulatedCallback>(std::move(options), i);
    border->publisher->host = border->host;
    border->publisher->border = border.get();
    border->publisher->publisher = true;
    takt_core::Binding urgent;  // as the executor's
    for (const Index thread : task.threads) {
      urgent.threads |= takt_core::ThreadMask{1} << threads_[thread].index;
    }
    urgent.priority = 255;
    urgent.deadline = Duration(1);
    const takt_rt::Status added = border->host->scheduler->add(border->publisher, urgent);
    faults_.insert(faults_.end(), added.faults().begin(), added.faults().end());
    borders_.push_back(std::move(border));
  }
}

// Before a run of such a group takes its inputs: at a border, outputs come before inputs.
void SimulationRun::begin_period(Thread & thread)
{
  thread.more = 0;
  Border * const border = static_cast<const SimulatedCallback &>(*thread.run.callback).border;
  if (border == nullptr) {
    return;
  }
  const Ns release = takt_rt::to_ns(thread.run.release);
  thread.more = publish_due(*thread.host, release);
  border->due = release + model_.model.tasks[border->timer].release->period;
}

// False: the thread's run publishes at once.
bool SimulationRun::hold(Thread & thread)
{
  const takt_core::Run & run = thread.taker ? thread.taker->run : thread.run;
  Border * const border = static_cast<const SimulatedCallback &>(*run.callback).border;
  if (border == nullptr) {
    return false;
  }
  const bool publishes = thread.task == border->timer ||
                         model_.model.tasks[thread.task].publish > 0 ||
                         !graph_.outputs(thread.task).empty();
  if (!publishes) {
    return true;
  }
  border->held.push_back({border->due, thread.task, thread.load, thread.run.activations});
  border->held.back().load.passed_source = border->due;
  return true;
}

// The run of the group's timer has ended.
void SimulationRun::end_period(Thread & thread)
{
  Border * const border = static_cast<const SimulatedCallback &>(*thread.run.callback).border;
  if (border == nullptr) {
    return;
  }
  const bool late = now_ >= border->due;
  result_.tasks[border->timer].late_runs += late ? 1 : 0;
  for (Border::Held & held : border->held) {
    if (!late) {
      border->waits.push_back(std::move(held));
    } else if (border->late == takt_core::LateOutputs::publish) {
      publish(held.task, held.load, held.activations, now_);
    }
  }
  border->held.clear();
  arm(*border);
}

void SimulationRun::arm(Border & border)
{
  if (border.waits.empty() || border.next <= border.waits.front().due) {
    return;
  }
  border.next = border.waits.front().due;
  border.host->scheduler->resume_timer(
    *border.publisher, takt_rt::from_ns(border.next), takt_rt::from_ns(now_));
}

bool SimulationRun::start_border(Thread & thread)
{
  const SimulatedTask & timer =
    model_.tasks[static_cast<const SimulatedCallback &>(*thread.run.callback).task];
  thread.host->scheduler->taken(thread.run);
  thread.task = static_cast<const SimulatedCallback &>(*thread.run.callback).task;
  thread.load = Load{};
  thread.load.works = false;
  thread.state = Thread::State::job;
  thread.own_priority = thread.priority;
  thread.inputs_left = false;
  thread.stage = 0;
  thread.until = now_;
  thread.stages = {timer.dispatch, 0, 0, cost_of_due(*thread.host, now_)};
  thread.left = 0;
  begin_stage(thread);
  return true;
}

void SimulationRun::end_border(Thread & thread)
{
  takt_core::Scheduler & scheduler = *thread.host->scheduler;
  Border & border = *static_cast<const SimulatedCallback &>(*thread.run.callback).border;
  publish_due(*thread.host, thread.until);
  scheduler.cancel_timer(*border.publisher);
  border.next = kUnbounded;
  arm(border);
  scheduler.complete(thread.run);
}

// Publishes all messages of the executor that are due, and returns how long that takes.
Ns SimulationRun::publish_due(const Host & host, Ns until)
{
  const Ns cost = cost_of_due(host, until);
  for (;;) {
    Border * first = nullptr;
    for (const auto & border : borders_) {
      const bool due =
        border->host == &host && !border->waits.empty() && border->waits.front().due <= until;
      if (due && (first == nullptr || border->waits.front().due < first->waits.front().due)) {
        first = border.get();
      }
    }
    if (first == nullptr) {
      return cost;
    }
    const Border::Held held = std::move(first->waits.front());
    first->waits.erase(first->waits.begin());
    publish(held.task, held.load, held.activations, held.due);
  }
}

Ns SimulationRun::cost_of_due(const Host & host, Ns until) const
{
  Ns cost = 0;
  for (const auto & border : borders_) {
    for (const Border::Held & held : border->waits) {
      cost += border->host == &host && held.due <= until ? model_.tasks[held.task].publish : 0;
    }
  }
  return cost;
}

// The thread wakes for borders as late as for the releases of their timers.
Ns SimulationRun::late_border(const Thread & thread, Ns first)
{
  for (const auto & border : borders_) {
    if (
      border->next != kUnbounded && border->next >= thread.wake_at && border->next < first &&
      serves(thread, *border->publisher)) {
      first = std::min(first, border->next + jitter(border->timer, border->next));
    }
  }
  return first;
}

}  // namespace takt_plan::detail
