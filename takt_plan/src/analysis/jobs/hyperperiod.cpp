#include "takt_plan/hyperperiod.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "analysis/inputs/check_for_analysis.hpp"
#include "analysis/jobs/job_graph.hpp"
#include "analysis/jobs/job_windows.hpp"
#include "analysis/limits.hpp"
#include "analysis/local_analysis.hpp"
#include "analysis/priority/priority_solver.hpp"
#include "model/flow.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan
{
namespace
{

using takt_rt::Faults;
using takt_rt::Result;
using takt_schedule::quoted;

constexpr std::int64_t kMostLooksOfWindows = 100'000'000;  // terms of sums; about a second

/// The least common multiple; empty if it is out of range.
std::optional<Ns> common_multiple(Ns a, Ns b)
{
  const Ns factor = b / std::gcd(a, b);
  return a > kUnbounded / factor ? std::nullopt : std::optional<Ns>(a * factor);
}

/// Adds the jobs of one part. The hyperperiod of the part fits into `result.length` once or more
/// often.
void add_jobs(
  const Model & model, const detail::JobGraph & graph, const detail::JobWindows & windows,
  Hyperperiod & result)
{
  std::vector<Index> without, unphased;
  for (Index index = 0; index < graph.nodes.size(); ++index) {
    const detail::JobNode & node = graph.nodes[index];
    const bool in_set = !node.topics.empty() || model.tasks[node.task].newest;
    const SetPart set = !in_set               ? SetPart::none
                        : node.topics.empty() ? SetPart::keeps
                                              : SetPart::works;
    if (node.unphased || !windows.ends(index)) {
      (node.unphased ? unphased : without).push_back(node.task);
      continue;
    }
    const detail::JobWindow & window = windows.window(index);
    for (std::int64_t number = 0; number < node.jobs; ++number) {
      const Ns turn = detail::floor_div(window.earliest[number], graph.hyperperiod);
      for (Ns from = -turn * graph.hyperperiod; from < result.length - turn * graph.hyperperiod;
           from += graph.hyperperiod) {
        result.jobs.push_back(
          {node.task, set, window.earliest[number] + from, window.latest[number] + from,
           window.end[number] + from, window.may_miss[static_cast<std::size_t>(number)] != 0});
      }
    }
  }
  without.erase(std::unique(without.begin(), without.end()), without.end());
  for (const Index task : without) {
    result.without.push_back(quoted(model.tasks[task].id) + " has runs without a latest end");
  }
  unphased.erase(std::unique(unphased.begin(), unphased.end()), unphased.end());
  for (const Index task : unphased) {
    result.without.push_back(
      quoted(model.tasks[task].id) + (model.tasks[task].release
                                        ? " has no known phase"
                                        : " is started by a source without a known phase"));
  }
}

}  // namespace

Result<Hyperperiod> hyperperiod(const Model & model, const BoundsOptions & options)
{
  if (const takt_rt::Status status = check_for_analysis(model); !status) {
    return status.faults();
  }
  const detail::Flow flow(model);
  Hyperperiod result;
  result.length = 1;
  std::size_t jobs = 0;
  std::vector<detail::JobGraph> graphs = detail::job_graphs(model, flow);
  std::vector<std::optional<detail::JobWindows>> windows(graphs.size());
  const detail::KnownEnds known = [&] {
    return detail::PrioritySolver(model, options, detail::local_analyses).ends();
  };
  for (Index part = 0; part < graphs.size(); ++part) {
    const detail::JobGraph & graph = graphs[part];
    if (!graph.refusal.empty()) {
      result.without.push_back(graph.refusal);
      continue;
    }
    if (graph.nodes.empty()) {
      continue;
    }
    windows[part].emplace(
      model, graph, options.jobs, detail::horizon(model, options.horizon), kMostLooksOfWindows,
      known);
    if (!windows[part]->solved()) {
      result.without.push_back(windows[part]->refusal());
      windows[part].reset();
      continue;
    }
    const auto length = common_multiple(result.length, graph.hyperperiod);
    std::size_t own = 0;
    for (const detail::JobNode & node : graph.nodes) {
      own += static_cast<std::size_t>(node.jobs);
    }
    // The jobs of the earlier parts repeat in the longer hyperperiod.
    jobs = length ? jobs * static_cast<std::size_t>(*length / result.length) +
                      own * static_cast<std::size_t>(*length / graph.hyperperiod)
                  : kMostPhasedJobs + 1;
    if (jobs > kMostPhasedJobs) {
      return Faults{takt_rt::Fault{
        "the hyperperiod of all parts of the system has more than " +
        std::to_string(kMostPhasedJobs) + " jobs; choose periods that divide each other"}};
    }
    result.length = *length;
  }
  if (jobs == 0) {
    return Faults{takt_rt::Fault{
      "jobs have no known windows: " +
      (result.without.empty() ? "nothing releases any" : result.without.front())}};
  }
  for (Index part = 0; part < graphs.size(); ++part) {
    if (windows[part]) {
      add_jobs(model, graphs[part], *windows[part], result);
    }
  }
  std::stable_sort(
    result.jobs.begin(), result.jobs.end(), [](const PhasedJob & a, const PhasedJob & b) {
      return std::tie(a.task, a.earliest) < std::tie(b.task, b.earliest);
    });
  return result;
}

}  // namespace takt_plan
