#include "planners/misfit.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "analysis/counted_bounds.hpp"
#include "model/streams.hpp"
#include "planners/layout.hpp"
#include "planners/score.hpp"
#include "takt_plan/end_to_end.hpp"

namespace takt_plan
{
namespace
{

constexpr int kMostLonger = 900;  // percent: ten times the period
constexpr int kMostFaster = 95;
constexpr int kStep = 5;
constexpr int kMostSooner = 90;
constexpr std::size_t kMostSuspects = 16;
constexpr std::size_t kMostOwnGroups = 4;
constexpr std::size_t kMostExplained = 6;
// For systems with more tasks, no plan with one more core is made: that would take as long as the
// plan itself.
constexpr std::size_t kMostPlannedAgain = 2000;
// Limit for planning changed systems, in the unit of Planned::cost.
constexpr double kMostReplanning = 2e7;
// Limit of evaluated terms for all tries of changes within this plan: some seconds.
constexpr double kMostLooking = 1e9;
// Limit of evaluated terms for finding the callbacks that cost chains most, once the time limit is
// over.
constexpr double kMostForDominant = 2e8;
// `misfits` tries no more changes after this multiple of the plan's time limit, if there is one.
constexpr double kMostTime = 1.25;

/// `percent` of `time`, rounded down.
Ns share_of(Ns time, int percent)
{
  return add(multiply(time / 100, percent), time % 100 * percent / 100);
}

/// Searches the smallest value from `least` to `most` for which `holds` returns true. Nothing if
/// `holds(most)` is false. The result may be too large if `holds` is not true for all values above
/// the smallest one.
std::optional<int> smallest(int least, int most, const std::function<bool(int)> & holds)
{
  if (!holds(most)) {
    return std::nullopt;
  }
  while (least < most) {
    const int middle = least + (most - least) / 2;
    if (holds(middle)) {
      most = middle;
    } else {
      least = middle + 1;
    }
  }
  return most;
}

}  // namespace

Ns work_alone(const takt_schedule::System & system, const Chain & chain)
{
  Ns sum = 0;
  for (const Index task : chain.path) {
    // Behind the callbacks are tasks of analyses, without work.
    sum = add(sum, task < system.callbacks.size() ? system.callbacks[task].time.worst.count() : 0);
  }
  return sum;
}

namespace
{

class Explanation
{
public:
  Explanation(
    const takt_schedule::System & system, const PlanOptions & options, const Planned & planned)
  : system_(system),
    options_(options),
    planned_(planned),
    model_(planned.model),
    streams_(model_, in_trigger_order(model_)),
    with_more_(system.hosts.size()),
    crowded_(crowded(model_, planned.room)),
    late_timers_(late_timers(model_, planned.bounds)),
    waits_(!streams_.sets().empty())
  {
    for (const Chain & chain : model_.chains) {
      waits_ = waits_ || reads(model_, chain);
    }
  }

  /// A misfit that only says by how much the chain is late.
  Misfit name(Index chain) const
  {
    Misfit result;
    result.chain = chain;
    if (const auto & answer = planned_.bounds.chains[chain]) {
      result.late = answer->bound - model_.chains[chain].deadline;
    }
    result.alone = work_alone(system_, model_.chains[chain]);
    return result;
  }

  Misfit explain(Index chain)
  {
    Misfit result = name(chain);
    const auto & answer = planned_.bounds.chains[chain];
    find_dominant(answer ? answer->bound : kUnbounded, result);
    if (result.dominant == kNone) {
      result.cut_short = true;
      result.out_of_time = time_is_up();
      return result;
    }
    result.faster_by = faster_by(result);
    result.sources = sources_of(result.dominant);
    find_waits(result);
    if (!result.impossible(model_.chains[chain])) {
      result.longer_by = longer_by(result);
      own_groups(result);
      result.sooner_by = sooner_by(chain, result.reader_sources);
      result.planned_again = model_.tasks.size() <= kMostPlannedAgain;
      result.more_cores_of = result.planned_again ? more_cores_of(chain) : kNone;
    }
    result.cut_short = result.cut_short || too_long();
    result.out_of_time = result.cut_short && time_is_up();
    return result;
  }

private:
  bool time_is_up() const { return options_.time_used && options_.time_used() > kMostTime; }

