#include "oracles/job_oracle.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <utility>

namespace takt_plan::test
{

using nlohmann::json;

namespace
{

json bound_or_null(const takt_rt::Result<Ns> & bound)
{
  return bound ? json(*bound) : json();
}

/// The windows of a task; all of its runs have one.
json windows_of(const Model & model, const Hyperperiod & hyperperiod, Index task)
{
  auto windows = json::array();
  const std::string whom = "'" + model.tasks[task].id + "' ";
  for (const std::string & without : hyperperiod.without) {
    if (without.compare(0, whom.size(), whom) == 0) {
      return windows;
    }
  }
  for (const PhasedJob & job : hyperperiod.jobs) {
    if (job.task == task) {
      windows.push_back({static_cast<int>(job.set), job.earliest, job.latest, job.end});
    }
  }
  return windows;
}

json topics_of(const Task & task)
{
  Index most = 0;
  for (const Link & link : task.triggers) {
    most = std::max(most, link.topic + 1);
  }
  std::vector<json> topics(most, json::array());
  for (const Link & link : task.triggers) {
    topics[link.topic].push_back({link.from, link.delay});
  }
  return topics;
}

template <typename Random>
json task_json(const Task & task, const Overheads & overheads, Random & random)
{
  const auto pick = [&](Ns least, Ns most) {
    return std::uniform_int_distribution<Ns>(least, most)(random);
  };
  // A run that completes no set only takes its message.
  const Ns take = task.newest ? task.store : pick(0, task.middleware);
  json of{
    {"id", task.id},
    {"process", task.executor},
    {"threads", task.threads},
    {"priority", task.priority},
    {"group", task.group == kNone ? -1 : static_cast<int>(task.group)},
    {"time", task.time},
    {"best", pick(0, 1) == 0 ? 0 : pick(0, task.time)},
    {"dispatch", overheads.dispatch},
    {"take", take},
    {"publish", std::max<Ns>(task.middleware - take, 0)},
    {"topics", topics_of(task)},
    {"join", task.newest ? "newest"
             : task.all  ? "all"
                         : "any"}};
  if (task.release) {
    of["source"] = {
      {"period", task.release->period}, {"jitter", task.release->jitter}, {"timer", task.timer}};
    of["source"]["offset"] = task.release->offset ? json(*task.release->offset) : json();
  }
  return of;
}

}  // namespace

Claims claims_of(const takt_plan::Bounds & found)
{
  Claims claims;
  claims.tasks = found.tasks;
  for (const auto & chain : found.chains) {
    claims.chains.push_back(
      chain ? takt_rt::Result<Ns>(chain->bound) : takt_rt::Result<Ns>(chain.faults()));
  }
  return claims;
}

json for_oracle(
  const Model & model, const Overheads & overheads, const Claims & claims, std::uint64_t seed,
  const OracleRuns & runs)
{
  std::mt19937_64 random(seed);
  json of{
    {"name", "TAKT_TEST_SEED=" + std::to_string(seed)},
    {"seed", seed},
    {"runs", runs.runs},
    {"duration", runs.duration},
    {"starts_within", runs.starts_within},
    {"judged_from", runs.judged_from},
    {"publishes_at_end", runs.publishes_at_end},
    {"context_switch", overheads.context_switch},
    {"hyperperiod", claims.windows ? claims.windows->length : 0},
    {"processes", std::max<Index>(model.executors.size(), 1)},
    {"cores", model.cores.size()},
    {"threads", json::array()},
    {"others", json::array()},
    {"groups", json::array()},
    {"tasks", json::array()},
    {"chains", json::array()}};
  for (const Thread & thread : model.threads) {
    of["threads"].push_back(
      {{"cores", thread.cores},
       {"priority", thread.priority},
       {"order", thread.order == takt_core::Order::fifo ? "fifo" : "priority"},
       {"ceiling", thread.ceiling}});
  }
  for (const OtherLoad & other : model.others) {
    of["others"].push_back(
      {{"cores", other.cores},
       {"priority", other.priority},
       {"time", other.time},
       {"period", other.period}});
  }
  for (const Group & group : model.groups) {
    of["groups"].push_back(group.exclusive);
  }
  for (Index task = 0; task < model.tasks.size(); ++task) {
    json one = task_json(model.tasks[task], overheads, random);
    one["bound"] = bound_or_null(claims.tasks[task]);
    if (claims.windows) {
      one["windows"] = windows_of(model, *claims.windows, task);
    }
    of["tasks"].push_back(std::move(one));
  }
  for (Index chain = 0; chain < model.chains.size(); ++chain) {
    of["chains"].push_back(
      {{"name", model.chains[chain].name},
       {"path", model.chains[chain].path},
       {"bound", bound_or_null(claims.chains[chain])}});
  }
  return of;
}

JobOracle::JobOracle(const std::string & options)
{
  std::signal(SIGPIPE, SIG_IGN);  // the oracle may stop while this process still writes models
  out_ = (std::filesystem::temp_directory_path() / "job_oracle.XXXXXX").string();
  const int file = ::mkstemp(out_.data());
  if (file < 0) {
    throw std::runtime_error(out_ + " cannot be made");
  }
  ::close(file);
  const std::string command = "'" TAKT_JOB_ORACLE "' " + options + " > '" + out_ + "'";
  in_ = ::popen(command.c_str(), "w");  // NOLINT: a program of this build
  if (in_ == nullptr) {
    throw std::runtime_error(command + " cannot be started");
  }
}

JobOracle::~JobOracle()
{
  if (in_ != nullptr) {
    ::pclose(in_);
  }
  std::filesystem::remove(out_);
}

bool JobOracle::look_at(const json & model)
{
  const std::string line = model.dump() + "\n";
  return std::fwrite(line.data(), 1, line.size(), in_) == line.size() && std::fflush(in_) == 0;
}

std::string JobOracle::output()
{
  ::pclose(in_);
  in_ = nullptr;
  std::ifstream file(out_);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace takt_plan::test
