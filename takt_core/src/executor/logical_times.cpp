#include "executor/logical_times.hpp"

#include <algorithm>
#include <cassert>
#include <mutex>
#include <string>
#include <utility>

#include "takt_core/group.hpp"
#include "takt_core/scheduler.hpp"

namespace takt_core
{

using takt_rt::now;

namespace
{

// The period of a publisher, which is a timer. The timer runs once, and is then cancelled until a
// run has outputs, so the period never passes.
constexpr Duration kOnce = std::chrono::hours(24 * 365);

void count(std::atomic<std::uint64_t> & what, std::uint64_t more = 1) noexcept
{
  what.fetch_add(more, std::memory_order_relaxed);
}

}  // namespace

constinit thread_local Time LogicalTimes::s_border = kNever;
constinit thread_local LogicalTime * LogicalTime::s_current = nullptr;

void LogicalTime::List::push(HeldOutput & output) noexcept
{
  output.next_ = nullptr;
  (last == nullptr ? first : last->next_) = &output;
  last = &output;
}

void LogicalTime::List::insert(HeldOutput & output) noexcept
{
  if (last == nullptr || last->due_ <= output.due_) {
    push(output);
    return;
  }
  HeldOutput ** place = &first;
  while ((*place)->due_ <= output.due_) {
    place = &(*place)->next_;
  }
  output.next_ = *place;
  *place = &output;
}

HeldOutput * LogicalTime::List::pop() noexcept
{
  HeldOutput * const output = first;
  if (output != nullptr) {
    first = output->next_;
    last = first == nullptr ? nullptr : last;
  }
  return output;
}

LogicalTime::~LogicalTime()
{
  for (List * const list : {&held_, &due_}) {
    while (HeldOutput * const output = list->pop()) {
      output->release();
    }
  }
}

void LogicalTime::hold(HeldOutput & output) noexcept
{
  output.due_ = border_;
  output.activations_.clear();
  if (const ActivationSet * const activations = current_activations()) {
    output.activations_ = *activations;
  }
  held_.push(output);
}

LogicalTimeCounts LogicalTime::counts() const noexcept
{
  return {
    runs_.load(std::memory_order_relaxed), late_runs_.load(std::memory_order_relaxed),
    published_.load(std::memory_order_relaxed), dropped_.load(std::memory_order_relaxed)};
}

/// Publishes the outputs of a border if no run of a group with logical execution time does so
/// first.
class LogicalTimes::Publisher final : public Callback
{
public:
  Publisher(
    CallbackOptions options, LogicalTimes & all, std::shared_ptr<LogicalTime> group,
    Scheduler & scheduler)
  : Callback(std::move(options)),
    all_(all),
    group_(std::move(group)),
    scheduler_(scheduler)
  {
  }

  void run(const Run &) override
  {
    all_.publish_due(now());
    const std::lock_guard lock(all_.mutex_);
    scheduler_.cancel_timer(*this);
    group_->next_ = kNever;
    arm(*group_);
  }

