#include "judge.hpp"

#include <algorithm>

namespace job_oracle
{

namespace
{

Time round_down(Time a, Time b)
{
  return a / b - (a % b < 0 ? 1 : 0);
}

std::string from_to(Time from, Time to)
{
  return "from " + std::to_string(from) + " to " + std::to_string(to);
}

}  // namespace

Judge::Judge(const Model & model, Findings & findings)
: model_(model),
  findings_(findings),
  before_(findings.violations),
  tasks_(model.tasks.size(), -1),
  chains_(model.chains.size(), -1)
{
  ++findings.models;
  for (const Task & task : model.tasks) {
    ++(task.bound ? findings.bounds : findings.refusals);
  }
  for (const Chain & chain : model.chains) {
    ++(chain.bound ? findings.bounds : findings.refusals);
  }
}

void Judge::fail(const std::string & whose, const std::string & what)
{
  if (findings_.violations++ == before_) {
    ++findings_.refuted;
  }
  if (findings_.first.empty()) {
    findings_.first = model_.name + " run " + std::to_string(run_) + " " + whose + " " + what;
  }
}

bool Judge::inside(const Job & job, Time end) const
{
  const Task & task = model_.tasks[static_cast<std::size_t>(job.task)];
  bool any = false;
  for (const Window & window : task.windows) {
    if (window.part != job.part) {
      continue;
    }
    any = true;
    if (job.of_source && (job.nominal - window.earliest) % model_.hyperperiod != 0) {
      continue;
    }
    // The last one that may be released by then, or one before it.
    const Time length = model_.hyperperiod;
    for (Time turn = round_down(job.release - window.earliest, length) * length;
         window.latest + turn >= job.release; turn -= length) {
      if (end <= window.end + turn) {
        return true;
      }
    }
  }
  return !any;
}

void Judge::judge(const Job & job, Time end)
{
  const Task & task = model_.tasks[static_cast<std::size_t>(job.task)];
  if (task.bound) {
    ++findings_.responses;
    if (end - job.source > *task.bound) {
      fail(
        task.id, "bound " + std::to_string(*task.bound) + ", seen " +
                   std::to_string(end - job.source) + ", " + from_to(job.source, end));
    }
  }
  const bool unknown = task.join == Join::newest && job.part == Part::none;
  if (!task.windows.empty() && !unknown) {
    ++findings_.in_windows;
    if (!inside(job, end)) {
      fail(task.id, "outside of its windows, " + from_to(job.release, end));
    }
  }
}

void Judge::on_end(const Job & job, Time end)
{
  ++findings_.jobs;
  if (job.source >= model_.judged_from) {
    Time & longest = tasks_[static_cast<std::size_t>(job.task)];
    longest = std::max(longest, end - job.source);
    judge(job, end);
  }
}

void Judge::on_left(const Job & job, Time now)
{
  if (job.source >= model_.judged_from) {
    judge(job, now);
  }
}

void Judge::on_chain_end(int chain, Time release, Time end)
{
  if (release < model_.judged_from) {
    return;
  }
  const Chain & of = model_.chains[static_cast<std::size_t>(chain)];
  Time & longest = chains_[static_cast<std::size_t>(chain)];
  longest = std::max(longest, end - release);
  if (!of.bound) {
    return;
  }
  ++findings_.responses;
  if (end - release > *of.bound) {
    fail(
      of.name, "bound " + std::to_string(*of.bound) + ", seen " + std::to_string(end - release) +
                 ", " + from_to(release, end));
  }
  if (*of.bound > 0) {
    findings_.tightest = std::max(
      findings_.tightest, static_cast<double>(end - release) / static_cast<double>(*of.bound));
  }
}

Judge look_at(const Model & model, Findings & findings)
{
  Judge judge(model, findings);
  for (int run = 0; run < model.runs; ++run) {
    judge.begin(run);
    Situation situation(model, run);
    Simulation(model, situation, judge).run();
  }
  return judge;
}

}  // namespace job_oracle
