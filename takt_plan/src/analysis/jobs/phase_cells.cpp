#include "analysis/jobs/phase_cells.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/jobs/job_courses.hpp"
#include "analysis/jobs/job_graph.hpp"
#include "analysis/jobs/node_ways.hpp"

namespace takt_plan::detail
{
namespace
{

/// Limits of looks at jobs. The sets of a part make its states larger.
struct Limits
{
  std::int64_t cells = 4'000'000;  // of a part: about a fifth of a second
  std::int64_t cell = 300'000;
};
constexpr Limits kWithSets{300'000, 30'000};
constexpr std::int64_t kCellsOfLook = 16;  // the search reads so many cells in the time of a look
constexpr Ns kFine = 256;  // a cell is not divided if its sides are this much shorter than bounds

/// True if the timer has a phase that is not known and does not change.
bool is_free(const Task & task)
{
  return task.timer && !task.release->offset && !task.leaves_grid && !task.any_phase;
}

/// The search of one part.
class PhaseCells
{
public:
  PhaseCells(const Model & model, JobGraph graph, const CourseTerms & terms)
  : model_(model),
    graph_(std::move(graph)),
    terms_(terms)
  {
    for (Index index = 0; index < graph_.nodes.size(); ++index) {
      const JobNode & node = graph_.nodes[index];
      if (is_source(node)) {
        source_of_.push_back(sources_.size());
        sources_.push_back(index);
        jitters_.push_back(node.jitter);
      } else {
        source_of_.push_back(node.from.empty() ? kNone : source_of_[node.from.front().node]);
      }
      limits_ = node.topics.empty() ? limits_ : kWithSets;
    }
  }

  const JobGraph & graph() const noexcept { return graph_; }
  std::int64_t looks() const noexcept { return looks_; }
  /// The source of all jobs of the node; kNone: it comes behind a set.
  Index source_of(Index node) const { return source_of_[node]; }
  /// The longest time from a nominal release of the source to the end of the node's job that it
  /// leads to; kUnbounded: unknown.
  Ns bound(Index node, Index source) const
  {
    Ns most = 0;
    for (const Cell & cell : cells_) {
      most = std::max(most, cell.bounds[place(node, source)]);
    }
    return most;
  }

  /// The search is for smaller bounds than `known` from the source to this node.
  void want(Index node, Index source, Ns known)
  {
    const auto at = std::find_if(ends_.begin(), ends_.end(), [&](const End & end) {
      return end.place == place(node, source);
    });
    if (at == ends_.end()) {
      ends_.push_back({place(node, source), known});
    } else {
      at->known = std::max(at->known, known);
    }
  }

  void search()
  {
    cells_.push_back(whole());
    omit_hopeless();
    if (ends_.empty()) {
      return;
    }
    look_into(cells_.back());
    for (std::size_t unchanged = 0; unchanged < ends_.size() && looks_ < limits_.cells;) {
      std::rotate(ends_.begin(), ends_.begin() + 1, ends_.end());
      unchanged = divide_worst(ends_.front().place) ? 0 : unchanged + 1;
    }
  }

private:
  struct Side
  {
    Ns low = 0;
    Ns width = 0;
  };
  struct Cell
  {
    std::vector<Side> sides;  // per source
    std::vector<Ns> bounds;   // by `place`
  };

  struct End
  {
    Index place = kNone;
    Ns known = 0;
  };

  Index place(Index node, Index source) const { return node * sources_.size() + source; }

  Cell whole() const
  {
    Cell cell;
    Ns before = 0;  // hyperperiod of the timers before
    for (const Index source : sources_) {
      const Ns period = graph_.nodes[source].period;
      cell.sides.push_back({0, before == 0 ? 0 : std::gcd(before, period) - 1});
      before = before == 0 ? period : std::lcm(before, period);
    }
    cell.bounds.assign(graph_.nodes.size() * sources_.size(), kUnbounded);
    return cell;
  }

