#include "takt_plan/model.hpp"

#include <algorithm>
#include <set>

#include "takt_schedule/quoted.hpp"

namespace takt_plan
{
namespace
{

using takt_rt::Faults;
using takt_schedule::quoted;

/// Makes the text only if there is a fault: the planner checks a model in each attempt.
struct Named
{
  const char * kind;
  const std::string & name;

  std::string operator+(const char * what) const
  {
    return std::string(kind) + ' ' + quoted(name) + what;
  }
};

class Checker
{
public:
  explicit Checker(const Model & model) : model_(model) {}

  Faults run()
  {
    for (const Core & core : model_.cores) {
      require(core.host < model_.hosts.size(), "a core is of no host");
    }
    for (const Thread & thread : model_.threads) {
      check(thread);
    }
    for (const OtherLoad & other : model_.others) {
      const Named name{"thread", other.name};
      check_cores(other.cores, name);
      require(
        other.period > 0 && other.time >= 0 && other.time < kUnbounded, name,
        " needs a positive period and a time of at least zero");
    }
    for (const Task & task : model_.tasks) {
      check(task);
    }
    for (const Chain & chain : model_.chains) {
      check(chain);
    }
    if (faults_.empty() && in_trigger_order(model_).size() != model_.tasks.size()) {
      faults_.push_back("some tasks start themselves");
    }
    return std::move(faults_);
  }

private:
  void require(bool right, const char * what)
  {
    if (!right) {
      faults_.push_back(what);
    }
  }

  void require(bool right, const Named & who, const char * what)
  {
    if (!right) {
      faults_.push_back(who + what);
    }
  }

  void check_cores(const std::vector<Index> & cores, const Named & whose)
  {
    require(!cores.empty(), whose, " has no core");
    for (const Index core : cores) {
      require(core < model_.cores.size(), whose, " is on a core that is not there");
    }
  }

  void check(const Thread & thread)
  {
    const Named name{"thread", thread.name};
    check_cores(thread.cores, name);
    require(
      thread.host < model_.hosts.size() && thread.executor < model_.executors.size(), name,
      " is of a host or executor that is not there");
  }

  void check(const Task & task)
  {
    const Named name{"task", task.id};
    require(
      task.host < model_.hosts.size() && task.executor < model_.executors.size(), name,
      " is of a host or executor that is not there");
    require(!task.threads.empty(), name, " has no thread");
    for (const Index thread : task.threads) {
      require(thread < model_.threads.size(), name, " is on a thread that is not there");
    }
    require(
      task.group == kNone || task.group < model_.groups.size(), name,
      " is in a group that is not there");
    require(
      task.time >= 0 && task.dispatch >= 0 && task.middleware >= 0 && task.sleep >= 0, name,
      " has a negative time");
    require(task.cost() < kUnbounded, name, " has no longest time");
    require(
      !task.newest || (task.store >= 0 && task.store <= task.cost()), name,
      " keeps messages for longer than it works");
    require(!(task.all && task.newest), name, " waits for messages in two ways");
    require(
      !task.newest || (!task.release && !task.triggers.empty()), name,
      " keeps messages and is started by something else");
    check_set(task, name);
    require(task.release.has_value() || !task.triggers.empty(), name, " is started by nothing");
    if (task.release) {
      require(task.release->period > 0, name, " needs a positive period");
      require(task.release->jitter >= 0, name, " has a negative jitter");
    }
    for (const Index other : task.waits_for) {
      require(other < model_.tasks.size(), name, " waits for no task");
    }
    for (const Index taker : task.input ? task.input->takers : std::vector<Index>()) {
      require(taker < model_.tasks.size(), name, " is taken by no task");
    }
    for (const auto * links : {&task.triggers, &task.reads}) {
      for (const Link & link : *links) {
        require(link.from < model_.tasks.size(), name, " gets messages from no task");
        require(link.delay >= 0, name, " gets messages before they are sent");
      }
    }
  }

