#include "model/streams.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace takt_plan::detail
{

bool joins(const Task & task)
{
  return task.all && std::any_of(task.triggers.begin(), task.triggers.end(), [&](const Link & l) {
           return l.topic != task.triggers.front().topic;
         });
}

std::string too_many_ways(const std::string & whom)
{
  return whom + " is started in more than " + std::to_string(Streams::kMostPerTask) +
         " ways, the most that this analysis tells apart: give the topics that start it fewer "
         "publishers";
}

Streams::Streams(const Model & model, const std::vector<Index> & order)
: of_(model.tasks.size()),
  complete_(model.tasks.size()),
  set_of_(model.tasks.size(), kNone),
  too_many_(model.tasks.size()),
  waits_(model.tasks.size()),
  may_part_(model.tasks.size()),
  runs_(model.tasks.size()),
  works_(model.tasks.size())
{
  for (const Index index : order) {
    const Task & task = model.tasks[index];
    count_runs(model, index);
    if (task.release) {
      add(
        {index,
         index,
         task.release->period,
         {},
         all_.size(),
         task.executor,
         kNone,
         task.timer,
         std::max(model.first_release(index), task.release->offset.value_or(0)),
         task.leaves_grid});
    }
    if (joins(task) && !task.release && add_joined(model, index)) {
      continue;
    }
    waits_[index] = joins(task);
    for (Index link = 0; link < task.triggers.size(); ++link) {
      const Index from = task.triggers[link].from;
      too_many_[index] |= too_many_[from];
      for (const Index stream : after(from)) {
        if (of_[index].size() == kMostPerTask) {
          too_many_[index] = true;
        } else {
          Stream next = all_[stream];
          next.task = index;
          next.from = {{stream, link}};
          next.executor = next.executor == task.executor ? task.executor : kNone;
          next.timer = next.timer && !waits_[from];
          add(std::move(next));
        }
      }
    }
    if (too_many_[index]) {
      of_[index].clear();
    } else if (task.newest) {
      add_set(model, index);
    }
  }
}

Index Streams::add(Stream stream)
{
  of_[stream.task].push_back(all_.size());
  all_.push_back(std::move(stream));
  return all_.size() - 1;
}

/// Joins the ways of one release that part and meet again in one process: each release takes all of
/// them once or none of them, so the task runs once per release. False if the ways are not of this
/// kind.
bool Streams::add_joined(const Model & model, Index index)
{
  const Task & task = model.tasks[index];
  Stream joined;
  joined.task = index;
  joined.executor = task.executor;
  for (Index link = 0; link < task.triggers.size(); ++link) {
    const Index from = task.triggers[link].from;
    const bool topic_again = std::any_of(
      task.triggers.begin(), task.triggers.begin() + link,
      [&](const Link & before) { return before.topic == task.triggers[link].topic; });
    if (topic_again || after(from).size() != 1 || waits_[from]) {
      return false;
    }
    const Stream & stream = all_[after(from).front()];
    if (link > 0 && (joined.source != stream.source || joined.set != stream.set)) {
      return false;
    }
    joined.source = stream.source;
    joined.period = stream.period;
    joined.root = stream.root;
    joined.executor = stream.executor == task.executor ? joined.executor : kNone;
    joined.set = stream.set;
    joined.timer = stream.timer;
    joined.first = stream.first;
    joined.leaves_grid = stream.leaves_grid;
    joined.curved = stream.curved;
    joined.from.push_back({after(from).front(), link});
  }
  may_part_[index] = !meet_in_one_process(model, joined);
  if (may_part_[index]) {
    return false;
  }
  add(std::move(joined));
  return true;
}

/// True if all ways come from one run of the join's own process, and stay in that process after the
/// run.
bool Streams::meet_in_one_process(const Model & model, const Stream & joined) const
{
  const Index executor = model.tasks[joined.task].executor;
  std::vector<Index> common = in_process(joined.from.front().stream, executor, model);
  for (const Stream::From & from : joined.from) {
    const std::vector<Index> way = in_process(from.stream, executor, model);
    common.erase(
      std::remove_if(
        common.begin(), common.end(),
        [&](Index stream) { return std::find(way.begin(), way.end(), stream) == way.end(); }),
      common.end());
  }
  return !common.empty();
}

/// The stream and the streams before it, back to the entry into the process. A join before it was
/// checked earlier.
std::vector<Index> Streams::in_process(Index stream, Index executor, const Model & model) const
{
  std::vector<Index> way;
  while (model.tasks[all_[stream].task].executor == executor) {
    way.push_back(stream);
    if (all_[stream].from.empty() || all_[stream].set == stream) {
      break;
    }
    stream = all_[stream].from.front().stream;
  }
  return way;
}

void Streams::add_set(const Model & model, Index index)
{
  const Task & task = model.tasks[index];
  MessageSet set;
  set.task = index;
  for (const Link & link : task.triggers) {
    set.topics.resize(std::max(set.topics.size(), link.topic + 1));
  }
  for (const Index stream : of_[index]) {
    set.topics[task.triggers[all_[stream].from.front().link].topic].push_back(stream);
  }
  const auto rate_of = [&](const std::vector<Index> & topic) {
    double sum = 0;
    for (const Index stream : topic) {
      sum += 1 / static_cast<double>(all_[stream].period);
    }
    return sum;
  };
  for (Index topic = 1; topic < set.topics.size(); ++topic) {
    if (rate_of(set.topics[topic]) < rate_of(set.topics[set.slowest])) {
      set.slowest = topic;
    }
  }
  compare_periods(model, set);
  std::size_t in_sight = 0;
  for (const Index stream : of_[index]) {
    const Index before = all_[stream].set;
    in_sight += before == kNone ? 1 : in_sight_[set_of_[all_[before].task]];
  }
  in_sight_.push_back(std::min(in_sight, kMostInSight + 1));
  for (const Index input : set.topics[set.slowest]) {
    Stream complete = all_[input];
    complete.from.clear();
    for (const Index stream : of_[index]) {
      complete.from.push_back({stream, all_[stream].from.front().link});
    }
    complete.set = all_.size();
    for (const Index stream : of_[index]) {
      complete.executor = all_[stream].executor == task.executor ? complete.executor : kNone;
    }
    complete.timer = true;  // the set's gap tells whether its topics come for ever
    complete.curved = in_sight <= kMostInSight;
    complete_[index].push_back(all_.size());
    all_.push_back(std::move(complete));
  }
  set_of_[index] = sets_.size();
  sets_.push_back(std::move(set));
}

// Decides with which messages a set may begin. Each process starts at any time, and messages for a
// process that is not running are lost. Under the epoch of a clock the process also starts again in
// this way, and its timers' first releases come in any order.
SetStart Streams::start_of(const Model & model, const MessageSet & set) const
{
  if (model.tasks[set.task].any_start) {
    return SetStart::any;
  }
  const Index executor = model.tasks[set.task].executor;
  const Index first_source = all_[set.topics.front().front()].source;
  const Task & first = model.tasks[first_source];
  // If the process starts just before a release, the first message of a timer comes a period before
  // the first border.
  const auto is_border = [&](Index task) { return model.timer_of_border(task) != kNone; };
  bool from_start = true, together = true;
  for (const auto & topic : set.topics) {
    for (const Index way : topic) {
      const Stream & stream = all_[way];
      const Task & source = model.tasks[stream.source];
      from_start = from_start && stream.executor == executor && model.counts_from_start(source);
      together = together && stream.executor == executor && stream.set == kNone &&
                 (&source == &first ||
                  (source.timer && first.timer &&
                   is_border(stream.source) == is_border(first_source) && source.release->offset &&
                   first.release->offset && *source.release->offset == *first.release->offset &&
                   stream.period == first.release->period));
    }
  }
  return from_start ? SetStart::first : together ? SetStart::together : SetStart::any;
}

// Timers are in step if they are in one process, have one period, count offsets from the start of
// the process, and have their first releases within one period. On a clock only timers that are
// always released together are in step.
void Streams::compare_periods(const Model & model, MessageSet & set) const
{
  const Stream & first_stream = all_[set.topics.front().front()];
  const Index executor = model.tasks[first_stream.source].executor;
  bool one_source = true, one_clock = true;
  std::vector<Ns> offsets;
  set.start = start_of(model, set);
  set.in_step = set.start != SetStart::any;
  for (const auto & topic : set.topics) {
    const Stream & stream = all_[topic.front()];
    const Task & source = model.tasks[stream.source];
    set.in_step = set.in_step && topic.size() == 1 && stream.period == first_stream.period &&
                  stream.set == kNone && stream.timer;
    one_source = one_source && stream.source == first_stream.source;
    one_clock = one_clock && source.executor == executor && source.release->offset;
    offsets.push_back(source.release->offset.value_or(0));
  }
  const Ns first = *std::min_element(offsets.begin(), offsets.end());
  const Ns last = *std::max_element(offsets.begin(), offsets.end());
  set.in_step = set.in_step && (one_source || one_clock) && last - first < first_stream.period;
  if (set.in_step) {
    set.slowest =
      static_cast<Index>(std::find(offsets.begin(), offsets.end(), first) - offsets.begin());
    for (const Ns offset : offsets) {
      set.behind.push_back(offset - first);
    }
  }
}

bool Streams::comes_after(Index later, Index earlier) const
{
  while (later != earlier) {
    const Stream & stream = all_[later];
    if (stream.set == later) {
      later = counted_from(later);
    } else if (stream.from.size() == 1) {
      later = stream.from.front().stream;
    } else {
      return std::any_of(stream.from.begin(), stream.from.end(), [&](const Stream::From & from) {
        return comes_after(from.stream, earlier);
      });
    }
  }
  return true;
}

double Streams::load(const Model & model, Index task) const
{
  const Task & t = model.tasks[task];
  if (set_of_[task] == kNone) {
    return runs_[task] * static_cast<double>(t.work());
  }
  return runs_[task] * static_cast<double>(t.store) +
         works_[task] * static_cast<double>(t.work() - t.store);
}

/// Counts in trigger order.
void Streams::count_runs(const Model & model, Index index)
{
  const Task & task = model.tasks[index];
  std::map<Index, double> messages;  // by topic
  double all = 0;
  for (const Link & link : task.triggers) {
    messages[link.topic] += works_[link.from];
    all += works_[link.from];
  }
  double least = 0;
  for (const auto & [topic, rate] : messages) {
    least = topic == messages.begin()->first ? rate : std::min(least, rate);
  }
  const double own = task.release ? 1 / static_cast<double>(task.release->period) : 0;
  runs_[index] = own + (joins(task) ? least : all);
  works_[index] = task.newest ? least : runs_[index];
}

}  // namespace takt_plan::detail
