#include "simulation/timeline.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace takt_plan
{
namespace
{

using Json = nlohmann::ordered_json;

// Processes of the trace: Perfetto groups tracks by process.
constexpr Index kActivation = 1;
constexpr Index kHosts = 2;

double microseconds(Ns ns)
{
  return static_cast<double>(ns) / 1000;
}

Json slice(Index process, Index track, const std::string & name, Ns from, Ns to, Json arguments)
{
  return {
    {"ph", "X"},
    {"pid", process},
    {"tid", track},
    {"name", name},
    {"ts", microseconds(from)},
    {"dur", microseconds(to - from)},
    {"args", std::move(arguments)}};
}

void name_process(Json & events, Index process, const std::string & name)
{
  events.push_back(
    {{"ph", "M"}, {"pid", process}, {"name", "process_name"}, {"args", {{"name", name}}}});
  events.push_back(
    {{"ph", "M"},
     {"pid", process},
     {"name", "process_sort_index"},
     {"args", {{"sort_index", process}}}});
}

void name_track(Json & events, Index process, Index track, const std::string & name)
{
  events.push_back(
    {{"ph", "M"},
     {"pid", process},
     {"tid", track},
     {"name", "thread_name"},
     {"args", {{"name", name}}}});
}

}  // namespace

Timeline::Timeline(const SimulationModel & model, Ns from, Ns to)
: model_(model),
  from_(from),
  to_(to),
  work_(model.model.cores.size())
{
}

Timeline Timeline::around(const SimulationModel & model, const Response & response)
{
  const Ns time = std::max<Ns>(response.time(), 1);
  return {model, std::max<Ns>(response.release - time, 0), response.end + time / 4};
}

void Timeline::on_work(Index core, Index thread, Activity activity, Index task, Ns from, Ns to)
{
  if (to < from_ || from > to_ || from == to) {
    return;
  }
  auto & line = work_[core];
  if (!line.empty()) {
    Work & last = line.back();
    if (
      last.thread == thread && last.activity == activity && last.task == task && last.to == from &&
      !last.over) {
      last.to = to;
      return;
    }
  }
  line.push_back({thread, activity, task, from, to, false});
}

void Timeline::on_end(Index thread, Index task, Ns release, Ns start, Ns end)
{
  for (auto & line : work_) {
    if (!line.empty() && line.back().thread == thread) {
      line.back().over = true;
    }
  }
  if (end >= from_ && start <= to_) {
    jobs_.push_back({thread, task, release, start, end});
  }
}

std::string Timeline::thread_name(Index thread) const
{
  const Model & model = model_.model;
  return thread < model.threads.size() ? model.threads[thread].name
                                       : model.others[thread - model.threads.size()].name;
}

std::string Timeline::to_json(const std::string & name, const Response & response) const
{
  const Model & model = model_.model;
  Json events = Json::array();
  name_process(events, kActivation, "worst activation");
  name_track(events, kActivation, 1, name);
  events.push_back(slice(
    kActivation, 1, name, response.release, response.end,
    {{"response_us", microseconds(response.time())}, {"run", response.run}}));
  for (Index host = 0; host < model.hosts.size(); ++host) {
    name_process(events, kHosts + host, "cores of " + model.hosts[host]);
  }
  for (Index core = 0; core < work_.size(); ++core) {
    const Index process = kHosts + model.cores[core].host;
    const auto track = static_cast<Index>(model.cores[core].number) + 1;
    name_track(events, process, track, "core " + std::to_string(model.cores[core].number));
    for (const Work & work : work_[core]) {
      const std::string what = work.activity == Activity::job     ? model.tasks[work.task].id
                               : work.activity == Activity::other ? thread_name(work.thread)
                                                                  : "switch";
      events.push_back(
        slice(process, track, what, work.from, work.to, {{"thread", thread_name(work.thread)}}));
    }
  }
  const Index executors = kHosts + model.hosts.size();
  for (Index executor = 0; executor < model.executors.size(); ++executor) {
    name_process(events, executors + executor, "threads of " + model.executors[executor]);
  }
  for (Index thread = 0; thread < model.threads.size(); ++thread) {
    name_track(
      events, executors + model.threads[thread].executor, thread + 1, model.threads[thread].name);
  }
  for (const Job & job : jobs_) {
    events.push_back(slice(
      executors + model.threads[job.thread].executor, job.thread + 1, model.tasks[job.task].id,
      job.start, job.end,
      {{"released_us", microseconds(job.release)},
       {"response_us", microseconds(job.end - job.release)}}));
  }
  return Json{{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}}.dump(
    -1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace takt_plan
