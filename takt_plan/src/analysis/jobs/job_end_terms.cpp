// The terms of a latest end.
#include "analysis/jobs/job_windows.hpp"

#include <algorithm>

namespace takt_plan::detail
{

// The jobs of the node at this place that enter at `begin` or later and may be released before
// `end`, without the segment.
std::vector<Job> JobWindows::runs(
  const Level & level, Index place, const std::vector<Job> & segment, Ns begin, Ns end) const
{
  const Index node = level.work[place];
  const std::int64_t first =
    (terms_.latest ? level.entry[place] : windows_[node].from).before(begin);
  std::int64_t last = windows_[node].from.before(std::min(end, add(sought_[node].released_by, 1)));
  if (!segment.empty() && follows(node, segment.front().node)) {
    last = std::min(last, segment.front().number);  // it and later jobs wait for the end of the
                                                    // first one
  }
  std::vector<Job> found;
  for (std::int64_t number = first; number < last; ++number) {
    const bool own = std::any_of(segment.begin(), segment.end(), [&](const Job & job) {
      return job.node == node && job.number == number;
    });
    if (!own) {
      found.push_back({node, number});
    }
  }
  return found;
}

CountedJob JobWindows::counted(const Job & job) const
{
  const JobWindow & window = windows_[job.node];
  return {window.earliest.at(job.number), window.latest.at(job.number)};
}

void JobWindows::add_interference(
  const Level & level, Index place, const std::vector<Job> & jobs, BoundTerms & terms) const
{
  const JobNode & node = graph_.nodes[level.work[place]];
  BoundTerm term{TermKind::interference, 0, node.task};
  Ns under_way = 0;
  for (const Job & job : jobs) {
    term.time += node.cost;
    term.jobs.push_back(counted(job));
    under_way += cost(level, job) - node.cost;
  }
  add_term(terms, term);
  add_term(terms, {TermKind::under_way, under_way});
}

// Adds the run that had begun when the busy interval begins, and the work that it starts.
void JobWindows::add_begun(Index index, Ns time, BoundTerms & terms) const
{
  const Level & level = levels_[index];
  Begin begin;
  const Ns most = blocking(index, time, time, 0, &begin);
  const Job & blocker = begin.blocker;
  if (most == 0) {
    return;
  }
  BoundTerm block{TermKind::blocking, most, graph_.nodes[blocker.node].task};
  if (ends_[blocker.node]) {
    block.jobs.push_back(counted(blocker));
    const auto below = std::find_if(level.below.begin(), level.below.end(), [&](const Below & one) {
      return one.node == blocker.node;
    });
    block.time = begun(level, *below, blocker.number, time, 0).blocked;
    for (const Index place : started(level, *below, blocker.number, time, 0)) {
      if (terms_.started) {
        add_interference(level, place, {{level.work[place], blocker.number}}, terms);
      }
    }
  }
  add_term(terms, block);
}

BoundTerms JobWindows::terms_of_courses(const LatestEnd & end) const
{
  BoundTerms terms;
  for (const Job & job : end.segment) {
    const JobNode & node = graph_.nodes[job.node];
    add_term(terms, {TermKind::work, node.cost});
    add_term(terms, {TermKind::under_way, node.from.empty() ? 0 : node.from.front().delay});
  }
  add_term(terms, {TermKind::other_runs, end.time - end.begin - sum_of(terms)});
  return terms;
}

BoundTerms JobWindows::terms_of(const LatestEnd & end)
{
  if (end.courses) {
    return terms_of_courses(end);
  }
  BoundTerms terms;
  if (end.cluster) {
    static_cast<void>(end_in_cluster(end.segment.front(), &terms));
    return terms;
  }
  if (end.whole) {
    const Job & job = end.segment.front();
    static_cast<void>(end.joint ? joint_end(job, &terms) : end_of_way(job, nullptr, &terms));
    return terms;
  }
  std::vector<Arrival> open;
  look_for(end.segment);
  find_starter(levels_[end.level], end.segment);
  const Begin begin = begin_at(end.level, end.begin, open);
  const Ns sum = end_from(end.level, end.segment, begin, open, 0, &terms);
  add_term(terms, {TermKind::head_start, end.time - sum});  // the end is that of the interval
  return terms;
}

}  // namespace takt_plan::detail
