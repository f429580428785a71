#include "situation.hpp"

#include <algorithm>

namespace job_oracle
{

Situation::Situation(const Model & model, int number)
: chance_(model.seed * 1000 + static_cast<std::uint64_t>(number))
{
  chance_.next();
  any_core_ = number > 0 && number % 2 == 0;
  if (number == 1) {
    any_order_ = true;
    publish_any_time_ = !model.publishes_at_end;
  } else if (number > 1) {
    times_ = static_cast<Times>(chance_.between(0, 4));
    under_way_ = static_cast<UnderWay>(chance_.between(0, 2));
    publish_any_time_ = chance_.one_in(2) && !model.publishes_at_end;
    any_order_ = chance_.one_in(2);
  }
  for (int process = 0; process < model.processes; ++process) {
    starts_.push_back(chance_.between(0, model.starts_within));
  }
  for (const Task & task : model.tasks) {
    jitters_.push_back(task.source ? task.source->jitter : 0);
    late_.push_back(
      number == 0   ? Late::never
      : number == 1 ? Late::at_first
                    : static_cast<Late>(chance_.between(0, 3)));
  }
  for (const Other & other : model.others) {
    others_.push_back(number == 0 ? 0 : chance_.between(0, other.period - 1));
  }
  draw_firsts(model, number == 0 || (number > 1 && chance_.one_in(3)));
}

void Situation::draw_firsts(const Model & model, bool together)
{
  for (const Task & task : model.tasks) {
    Time first = 0;
    if (task.source) {
      const Source & source = *task.source;
      // Together: at one instant, but some have just begun.
      const Time phase = together ? 10 - (chance_.one_in(3) ? chance_.between(1, 10) : 0)
                                  : chance_.between(0, source.period - 1);
      first = source.offset.value_or(phase);
      // What is sent from outside begins at a moment of its own.
      const Time start = source.timer ? starts_[static_cast<std::size_t>(task.process)]
                                      : chance_.between(0, model.starts_within);
      if (start > first) {
        first += (start - first + source.period - 1) / source.period * source.period;
      }
    }
    firsts_.push_back(first);
  }
}

Time Situation::late(int task, bool is_first)
{
  const Time most = jitters_[static_cast<std::size_t>(task)];
  switch (late_[static_cast<std::size_t>(task)]) {
    case Late::never:
      return 0;
    case Late::always:
      return most;
    case Late::at_first:
      return is_first || chance_.one_in(8) ? most : 0;
    case Late::any:
      break;
  }
  return chance_.between(0, most);
}

Time Situation::execution(const Task & task)
{
  switch (times_) {
    case Times::worst:
      return task.time;
    case Times::any:
      return chance_.between(task.best, task.time);
    case Times::worst_or_best:
      return chance_.one_in(2) ? task.best : task.time;
    case Times::rarely_best:
      return chance_.one_in(8) ? task.best : task.time;
    case Times::rarely_worst:
      break;
  }
  return chance_.one_in(8) ? task.time : task.best;
}

Time Situation::before_publishing(Time execution)
{
  return publish_any_time_ && chance_.one_in(2) ? chance_.between(0, execution) : execution;
}

Time Situation::under_way(const Link & link)
{
  switch (under_way_) {
    case UnderWay::longest:
      return link.delay;
    case UnderWay::never:
      return 0;
    case UnderWay::any:
      break;
  }
  return chance_.between(0, link.delay);
}

}  // namespace job_oracle
