#include "analysis/end_to_end/history_depth.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "analysis/inputs/check_for_analysis.hpp"
#include "analysis/jobs/job_depths.hpp"
#include "model/ways_in.hpp"
#include "takt_plan/bounds.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan
{
namespace
{

using detail::MoreChains;
using detail::Stream;
using detail::Streams;
using takt_rt::Faults;
using takt_rt::Result;
using takt_schedule::quoted;

class DepthAnalysis
{
public:
  explicit DepthAnalysis(const Model & model)
  : model_(model),
    streams_(model, in_trigger_order(model)),
    asked_(model),
    jobs_(model),
    chain_of_(streams_.all().size(), kNone)
  {
    for (Index task = 0; task < model.tasks.size(); ++task) {
      const std::vector<Index> & streams = streams_.of(task);
      for (const Index stream : streams) {
        // Otherwise the task has its own bound. The bound of a chain that ends with a set lasts
        // until the set is complete.
        if (streams.size() > 1 && !streams_.waits(task) && !model.tasks[task].newest) {
          chain_of_[stream] = asked_.add(detail::way_in(streams_, stream));
        }
      }
    }
  }

  Result<std::vector<HistoryDepth>> answers()
  {
    auto found = bounds(asked_.model());
    if (!found) {
      return found.faults();
    }
    found_ = std::move(*found);
    std::vector<HistoryDepth> result;
    for (Index task = 0; task < model_.tasks.size(); ++task) {
      if (const auto & input = model_.tasks[task].input) {
        // Only inputs of logical execution time need a depth. Messages for other inputs may always
        // be too many; their takers take the newest ones.
        for (const Index topic :
             input->by_release ? topics(model_.tasks[task]) : std::vector<Index>()) {
          result.push_back({task, topic, needed_by_release(task, topic)});
        }
        continue;
      }
      for (const Index topic : topics(model_.tasks[task])) {
        result.push_back({task, topic, needed(task, topic)});
      }
      if (model_.has_logical_time(model_.tasks[task])) {
        for (const Index topic : read_topics(model_.tasks[task])) {
          result.push_back({task, topic, needed_by_reader(task, topic)});
        }
      }
    }
    return result;
  }

private:
  static std::vector<Index> read_topics(const Task & task)
  {
    std::set<Index> of_links;
    for (const Link & link : task.reads) {
      of_links.insert(link.topic);
    }
    return {of_links.begin(), of_links.end()};
  }

  static std::vector<Index> topics(const Task & task)
  {
    if (task.input) {
      std::vector<Index> result = read_topics(task);
      if (task.input->from_outside) {
        result.push_back(kNone);
      }
      return result;
    }
    std::vector<Index> result = detail::starting_topics(task);
    if (task.release && !task.timer) {
      result.push_back(kNone);
    }
    return result;
  }

  bool comes_by(const Stream & stream, Index topic) const
  {
    if (stream.from.empty()) {
      return topic == kNone;
    }
    return std::any_of(stream.from.begin(), stream.from.end(), [&](const Stream::From & from) {
      return model_.tasks[stream.task].triggers[from.link].topic == topic;
    });
  }

  Result<Ns> needed(Index index, Index topic) const
  {
    const Task & task = model_.tasks[index];
    if (streams_.may_part(index) && topic != kNone) {
      return Faults{
        quoted(task.id) +
        " waits for one message of each of its topics, which come through several processes: one "
        "that starts later loses messages of one topic only, and those of the others wait for "
        "good, so no depth is known to be enough"};
    }
    if (streams_.waits(index) && topic != kNone) {
      return Faults{
        quoted(task.id) +
        " waits for one message of each of its topics, whose sources have nothing to do with each "
        "other: the topic with the shorter period fills its history, so no depth is enough"};
    }
    if (!found_.tasks[index]) {
      return found_.tasks[index].faults();
    }
    Ns sum = 0;
    for (const Index id : streams_.of(index)) {
      const Stream & stream = streams_.all()[id];
      if (comes_by(stream, topic)) {
        sum = add(sum, (bound_of(index, id) - task.time) / stream.period + 1);
      }
    }
    const std::optional<Ns> by_windows = jobs_.of(index, topic);
    return by_windows ? std::min(sum, *by_windows) : sum;
  }

  /// A message waits until the next release of a taker, and until that run takes it.
  Result<Ns> needed_by_release(Index index, Index topic) const
  {
    const WaitingInput & input = *model_.tasks[index].input;
    Ns longest = 0;  // from the message's arrival until it is taken
    Ns late = 0;     // from the taker's release until the message is taken
    for (const Index taker : input.takers) {
      const auto & bound = found_.tasks[taker];
      if (!bound) {
        return bound.faults();
      }
      longest = std::max(longest, add(model_.tasks[taker].release->period, *bound));
      late = std::max(late, *bound);
    }
    Result<Ns> all = arrivals(index, topic, longest);
    if (!all || input.keep == 0) {
      return all;
    }
    // The taker wants only the newest messages of those that arrived by the release.
    return std::min(*all, add(static_cast<Ns>(input.keep), *arrivals(index, topic, late)));
  }

  /// A timer with logical execution time wants the newest message that arrived by its release, and
  /// reads it within its bound.
  Result<Ns> needed_by_reader(Index index, Index topic) const
  {
    const auto & bound = found_.tasks[index];
    if (!bound) {
      return bound.faults();
    }
    const Result<Ns> later = arrivals(index, topic, *bound);
    return later ? Result<Ns>(add(1, *later)) : later;
  }

  /// The largest number of messages of a topic that the task reads, or is an input of, that arrive
  /// within `length`.
  Result<Ns> arrivals(Index index, Index topic, Ns length) const
  {
    const Task & task = model_.tasks[index];
    if (topic == kNone) {
      return Faults{
        quoted(task.id) +
        " also takes messages from outside of the model, which this analysis does not count"};
    }
    Ns sum = 0;
    for (const Link & link : task.reads) {
      if (link.topic != topic) {
        continue;
      }
      const auto & bound = found_.tasks[link.from];
      if (!bound) {
        return bound.faults();
      }
      for (const Index stream : streams_.after(link.from)) {
        const Ns apart = streams_.all()[stream].period;
        sum = add(sum, add(length, add(*bound, link.delay)) / apart + 1);
      }
    }
    return sum;
  }

  Ns bound_of(Index task, Index stream) const
  {
    const Ns longest = *found_.tasks[task];
    const Index chain = chain_of_[stream];
    return chain == kNone || !found_.chains[chain] ? longest
                                                   : std::min(longest, found_.chains[chain]->bound);
  }

  const Model & model_;
  const Streams streams_;
  MoreChains asked_;
  const detail::JobDepths jobs_;
  std::vector<Index> chain_of_;  // per stream
  Bounds found_;
};

}  // namespace

Result<std::vector<HistoryDepth>> history_depths(const Model & model)
{
  if (const takt_rt::Status status = check_for_analysis(model); !status) {
    return status.faults();
  }
  return DepthAnalysis(model).answers();
}

}  // namespace takt_plan