  bool too_long() const { return looked_ > kMostLooking || time_is_up(); }

  /// The options for planning again: without walks and without a time limit.
  PlanOptions briefly() const
  {
    PlanOptions options = options_;
    options.walks = false;
    options.time_used = {};
    return options;
  }

  /// True if the changed plan mends the chain: the chain meets its deadline, no other chain becomes
  /// late, no task loses its bound, no more timers may skip a period, and no more cores exceed
  /// their caps.
  bool mends(
    const Model & changed, const Bounds & bounds, const std::vector<double> & room,
    Index chain) const
  {
    for (Index one = 0; one < changed.chains.size(); ++one) {
      const bool late = missed(changed, bounds, one);
      if (late && (one == chain || !missed(planned_, one))) {
        return false;
      }
      if (!bounds.chains[one] && planned_.bounds.chains[one]) {
        return false;
      }
    }
    for (Index task = 0; task < changed.tasks.size(); ++task) {
      if (!bounds.tasks[task] && planned_.bounds.tasks[task]) {
        return false;
      }
    }
    return late_timers(changed, bounds) <= late_timers_ && crowded(changed, room) <= crowded_;
  }

  bool mends(const Model & changed, Index chain)
  {
    const auto bounds = bounds_of(changed);
    return bounds && mends(changed, *bounds, planned_.room, chain);
  }

  /// The bounds of the changed model. Also a fault if the limit of evaluated terms is used up.
  takt_rt::Result<Bounds> bounds_of(const Model & changed)
  {
    if (too_long()) {
      return takt_rt::Faults{"looking further would take too long"};
    }
    return detail::counted_bounds_through_reads(changed, looked_, detail::kMostLooksAtOnce);
  }

  bool mends(const Planned & planned, Index chain) const
  {
    return mends(planned.model, planned.bounds, planned.room, chain);
  }

  /// The number of timers that may skip a period, because their bounds are longer than the period.
  static Index late_timers(const Model & model, const Bounds & bounds)
  {
    Index count = 0;
    for (Index task = 0; task < model.tasks.size(); ++task) {
      const Task & one = model.tasks[task];
      count += one.timer && bounds.tasks[task] &&
                   *bounds.tasks[task] > one.release->period + one.release->jitter
                 ? 1
                 : 0;
    }
    return count;
  }

  /// The number of cores above their caps.
  static Index crowded(const Model & model, const std::vector<double> & room)
  {
    const detail::Streams streams(model, in_trigger_order(model));
    std::vector<double> load(room.size(), 0);
    for (Index task = 0; task < model.tasks.size(); ++task) {
      load[core_of(model, task)] += streams.load(model, task);
    }
    Index count = 0;
    for (Index core = 0; core < room.size(); ++core) {
      count += load[core] > room[core] + detail::kLoadNoise ? 1 : 0;
    }
    return count;
  }

  /// Finds the callback whose removal would make the bound smallest. None if this would take too
  /// long.
  void find_dominant(Ns bound, Misfit & result)
  {
    const std::vector<Index> candidates = heaviest_beside(result.chain);
    Index dominant = candidates.front();
    for (const Index task : candidates) {
      if (looked_ > (time_is_up() ? kMostForDominant : kMostLooking)) {
        result.share = 0;
        return;
      }
      Model without = model_;
      without.tasks[task].time = without.tasks[task].dispatch = without.tasks[task].middleware = 0;
      without.tasks[task].store = 0;
      const auto found =
        detail::counted_bounds_through_reads(without, looked_, detail::kMostLooksAtOnce);
      const bool bounded = found && found->chains[result.chain];
      const Ns less = bounded ? bound - found->chains[result.chain]->bound : 0;
      if (less > result.share) {
        dominant = task;
        result.share = less;
      }
    }
    result.dominant = dominant;
    result.share = bound == kUnbounded ? 0 : result.share;
  }

