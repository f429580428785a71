#include "takt_plan/bounds.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/answers.hpp"
#include "analysis/counted_bounds.hpp"
#include "analysis/inputs/check_for_analysis.hpp"
#include "analysis/inputs/let.hpp"
#include "analysis/jobs/job_bounds.hpp"
#include "analysis/jobs/phase_cells.hpp"
#include "analysis/limits.hpp"
#include "analysis/waits.hpp"

namespace takt_plan
{
namespace
{

using takt_rt::Result;

Analysis common(const std::vector<SegmentBound> & segments)
{
  const Analysis first = segments.front().analysis;
  const bool one = std::all_of(segments.begin(), segments.end(), [&](const SegmentBound & segment) {
    return segment.analysis == first;
  });
  return one ? first : Analysis::several;
}

Bounds with_analyses(PriorityBounds found)
{
  Bounds all;
  all.tasks = std::move(found.tasks);
  all.short_histories = found.short_histories;
  for (Result<ChainBound> & chain : found.chains) {
    all.chains.push_back(
      chain ? Result<ChainAnswer>(
                ChainAnswer{common(chain->segments), chain->bound, std::move(chain->segments)})
            : chain.faults());
  }
  return all;
}

/// Each chain as one segment.
PriorityBounds with_segments(const Model & model, detail::BoundsOfAnyPhases found)
{
  const takt_rt::Faults none{takt_rt::Fault{"its phases are known, or have too many cells"}};
  PriorityBounds all;
  for (const std::optional<Ns> & task : found.tasks) {
    all.tasks.push_back(task ? Result<Ns>(*task) : none);
  }
  for (Index chain = 0; chain < model.chains.size(); ++chain) {
    std::optional<detail::BoundOfAnyPhases> & one = found.chains[chain];
    if (!one) {
      all.chains.push_back(none);
      continue;
    }
    SegmentBound segment;
    segment.analysis = Analysis::jobs;
    segment.tasks = model.chains[chain].path;
    segment.response = one->bound;
    segment.terms = std::move(one->terms);
    all.chains.push_back(ChainBound{one->bound, {std::move(segment)}});
  }
  return all;
}

/// Where no other analysis covers a callback, the reason of job windows counts.
void take_reasons(
  PriorityBounds & bounds, const detail::JobBounds & jobs, const detail::PrioritySolver & solver)
{
  const Model & model = solver.model();
  const auto expected = [&](Index task) {
    return jobs.covered[task] != 0 && detail::refused(solver, task);
  };
  for (Index task = 0; task < model.tasks.size(); ++task) {
    if (!bounds.tasks[task] && !jobs.tasks[task] && expected(task)) {
      bounds.tasks[task] = jobs.tasks[task].faults();
    }
  }
  for (Index chain = 0; chain < model.chains.size(); ++chain) {
    const std::vector<Index> & path = model.chains[chain].path;
    if (
      !bounds.chains[chain] && !jobs.chains[chain] &&
      std::any_of(path.begin(), path.end(), expected)) {
      bounds.chains[chain] = jobs.chains[chain].faults();
    }
  }
}

// Limit of terms of sums over jobs: about a second.
constexpr std::int64_t kMostLooksOfJobs = 100'000'000;

// Each round solves the whole model. Waits that depend on themselves rise by at least the time of a
// run in each round.
constexpr int kMostRoundsOfWaits = 50;

/// The model with the waits of its tasks. Adds the evaluated terms of all rounds to `looks`.
Model with_waits(
  Model model, const BoundsOptions & options, detail::UnderWay under_way, double & looks,
  std::int64_t most)
{
  detail::begin_waits(model);
  for (int round = 0;; ++round) {
    const detail::PrioritySolver solver(model, options, detail::local_analyses, most, under_way);
    looks += static_cast<double>(solver.looks());
    if (!solver.too_large().empty()) {
      return model;
    }
    if (round == kMostRoundsOfWaits) {
      detail::give_up_waits(solver, model);
      round = 0;  // tasks that depend on them have no bound either; each such turn leaves fewer
                  // waits
      continue;
    }
    if (!detail::update_waits(solver, model)) {
      return model;
    }
  }
}

}  // namespace

Result<Bounds> detail::counted_bounds(
  const Model & given, const BoundsOptions & options, double & looks, std::int64_t most)
{
  if (const takt_rt::Status status = check_for_analysis(given); !status) {
    return status.faults();
  }
  const std::size_t terms = options.explain ? options.most_terms : 0;
  if (options.jobs_only) {
    return with_analyses(detail::job_bounds(
      given, detail::Flow(given), options, terms, {}, looks, std::min(most, kMostLooksOfJobs)));
  }
  const auto first = options.delays == Delays::in_segments ? detail::UnderWay::in_segments
                                                           : detail::UnderWay::between_segments;
  const bool waits = any_waits(given);
  const Model waiting = waits ? with_waits(given, options, first, looks, most) : Model{};
  const Model & model = waits ? waiting : given;
  const detail::PrioritySolver solver(model, options, detail::local_analyses, most, first);
  if (!solver.too_large().empty()) {
    return takt_rt::Faults{solver.too_large()};
  }
  looks += static_cast<double>(solver.looks());
  PriorityBounds found = detail::answers(solver, terms);
  if (options.delays == Delays::best && !solver.exhausted() && detail::may_be_in_segments(model)) {
    const detail::PrioritySolver other(
      model, options, detail::local_analyses, most - solver.looks(), detail::UnderWay::in_segments);
    looks += static_cast<double>(other.looks());
    detail::take_smaller(found, detail::answers(other, terms));
  }
  const std::string late = late_runs(model, found.tasks);
  if (options.jobs.windows && !solver.exhausted() && late.empty()) {
    const detail::KnownEnds known = [&] { return solver.ends(); };
    detail::JobBounds jobs =
      detail::job_bounds(model, solver.flow(), options, terms, known, looks, kMostLooksOfJobs);
    take_reasons(found, jobs, solver);
    detail::take_smaller(found, std::move(jobs));
  }
  const bool courses = options.jobs.windows && options.jobs.courses && !waits && late.empty();
  if (courses && !solver.exhausted()) {
    const Ns longest = detail::horizon(model, options.horizon);
    std::vector<Ns> known;
    for (const Result<ChainBound> & chain : found.chains) {
      known.push_back(chain ? chain->bound : kUnbounded);
    }
    detail::take_smaller(
      found, with_segments(
               model, detail::bounds_of_any_phases(
                        model, options.jobs.in_courses, known, longest, terms > 0, looks)));
  }
  Bounds all = with_analyses(std::move(found));
  if (!late.empty()) {
    all.tasks.assign(all.tasks.size(), takt_rt::Faults{late});
    all.chains.assign(all.chains.size(), takt_rt::Faults{late});
  }
  for (const Task & task : waiting.tasks) {
    all.waits.push_back(task.wait);
  }
  return all;
}

Result<Bounds> bounds(const Model & model, const BoundsOptions & options)
{
  double looks = 0;
  return detail::counted_bounds(model, options, looks);
}

bool meets_deadline(const Chain & chain, const Result<ChainAnswer> & answer)
{
  return answer.ok() && answer->bound <= chain.deadline;
}

}  // namespace takt_plan