  Scheduler & scheduler() const noexcept { return scheduler_; }

private:
  LogicalTimes & all_;
  const std::shared_ptr<LogicalTime> group_;
  Scheduler & scheduler_;
};

void LogicalTimes::clear() noexcept
{
  for (LogicalTime * const group : groups_) {
    for (LogicalTime::List * const list : {&group->held_, &group->due_}) {
      while (HeldOutput * const output = list->pop()) {
        count(group->dropped_);
        output->release();
      }
    }
    group->timer_ = nullptr;
    group->publisher_ = nullptr;
  }
  groups_.clear();
}

std::shared_ptr<Callback> LogicalTimes::attach(
  const std::shared_ptr<LogicalTime> & group, Callback & timer, Scheduler & scheduler)
{
  CallbackOptions options;
  options.id = "/takt:timer(let_" + std::to_string(timer.number()) + ")";
  options.kind = Kind::timer;
  options.timer.emplace();
  options.timer->period = kOnce;
  options.timer->autostart = false;
  options.of_client_library = true;
  auto publisher = std::make_shared<Publisher>(std::move(options), *this, group, scheduler);
  const std::lock_guard lock(mutex_);
  group->timer_ = &timer;
  group->publisher_ = publisher;
  groups_.push_back(group.get());
  return publisher;
}

LogicalTimes::Left LogicalTimes::detach(LogicalTime & group)
{
  Left left;
  const std::lock_guard lock(mutex_);
  while (HeldOutput * const output = group.due_.pop()) {
    publish(group, *output, false);
    left.outputs.push(*output);
  }
  std::erase(groups_, &group);
  group.timer_ = nullptr;
  group.next_ = kNever;
  left.publisher = std::move(group.publisher_);
  return left;
}

// Makes the publisher run at the earliest border. With the mutex held.
void LogicalTimes::arm(LogicalTime & group) noexcept
{
  if (
    group.publisher_ == nullptr || group.due_.first == nullptr ||
    group.next_ <= group.due_.first->due_) {
    return;
  }
  auto & publisher = static_cast<Publisher &>(*group.publisher_);
  if (group.next_ != kNever) {
    publisher.scheduler().cancel_timer(publisher);
  }
  group.next_ = group.due_.first->due_;
  publisher.scheduler().resume_timer(publisher, group.next_, now());
}

const Callback * LogicalTimes::timer_of(const LogicalTime & group) const
{
  const std::lock_guard lock(mutex_);
  return group.timer_;
}

Callback * LogicalTimes::publisher_of(const Callback & timer) const
{
  const std::lock_guard lock(mutex_);
  for (const LogicalTime * const group : groups_) {
    if (group->timer_ == &timer) {
      return group->publisher_.get();
    }
  }
  return nullptr;
}

// Publishes an output, which arrives at its border if `at_border`, else now. With the mutex held.
void LogicalTimes::publish(LogicalTime & group, HeldOutput & output, bool at_border) noexcept
{
  const Time border = std::exchange(s_border, at_border ? output.due_ : kNever);
  {
    const LogicalTimeScope hidden;  // hides the logical time of a callback that removes its timer
    const ActivationScope scope(output.activations_);
    output.publish();
  }
  s_border = border;
  count(group.published_);
}

void LogicalTimes::release(LogicalTime::List & outputs) noexcept
{
  while (HeldOutput * const output = outputs.pop()) {
    output->release();
  }
}

// Takes the output with the earliest border; null: no output is due. With the mutex held.
HeldOutput * LogicalTimes::pop_due(Time until, LogicalTime *& of) noexcept
{
  assert(mutex_.held());
  of = nullptr;
  for (LogicalTime * const group : groups_) {
    const HeldOutput * const first = group->due_.first;
    if (
      first != nullptr && first->due_ <= until &&
      (of == nullptr || first->due_ < of->due_.first->due_)) {
      of = group;
    }
  }
  return of == nullptr ? nullptr : of->due_.pop();
}

void LogicalTimes::publish_due(Time until) noexcept
{
  LogicalTime::List done;
  {
    const std::lock_guard lock(mutex_);
    LogicalTime * group = nullptr;
    while (HeldOutput * const output = pop_due(until, group)) {
      publish(*group, *output, true);
      done.push(*output);
    }
  }
  release(done);
}

// Queues the run's outputs for their border. Publishes or drops the outputs of a late run.
void LogicalTimes::end_run(LogicalTime & group) noexcept
{
  LogicalTime::List done;
  {
    const std::lock_guard lock(mutex_);
    // Read the time with the mutex held: a run that begins at this border gets the mutex only after
    // these outputs are queued.
    const bool late = now() >= group.border_;
    count(group.runs_);
    count(group.late_runs_, late ? 1 : 0);
    const bool waits = !late && group.publisher_ != nullptr;
    while (HeldOutput * const output = group.held_.pop()) {
      if (waits) {
        group.due_.insert(*output);
        continue;
      }
      if (late && group.late_ == LateOutputs::drop) {
        count(group.dropped_);
      } else {
        publish(group, *output, false);
      }
      done.push(*output);
    }
    arm(group);
  }
  release(done);
}

LogicalTimeScope::LogicalTimeScope(
  LogicalTimes & all, LogicalTime & group, const Run & run, Duration period) noexcept
: previous_(LogicalTime::s_current),
  all_(&all),
  group_(&group)
{
  LogicalTime::s_current = nullptr;
  all.publish_due(run.release);
  group.border_ = takt_rt::add_saturated(run.release, period);
  LogicalTime::s_current = &group;
}

LogicalTimeScope::~LogicalTimeScope()
{
  LogicalTime::s_current = nullptr;
  if (group_ != nullptr) {
    all_->end_run(*group_);
  }
  LogicalTime::s_current = previous_;
}

}  // namespace takt_core