  static Index core_of(const Model & model, Index task)
  {
    return model.threads[model.tasks[task].threads.front()].cores.front();
  }

  /// The tasks with the largest loads on the chain's cores, the largest first.
  std::vector<Index> heaviest_beside(Index chain) const
  {
    const auto & path = model_.chains[chain].path;
    std::vector<std::pair<double, Index>> found;
    for (Index task = 0; task < model_.tasks.size(); ++task) {
      const bool beside = std::any_of(path.begin(), path.end(), [&](Index own) {
        return core_of(model_, own) == core_of(model_, task);
      });
      if (beside) {
        found.emplace_back(-streams_.load(model_, task), task);
      }
    }
    std::stable_sort(found.begin(), found.end());
    found.resize(std::min<std::size_t>(found.size(), kMostSuspects));
    std::vector<Index> tasks;
    for (const auto & [load, task] : found) {
      tasks.push_back(task);
    }
    return tasks;
  }

  std::vector<Index> sources_of(Index task) const
  {
    std::set<Index> sources;
    for (const Index stream : streams_.of(task)) {
      sources.insert(streams_.all()[stream].source);
    }
    return {sources.begin(), sources.end()};
  }

  std::optional<int> faster_by(Misfit & misfit)
  {
    const Index dominant = misfit.dominant;
    const auto here = smallest(1, kMostFaster, [&](int percent) {
      Model changed = model_;
      Task & task = changed.tasks[dominant];
      task.time -= share_of(task.time, percent);
      return mends(changed, misfit.chain);
    });
    return planned_anew(
      here, kMostFaster,
      [&](takt_schedule::System & changed, int percent) {
        takt_schedule::ExecutionTime & time = changed.callbacks[dominant].time;
        time.worst -= takt_rt::Duration(share_of(time.worst.count(), percent));
        time.best = std::min(time.best, time.worst);
        time.histogram.clear();
      },
      misfit);
  }

  std::optional<int> longer_by(Misfit & misfit)
  {
    if (misfit.sources.empty()) {
      return std::nullopt;
    }
    return planned_anew(
      longer_here(misfit), kMostLonger,
      [&](takt_schedule::System & changed, int percent) {
        for (const Index source : misfit.sources) {
          takt_rt::Duration & period = *changed.callbacks[source].period;
          period += takt_rt::Duration(share_of(period.count(), percent));
        }
      },
      misfit);
  }

  std::optional<int> longer_here(const Misfit & misfit)
  {
    const auto enough = [&](int percent) {
      Model changed = model_;
      for (const Index source : misfit.sources) {
        Ns & period = changed.tasks[source].release->period;
        period = add(period, share_of(period, percent));
      }
      return mends(changed, misfit.chain);
    };
    if (const auto least = smallest(1, kMostLonger, enough)) {
      return least;
    }
    // If chains read values or wait for sets, longer periods also make their waits longer. So ten
    // times the period may be too long: try smaller periods.
    if (!waits_) {
      return std::nullopt;
    }
    for (int percent = kStep; percent < kMostLonger; percent += percent < 100 ? kStep : 5 * kStep) {
      if (enough(percent)) {
        return percent;
      }
    }
    return std::nullopt;
  }