  void check_set(const Task & task, const Named & name)
  {
    if (!task.newest) {
      return;
    }
    std::set<Index> topics;
    for (const Link & link : task.triggers) {
      topics.insert(link.topic);
    }
    require(
      topics.empty() || *topics.rbegin() + 1 == topics.size(), name,
      " waits for messages of a topic that nobody publishes");
  }

  void check(const Chain & chain)
  {
    const Named name{"chain", chain.name};
    require(!chain.path.empty(), name, " is empty");
    for (Index i = 0; i < chain.path.size(); ++i) {
      if (chain.path[i] >= model_.tasks.size()) {
        faults_.push_back(name + " has a task that is not there");
        return;
      }
      if (i > 0 && !follows(chain.path[i], chain.path[i - 1])) {
        faults_.push_back(
          name + ": " + quoted(model_.tasks[chain.path[i]].id) +
          " neither is started by nor reads " + quoted(model_.tasks[chain.path[i - 1]].id));
      }
    }
  }

  bool follows(Index task, Index before) const
  {
    const auto is_from = [&](const Link & link) { return link.from == before; };
    const Task & t = model_.tasks[task];
    return std::any_of(t.triggers.begin(), t.triggers.end(), is_from) ||
           std::any_of(t.reads.begin(), t.reads.end(), is_from);
  }

  const Model & model_;
  Faults faults_;
};

}  // namespace

Index Model::epoch_of(const Task & task) const
{
  if (counts_from_start(task)) {
    return task.executor;
  }
  // The number of the host's clock, after the numbers of all executors.
  const bool of_host = !task.timer || epochs[task.executor] == takt_core::Epoch::host;
  return executors.size() + (of_host ? task.host : hosts.size());
}

bool Model::counts_from_start(const Task & task) const
{
  return task.timer &&
         (task.executor >= epochs.size() || epochs[task.executor] == takt_core::Epoch::start);
}

Index Model::timer_of_border(Index task) const
{
  const std::vector<Link> & reads = tasks[task].reads;
  const bool is =
    tasks[task].timer && reads.size() == 1 && tasks[reads.front().from].border == task;
  return is ? reads.front().from : kNone;
}

Ns Model::first_release(Index timer) const
{
  const Index of_border = timer_of_border(timer);
  const Task & task = tasks[of_border == kNone ? timer : of_border];
  const Ns offset = counts_from_start(task) ? task.release->offset.value_or(0) : 0;
  if (of_border == kNone) {
    return offset;
  }
  const bool known = counts_from_start(task) && task.release->offset;
  return add(known ? offset : task.release->period, task.release->period);
}

bool Model::has_logical_time(const Task & task) const
{
  return task.timer && task.group != kNone && groups[task.group].logical_time.has_value();
}

std::string Model::core_name(Index core) const
{
  return "core " + std::to_string(cores[core].number) + " of " + hosts[cores[core].host];
}

const std::string & Model::id_on(const Chain & chain, Index task) const
{
  for (const Chain::Alias & alias : chain.aliases) {
    if (alias.task == task) {
      return alias.id;
    }
  }
  return tasks[task].id;
}

takt_rt::Status check(const Model & model)
{
  return Checker(model).run();
}

std::vector<Index> in_trigger_order(const Model & model)
{
  std::vector<std::size_t> waits(model.tasks.size());
  std::vector<std::vector<Index>> next(model.tasks.size());
  std::vector<Index> order;
  order.reserve(model.tasks.size());
  for (Index i = 0; i < model.tasks.size(); ++i) {
    waits[i] = model.tasks[i].triggers.size();
    for (const Link & link : model.tasks[i].triggers) {
      next[link.from].push_back(i);
    }
    if (waits[i] == 0) {
      order.push_back(i);
    }
  }
  for (Index done = 0; done < order.size(); ++done) {
    for (const Index i : next[order[done]]) {
      if (--waits[i] == 0) {
        order.push_back(i);
      }
    }
  }
  return order;
}

}  // namespace takt_plan
