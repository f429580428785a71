#include "read_model.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace job_oracle
{

namespace
{

using nlohmann::json;

std::optional<Time> maybe(const json & of, const char * key)
{
  const auto found = of.find(key);
  return found == of.end() || found->is_null() ? std::nullopt
                                               : std::optional<Time>(found->get<Time>());
}

void check(bool fine, const std::string & what)
{
  if (!fine) {
    throw std::runtime_error(what);
  }
}

Task read_task(const json & of)
{
  Task task;
  task.id = of.at("id");
  task.process = of.value("process", 0);
  task.threads = of.at("threads").get<std::vector<int>>();
  task.priority = of.value("priority", 0);
  task.group = of.value("group", kNone);
  task.time = of.at("time");
  task.best = of.value("best", Time{0});
  task.dispatch = of.value("dispatch", Time{0});
  task.take = of.value("take", Time{0});
  task.publish = of.value("publish", Time{0});
  if (const auto source = of.find("source"); source != of.end()) {
    task.source = Source{
      source->at("period"), source->value("jitter", Time{0}), maybe(*source, "offset"),
      source->value("timer", true)};
    check(task.source->period > 0, task.id + " has a period that is not above zero");
  }
  for (const json & topic : of.value("topics", json::array())) {
    task.topics.emplace_back();
    for (const json & link : topic) {
      task.topics.back().push_back({link.at(0), link.at(1)});
    }
  }
  const std::string join = of.value("join", "any");
  check(
    join == "any" || join == "all" || join == "newest",
    task.id + " has the unknown join '" + join + "'; write any, all or newest");
  task.join = join == "any" ? Join::any : join == "all" ? Join::all : Join::newest;
  task.bound = maybe(of, "bound");
  for (const json & window : of.value("windows", json::array())) {
    const int part = window.at(0);
    check(part >= 0 && part <= 2, task.id + " has a window of an unknown part; write 0, 1 or 2");
    task.windows.push_back({static_cast<Part>(part), window.at(1), window.at(2), window.at(3)});
  }
  return task;
}

void check_positions(const Model & model)
{
  const auto is_of = [](int index, std::size_t size) {
    return index >= 0 && static_cast<std::size_t>(index) < size;
  };
  const auto check_cores = [&](const std::vector<int> & cores) {
    check(!cores.empty(), "a thread has no core");
    for (const int core : cores) {
      check(core >= 0 && core < model.cores, "a thread is on a core that is not there");
    }
  };
  for (const Thread & thread : model.threads) {
    check_cores(thread.cores);
  }
  for (const Other & other : model.others) {
    check_cores(other.cores);
    check(other.period > 0, "a thread has a period that is not above zero");
  }
  for (const Task & task : model.tasks) {
    check(!task.threads.empty(), task.id + " has no thread");
    check(task.process >= 0 && task.process < model.processes, task.id + " has no such process");
    check(
      task.group == kNone || is_of(task.group, model.groups.size()),
      task.id + " has no such group");
    check(task.windows.empty() || model.hyperperiod > 0, "windows need a hyperperiod");
    for (const int thread : task.threads) {
      check(is_of(thread, model.threads.size()), task.id + " has no such thread");
    }
    for (const auto & topic : task.topics) {
      for (const Link & link : topic) {
        check(is_of(link.from, model.tasks.size()), task.id + " hears a task that is not there");
      }
    }
  }
  for (const Chain & chain : model.chains) {
    check(!chain.path.empty(), chain.name + " has no path");
    for (const int task : chain.path) {
      check(is_of(task, model.tasks.size()), chain.name + " has a task that is not there");
    }
  }
}

/// The cores of a thread: a list, or one of them.
std::vector<int> cores_of(const json & thread)
{
  return thread.contains("cores") ? thread.at("cores").get<std::vector<int>>()
                                  : std::vector<int>{thread.value("core", 0)};
}

Model read(const json & of)
{
  Model model;
  model.name = of.at("name");
  model.seed = of.value("seed", std::uint64_t{1});
  model.runs = of.value("runs", 4);
  model.duration = of.at("duration");
  model.starts_within = of.value("starts_within", Time{0});
  model.judged_from = of.value("judged_from", Time{0});
  model.context_switch = of.value("context_switch", Time{0});
  model.hyperperiod = of.value("hyperperiod", Time{0});
  model.publishes_at_end = of.value("publishes_at_end", false);
  model.processes = of.value("processes", 1);
  model.cores = of.value("cores", 1);
  for (const json & one : of.at("threads")) {
    const std::string order = one.value("order", "priority");
    check(order == "priority" || order == "fifo", "a thread has the unknown order '" + order + "'");
    model.threads.push_back(
      {cores_of(one), one.at("priority"), order == "priority", one.value("ceiling", 0)});
  }
  for (const json & one : of.value("others", json::array())) {
    model.others.push_back({cores_of(one), one.at("priority"), one.at("time"), one.at("period")});
  }
  for (const json & exclusive : of.value("groups", json::array())) {
    model.groups.push_back(exclusive.get<bool>());
  }
  for (const json & one : of.at("tasks")) {
    model.tasks.push_back(read_task(one));
  }
  for (const json & one : of.value("chains", json::array())) {
    model.chains.push_back({one.at("name"), one.at("path"), maybe(one, "bound")});
  }
  check_positions(model);
  return model;
}

}  // namespace

Model read_model(const std::string & line)
{
  try {
    return read(json::parse(line));
  } catch (const json::exception & fault) {
    throw std::runtime_error(fault.what());
  }
}

}  // namespace job_oracle