  /// True if the callback has a mutually exclusive group with callbacks that are not in the chain,
  /// and no callback of that group stores messages for others of it.
  bool shares_group(const Chain & chain, Index task) const
  {
    if (task >= system_.callbacks.size()) {
      return false;
    }
    const takt_schedule::CallbackModel & own = system_.callbacks[task];
    const bool reentrant =
      std::any_of(system_.groups.begin(), system_.groups.end(), [&](const auto & group) {
        return group.id == own.group && group.kind != takt_core::GroupKind::mutually_exclusive;
      });
    if (own.group.empty() || reentrant) {
      return false;
    }
    bool shares = false;
    for (Index other = 0; other < system_.callbacks.size(); ++other) {
      const takt_schedule::CallbackModel & mate = system_.callbacks[other];
      if (mate.group != own.group || mate.executor != own.executor) {
        continue;
      }
      if (mate.stores) {
        return false;
      }
      shares = shares || std::count(chain.path.begin(), chain.path.end(), other) == 0;
    }
    return shares;
  }

  /// Finds out whether groups of their own for callbacks of the chain would be enough: for one of
  /// them, or for all.
  void own_groups(Misfit & misfit)
  {
    const Chain & chain = model_.chains[misfit.chain];
    std::vector<Index> all;
    for (const Index task : chain.path) {
      if (shares_group(chain, task) && std::count(all.begin(), all.end(), task) == 0) {
        all.push_back(task);
      }
    }
    const auto enough = [&](const std::vector<Index> & tasks) {
      const auto leave = [&](takt_schedule::System & changed, int) {
        for (const Index task : tasks) {
          changed.callbacks[task].group.clear();
        }
      };
      const auto planned = changed_plan(leave, 0, false, misfit);
      misfit.groups_tried = misfit.groups_tried || planned;
      return planned && mends(*planned, misfit.chain);
    };
    if (all.empty() || !enough(all)) {
      return;
    }
    misfit.own_groups_of = all;
    for (Index i = 0; all.size() > 1 && i < std::min(all.size(), kMostOwnGroups); ++i) {
      if (enough({all[i]})) {
        misfit.own_groups_of = {all[i]};
        return;
      }
    }
  }

  using Change = std::function<void(takt_schedule::System &, int)>;

  /// The smallest change that suffices in a new plan. `here`: the smallest change that suffices in
  /// this plan; the result is never larger.
  std::optional<int> planned_anew(
    std::optional<int> here, int most, const Change & change, Misfit & misfit)
  {
    bool sure = true;
    const auto found = smallest(1, here.value_or(most), [&](int percent) {
      if (percent == here) {
        return true;
      }
      const auto planned = changed_plan(change, percent, false, misfit);
      const bool does = planned && mends(*planned, misfit.chain);
      sure = does ? all_met(*planned) : sure;
      return does;
    });
    // Restarts may find plans that keep other late chains instead of this one, so check the result
    // with restarts.
    if (!found || found == here || sure) {
      return found;
    }
    const auto planned = changed_plan(change, *found, true, misfit);
    if (planned && mends(*planned, misfit.chain)) {
      return found;
    }
    misfit.cut_short = true;
    return here;
  }

  /// A plan of the changed system. Nothing if planning would take too long, or if the changed
  /// system cannot be planned.
  std::optional<Planned> changed_plan(
    const Change & change, int percent, bool restarts, Misfit & misfit)
  {
    const double expected = cost_of(planned_, restarts);
    if (spent_ + expected > kMostReplanning || too_long()) {
      misfit.cut_short = true;
      return std::nullopt;
    }
    takt_schedule::System changed = system_;
    change(changed, percent);
    PlanOptions options = briefly();
    options.restarts = options.restarts && restarts;
    auto planned = plan_schedule(changed, options);
    spent_ += planned ? cost_of(*planned, restarts) : expected;
    return planned ? std::optional(std::move(*planned)) : std::nullopt;
  }

  /// The cost of the plan. At least an estimate, because some planners give no cost.
  double cost_of(const Planned & planned, bool restarts) const
  {
    const auto tasks = static_cast<double>(model_.tasks.size());
    return std::max(planned.cost, tasks * tasks) + (restarts ? planned.cost_of_restarts : 0);
  }

