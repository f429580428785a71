#include "analysis/inputs/conditions.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "model/printed.hpp"
#include "model/streams.hpp"
#include "takt_plan/bounds.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan
{
namespace
{

using detail::Stream;
using detail::Streams;
using takt_rt::Faults;
using takt_rt::Result;
using takt_schedule::quoted;

constexpr int kMostRounds = 50;

std::string condition_of(const Group & group)
{
  return "the condition (when) of group " + quoted(group.id);
}

bool picks_in_order(const Thread & thread)
{
  return thread.kind == ThreadClass::fixed_priority &&
         (thread.order == takt_core::Order::priority || thread.order == takt_core::Order::fifo);
}

/// The reason why the analysis does not cover the condition, whatever the times are; empty: it may
/// cover it.
std::string refuse(const Model & model, const Group & group)
{
  const takt_core::Condition & condition = *group.condition;
  if (condition.predicate) {
    return condition_of(group) + " is the program's own, which analyses do not know";
  }
  if (condition.spread) {
    return condition_of(group) +
           " waits for messages whose header stamps lie close together (spread), and a model does "
           "not say which stamps messages have; takt simulate shows the waits where stamps are "
           "those of the first callback";
  }
  if (group.inputs.empty() || group.inputs.size() < condition.count) {
    return condition_of(group) + " waits for messages of " + std::to_string(condition.count) +
           " subscriptions, and the model has " + std::to_string(group.inputs.size()) + " in it";
  }
  const std::vector<Index> & threads = model.tasks[group.inputs.front()].threads;
  for (const Index index : group.inputs) {
    const Task & task = model.tasks[index];
    const std::string name = condition_of(group) + " has " + quoted(task.id);
    if (task.input) {
      return name + ", which does not trigger; analyses need inputs that do";
    }
    if (
      task.threads != threads || threads.size() != 1 ||
      !picks_in_order(model.threads[threads.front()])) {
      return name +
             "; analyses need all its subscriptions on one thread of policy fifo or rr whose "
             "executor "
             "has order priority or fifo";
    }
    if (task.release || task.all || task.newest || task.triggers.empty()) {
      return name + ", whose messages do not all come from callbacks of the model, one by one";
    }
  }
  return {};
}

class Waits
{
public:
  Waits(Model model, const ConditionTerms & terms)
  : given_(std::move(model)),
    terms_(terms),
    streams_(given_, in_trigger_order(given_)),
    wait_(given_.tasks.size(), 0)
  {
  }

  Result<Model> find()
  {
    for (int round = 0; round < kMostRounds; ++round) {
      Model model = delayed();
      const auto found = bounds(model);
      if (!found) {
        return found.faults();
      }
      std::vector<Ns> longer = wait_;
      for (const Group & group : given_.groups) {
        if (!group.condition) {
          continue;
        }
        if (std::string why = update(group, *found, longer); !why.empty()) {
          return Faults{std::move(why)};
        }
      }
      if (longer == wait_) {
        return model;
      }
      wait_ = std::move(longer);
    }
    return Faults{
      "messages that wait for conditions (when) delay what other conditions wait for, and takt "
      "finds "
      "no bound for the waits"};
  }

private:
  /// The model with these waits and without conditions.
  Model delayed() const
  {
    Model model = given_;
    for (Group & group : model.groups) {
      for (const Index index : group.condition ? group.inputs : std::vector<Index>()) {
        Task & task = model.tasks[index];
        task.overtakes = true;
        task.condition_wait = wait_[index];
        for (Link & link : task.triggers) {
          link.delay = add(link.delay, wait_[index]);
        }
      }
      group.condition.reset();
    }
    return model;
  }

  struct Gap
  {
    Ns between = 0;  ///< P + E
    /// The same with the first release of the timer, if that comes later than after P.
    Ns first = 0;
  };

  /// The longest times between messages for an input, if each release of this stream's timer leads
  /// to one. Empty: not each release does.
  std::optional<Gap> gap_of(const Stream & stream, const Bounds & found) const
  {
    const Task & source = given_.tasks[stream.source];
    if (!source.timer || stream.set != kNone || stream.from.size() != 1) {
      return std::nullopt;
    }
    const Link & link = given_.tasks[stream.task].triggers[stream.from.front().link];
    const auto & end = found.tasks[link.from];
    const auto & own = found.tasks[stream.source];
    if (!end || !own || *own >= stream.period) {
      return std::nullopt;
    }
    for (Index at = stream.from.front().stream; !streams_.all()[at].from.empty();
         at = streams_.all()[at].from.front().stream) {
      const Task & before = given_.tasks[streams_.all()[at].task];
      if (before.all || before.newest || before.input) {
        return std::nullopt;
      }
    }
    const Ns first = given_.first_release(stream.source);
    const Ns late = terms_.late ? add(*end, link.delay) : 0;
    const Ns period = terms_.period ? stream.period : 0;
    return Gap{add(period, late), add(std::max(period, first), late)};
  }

  std::optional<Gap> shortest_gap(Index input, const Bounds & found) const
  {
    std::optional<Gap> best;
    for (const Index stream : streams_.of(input)) {
      const auto gap = gap_of(streams_.all()[stream], found);
      if (gap && (!best || gap->first < best->first)) {
        best = gap;
      }
    }
    return best;
  }

  /// Sets in `longer` the waits that follow from `found`. Returns the reason why they have no
  /// bound; empty: they have one.
  std::string update(const Group & group, const Bounds & found, std::vector<Ns> & longer) const
  {
    const takt_core::Condition & condition = *group.condition;
    std::vector<Gap> gaps;
    for (const Index input : group.inputs) {
      const auto gap = shortest_gap(input, found);
      if (!gap) {
        return condition_of(group) + " may wait for messages of " + quoted(given_.tasks[input].id) +
               " for any time: no timer of the model that ends each run within its period leads to "
               "one in each period, by callbacks that have bounds";
      }
      if (condition.fresh && Ns{condition.fresh->count()} < gap->between) {
        return condition_of(group) + " asks for messages that are younger than " +
               detail::printed(condition.fresh->count()) + ", and the newest one of " +
               quoted(given_.tasks[input].id) + " may be up to " + detail::printed(gap->between) +
               " old, so messages may wait for any time";
      }
      gaps.push_back(*gap);
    }
    const std::size_t others = (condition.count == 0 ? gaps.size() : condition.count) - 1;
    for (Index i = 0; i < gaps.size(); ++i) {
      std::vector<Ns> sorted;
      for (Index j = 0; j < gaps.size(); ++j) {
        if (j != i) {
          sorted.push_back(gaps[j].first);
        }
      }
      std::sort(sorted.begin(), sorted.end());
      const std::size_t needed = condition.fresh ? sorted.size() : others;
      Ns & wait = longer[group.inputs[i]];
      wait = std::max(wait, needed == 0 ? 0 : sorted[needed - 1]);
    }
    return {};
  }

  const Model given_;
  const ConditionTerms terms_;
  const Streams streams_;
  std::vector<Ns> wait_;  // per task
};

}  // namespace

Result<Model> with_conditions(Model model, const ConditionTerms & terms)
{
  Faults faults;
  bool any = false;
  for (const Group & group : model.groups) {
    if (group.condition) {
      any = true;
      if (std::string why = refuse(model, group); !why.empty()) {
        faults.push_back(std::move(why));
      }
    }
  }
  if (!faults.empty()) {
    return faults;
  }
  return any ? Waits(std::move(model), terms).find() : Result<Model>(std::move(model));
}

}  // namespace takt_plan