  // No bound is below that of any one phase: here, of all timers at once.
  void omit_hopeless()
  {
    Cell one = whole();
    std::for_each(one.sides.begin(), one.sides.end(), [](Side & side) { side.width = 0; });
    look_into(one);
    std::erase_if(ends_, [&](const End & end) { return one.bounds[end.place] >= end.known; });
  }

  void look_into(Cell & cell)
  {
    for (Index i = 0; i < sources_.size(); ++i) {
      graph_.nodes[sources_[i]].offset = cell.sides[i].low;
      graph_.nodes[sources_[i]].jitter = jitters_[i] + cell.sides[i].width;
    }
    const JobCourses courses(model_, graph_, terms_, limits_.cell);
    looks_ += std::max<std::int64_t>(courses.looks(), 1);
    for (Index node = 0; courses.found() && node < graph_.nodes.size(); ++node) {
      for (Index source = 0; source < sources_.size(); ++source) {
        Ns & bound = cell.bounds[place(node, source)];
        bound = std::min(bound, courses.response(node, source));
      }
    }
  }

  // Returns false if the cell with the largest bound at this place is too small to be divided.
  bool divide_worst(Index at)
  {
    looks_ += static_cast<std::int64_t>(cells_.size()) / kCellsOfLook;
    const auto worst = std::max_element(
      cells_.begin(), cells_.end(),
      [&](const Cell & a, const Cell & b) { return a.bounds[at] < b.bounds[at]; });
    const auto widest = std::max_element(
      worst->sides.begin(), worst->sides.end(),
      [](const Side & a, const Side & b) { return a.width < b.width; });
    if (
      worst->bounds[at] == 0 || widest->width == 0 ||
      widest->width <= std::min(worst->bounds[at], graph_.hyperperiod) / kFine) {
      return false;
    }
    const auto side = static_cast<Index>(widest - worst->sides.begin());
    const Ns half = widest->width / 2;
    Cell upper = *worst;
    worst->sides[side].width = half;
    upper.sides[side].low += half + 1;
    upper.sides[side].width -= half + 1;
    look_into(*worst);
    look_into(upper);
    cells_.push_back(std::move(upper));
    return true;
  }