  // Shorter periods also mean more load. So a percentage may suffice although a larger one does
  // not: try all.
  std::optional<int> sooner_by(Index chain, const std::vector<Index> & sources)
  {
    if (sources.empty()) {
      return std::nullopt;
    }
    for (int percent = kStep; percent <= kMostSooner; percent += kStep) {
      Model changed = model_;
      for (const Index source : sources) {
        Ns & period = changed.tasks[source].release->period;
        period -= share_of(period, percent);
      }
      if (mends(changed, chain)) {
        return percent;
      }
    }
    return std::nullopt;
  }

  void find_waits(Misfit & result)
  {
    if (!ends_) {
      ends_ = end_to_end(model_);
    }
    if (!*ends_ || !(*ends_)->chains[result.chain]) {
      return;
    }
    Wait longest;
    const auto consider = [&](const Wait & wait) {
      longest = wait.time > longest.time ? wait : longest;
    };
    Ns until_read = 0;
    for (const PathPart & part : (*ends_)->chains[result.chain]->parts) {
      consider({Wait::For::reader, part.tasks.front(), part.next});
      if (part.next > until_read) {
        until_read = part.next;
        result.reader_sources = sources_of(part.tasks.front());
      }
      for (const SegmentBound & segment : part.answer.segments) {
        consider({Wait::For::set, with_set(segment.tasks), segment.waiting});
      }
      if (!part.answer.segments.empty()) {
        const SegmentBound & first = part.answer.segments.front();
        consider({Wait::For::jitter, first.tasks.front(), first.released});
      }
    }
    if (longest.time > 0) {
      result.wait = longest;
    }
  }

  /// The callback of a segment that waits for a set. The segment may go on behind it. If several
  /// callbacks wait, the last one.
  Index with_set(const std::vector<Index> & tasks) const
  {
    const auto last = std::find_if(
      tasks.rbegin(), tasks.rend(), [&](Index task) { return model_.tasks[task].newest; });
    return last == tasks.rend() ? tasks.back() : *last;
  }

  /// The first host of the chain for which one more core would be enough.
  Index more_cores_of(Index chain)
  {
    for (const Index task : model_.chains[chain].path) {
      if (enough_with_more_of(model_.tasks[task].host, chain)) {
        return model_.tasks[task].host;
      }
    }
    return kNone;
  }

  bool enough_with_more_of(Index host, Index chain)
  {
    if (!with_more_[host]) {
      if (too_long()) {
        return false;
      }
      takt_schedule::System larger = system_;
      auto & cores = larger.hosts[host].cores;
      cores.push_back(cores.empty() ? 0 : cores.back() + 1);
      PlanOptions options = briefly();
      if (!options.cpus.empty() || !options.host_cpus.empty()) {
        options.host_cpus.emplace_back(larger.hosts[host].name, cores.back());
      }
      auto planned = plan_schedule(larger, options);
      if (!planned) {
        return false;
      }
      with_more_[host].emplace(std::move(*planned));
    }
    return mends(*with_more_[host], chain);
  }

  const takt_schedule::System & system_;
  const PlanOptions & options_;
  const Planned & planned_;
  const Model & model_;
  const detail::Streams streams_;
  double looked_ = 0;                              // terms evaluated for changes within this plan
  double spent_ = 0;                               // the cost of planning changed systems
  std::vector<std::optional<Planned>> with_more_;  // per host: the plan with one more core
  Index crowded_;                                  // cores above their caps in this plan
  Index late_timers_;                              // timers that may skip a period in this plan
  // True if some chain reads values, or some callback waits for a set.
  bool waits_;
  std::optional<takt_rt::Result<EndToEndBounds>> ends_;
};

}  // namespace

std::vector<Misfit> misfits(
  const takt_schedule::System & system, const PlanOptions & options, const Planned & planned)
{
  std::vector<Misfit> result;
  Explanation explanation(system, options, planned);
  for (const Index chain : planned.chains) {
    if (missed(planned, chain)) {
      result.push_back(
        result.size() < kMostExplained ? explanation.explain(chain) : explanation.name(chain));
    }
  }
  return result;
}

}  // namespace takt_plan