  const Model & model_;
  JobGraph graph_;  // with the phases of the cell that is examined
  const CourseTerms terms_;
  std::vector<Index> sources_;    // nodes
  std::vector<Ns> jitters_;       // per source: its own
  std::vector<Index> source_of_;  // per node
  std::vector<End> ends_;         // for which smaller bounds are wanted
  std::vector<Cell> cells_;
  Limits limits_;
  std::int64_t looks_ = 0;
};

/// True if all sources of the graph are timers without phases, of one host, and other analyses may
/// be far off.
bool covers(const Model & model, const Model & phased, const JobGraph & graph)
{
  std::size_t sources = 0;
  Index host = kNone;
  bool sets = false;
  for (const JobNode & node : graph.nodes) {
    sets = sets || !node.topics.empty();
    if (!is_source(node)) {
      continue;
    }
    const Task & task = model.tasks[node.task];
    const bool same = host == kNone || task.host == host;
    if (!task.release || !is_free(task) || !same || ++sources > kMostFreeTimers) {
      return false;
    }
    host = task.host;
  }
  return (sets || JobCourses::goes_back(graph)) && JobCourses::covers(phased, graph);
}

/// The model with an offset for each timer, all on one epoch.
Model with_phases(const Model & model)
{
  Model phased = model;
  Index executor = kNone;
  bool several = false;
  for (Task & task : phased.tasks) {
    if (task.release && is_free(task)) {
      task.release->offset = 0;
      several = several || (executor != kNone && executor != task.executor);
      executor = task.executor;
    }
  }
  phased.epochs.assign(
    model.executors.size(), several ? takt_core::Epoch::host : takt_core::Epoch::start);
  return phased;
}

/// The terms of a bound. The work on a set comes after a wait for it, so it belongs to the rest.
BoundTerms terms_of(
  const Model & model, const JobGraph & graph, const std::vector<Index> & way, Ns bound)
{
  BoundTerms terms;
  for (const Index index : way) {
    const JobNode & node = graph.nodes[index];
    if (!node.topics.empty()) {
      continue;
    }
    const Task & task = model.tasks[node.task];
    const Ns overhead = task.newest ? 0 : add(task.dispatch, task.middleware);
    // Runs of no time count as one, as in other analyses.
    add_term(terms, {TermKind::work, std::max<Ns>(node.cost - overhead, node.cost == 0 ? 1 : 0)});
    add_term(terms, {TermKind::overhead, overhead});
    add_term(terms, {TermKind::under_way, node.from.empty() ? 0 : node.from.front().delay});
  }
  add_term(terms, {TermKind::other_runs, bound - sum_of(terms)});
  return terms;
}

/// The chain's bound: the largest over its ways. None: no course of its jobs has an end.
std::optional<BoundOfAnyPhases> chain_bound(
  const Model & model, const Flow & flow, const PhaseCells & cells, const Chain & chain,
  bool explain)
{
  std::optional<BoundOfAnyPhases> worst;
  for (const std::vector<Index> & way : ways_of_nodes(flow, cells.graph(), chain)) {
    const Ns bound = cells.bound(way.back(), cells.source_of(way.front()));
    if (bound == kUnbounded) {
      return std::nullopt;
    }
    if (worst && bound < worst->bound) {
      continue;
    }
    worst = {bound, explain ? terms_of(model, cells.graph(), way, bound) : BoundTerms{}};
  }
  return worst;
}

}  // namespace

BoundsOfAnyPhases bounds_of_any_phases(
  const Model & model, const CourseTerms & terms, const std::vector<Ns> & known, Ns most,
  bool explain, double & looks)
{
  BoundsOfAnyPhases result;
  result.tasks.resize(model.tasks.size());
  result.chains.resize(model.chains.size());
  const bool any = std::any_of(model.tasks.begin(), model.tasks.end(), [](const Task & task) {
    return task.release && is_free(task);
  });
  const bool sets = std::any_of(
    model.tasks.begin(), model.tasks.end(), [](const Task & task) { return task.newest; });
  if (!any || (!sets && !JobCourses::goes_back(model))) {
    return result;
  }
  const Model phased = with_phases(model);
  const Flow flow(phased);
  for (JobGraph & graph : job_graphs(phased, flow)) {
    if (!graph.refusal.empty() || graph.clusters || !covers(model, phased, graph)) {
      continue;
    }
    PhaseCells cells(phased, std::move(graph), terms);
    const auto in_part = [&](Index task) {
      const auto & streams = flow.streams.of(task);
      return !streams.empty() && cells.graph().node_of_stream[streams.front()] != kNone;
    };
    for (Index chain = 0; chain < model.chains.size(); ++chain) {
      if (in_part(model.chains[chain].path.front())) {
        for (const auto & way : ways_of_nodes(flow, cells.graph(), model.chains[chain])) {
          cells.want(way.back(), cells.source_of(way.front()), known[chain]);
        }
      }
    }
    cells.search();
    looks += static_cast<double>(cells.looks());
    for (Index task = 0; task < model.tasks.size(); ++task) {
      Ns bound = 0;
      for (const Index stream : in_part(task) ? flow.streams.of(task) : std::vector<Index>{}) {
        const Index node = cells.graph().node_of_stream[stream];
        const bool alone = cells.source_of(node) != kNone && !model.tasks[task].newest;
        bound = std::max(bound, alone ? cells.bound(node, cells.source_of(node)) : kUnbounded);
      }
      if (in_part(task) && bound <= most) {
        result.tasks[task] = bound;
      }
    }
    for (Index chain = 0; chain < model.chains.size(); ++chain) {
      if (in_part(model.chains[chain].path.front())) {
        result.chains[chain] = chain_bound(phased, flow, cells, model.chains[chain], explain);
      }
    }
  }
  return result;
}

}  // namespace takt_plan::detail
