#include "model/build_model.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "model/hosts.hpp"
#include "model/placement.hpp"
#include "takt_plan/kernel_model.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan
{
namespace
{

using takt_rt::Faults;
using takt_rt::Result;
using takt_schedule::CallbackModel;
using takt_schedule::ChainSchedule;
using takt_schedule::quoted;
using takt_schedule::Schedule;
using takt_schedule::System;

// A link takes 24 bytes, and each step of a chain searches all links of its callback.
constexpr std::uint64_t kMostLinks = 10'000'000;
constexpr std::uint64_t kMostLinksOfOne = 10'000;

class Builder
{
public:
  Builder(const System & system, const Schedule & schedule)
  : system_(system),
    schedule_(schedule),
    hosts_(system, model_),
    placement_(system, schedule, hosts_, model_, faults_)
  {
  }

  Result<Model> build()
  {
    add_groups();
    for (const CallbackModel & callback : system_.callbacks) {
      add_task(callback);
    }
    placement_.settle_triggers();
    add_turns();
    add_links();
    add_calls();
    add_chains();
    if (faults_.empty()) {
      faults_ = check(model_).faults();
    }
    if (!faults_.empty()) {
      return std::move(faults_);
    }
    return std::move(model_);
  }

private:
  void add_groups()
  {
    for (const takt_schedule::GroupModel & group : system_.groups) {
      group_index_[group.id] = model_.groups.size();
      model_.groups.push_back({group.id, group.kind == takt_core::GroupKind::mutually_exclusive});
    }
  }

  void add_task(const CallbackModel & callback)
  {
    for (const std::string & id : callback.all_ids()) {
      task_index_[id] = model_.tasks.size();
    }
    Task task;
    task.id = callback.id;
    task.group = group_of(callback);
    task.timer = callback.is_timer();
    task.all = callback.trigger == takt_schedule::Trigger::all;
    task.newest = callback.trigger == takt_schedule::Trigger::newest;
    if (callback.period) {
      Release release;
      release.period = callback.period->count();
      release.jitter = callback.jitter.count();
      if (callback.offset) {
        release.offset = callback.offset->count();
      }
      task.release = release;
    }
    placement_.place(callback, task);
    task.depth = callback.depth;
    task.one_topic = callback.publishes.size() <= 1 && callback.waits_for.empty();
    if (task.host != kNone) {
      const takt_schedule::Overheads & overheads = system_.hosts[task.host].overheads;
      const Ns messages = static_cast<Ns>(callback.publishes.size() + taken(callback));
      task.time = callback.time.worst.count();
      // A taker's thread goes on with its inputs.
      const Ns switches = task.input ? 0 : 2;
      task.dispatch =
        add(overheads.dispatch.count(), multiply(switches, overheads.context_switch.count()));
      task.middleware = multiply(messages, overheads.middleware.count());
      task.publish =
        multiply(static_cast<Ns>(callback.publishes.size()), overheads.middleware.count());
      task.sleep = callback.sleep.count();
      // A run that waits leaves its core and comes back at most once for each answer.
      const std::size_t waits = callback.waits_for.size() + (task.sleep > 0 ? 1 : 0);
      task.dispatch =
        add(task.dispatch, multiply(static_cast<Ns>(2 * waits), overheads.context_switch.count()));
      task.store = task.newest ? add(task.dispatch, overheads.middleware.count()) : 0;
    }
    model_.tasks.push_back(std::move(task));
  }

  /// Adds the context switches at the ends of quanta.
  void add_turns()
  {
    const Ns quantum = KernelOptions().rr_quantum;
    for (Task & task : model_.tasks) {
      const bool turns = std::any_of(task.threads.begin(), task.threads.end(), [&](Index thread) {
        return model_.threads[thread].rr && has_equal(thread);
      });
      if (turns) {
        const Ns twice = multiply(2, system_.hosts[task.host].overheads.context_switch.count());
        const Ns quanta = (task.cost() - 1) / quantum + 1;
        task.dispatch = add(task.dispatch, multiply(twice, quanta));
      }
    }
  }

  /// True if another thread of the same OS priority may use one of the thread's cores.
  bool has_equal(Index index) const
  {
    const Thread & own = model_.threads[index];
    const auto equal = [&](const auto & other) {
      return other.priority == own.priority &&
             std::any_of(other.cores.begin(), other.cores.end(), [&](Index core) {
               return std::find(own.cores.begin(), own.cores.end(), core) != own.cores.end();
             });
    };
    for (Index other = 0; other < model_.threads.size(); ++other) {
      if (other != index && equal(model_.threads[other])) {
        return true;
      }
    }
    return std::any_of(model_.others.begin(), model_.others.end(), equal);
  }

  /// The number of messages that one run takes.
  static std::size_t taken(const CallbackModel & callback)
  {
    if (callback.is_timer()) {
      return 0;
    }
    return callback.trigger == takt_schedule::Trigger::all && !callback.triggers.empty()
             ? callback.triggers.size()
             : 1;
  }

  /// Groups that `groups:` does not list are exclusive, as in all of ROS 2.
  Index group_of(const CallbackModel & callback)
  {
    if (callback.group.empty()) {
      return kNone;
    }
    const auto [entry, fresh] = group_index_.try_emplace(callback.group, model_.groups.size());
    if (fresh) {
      model_.groups.push_back({callback.group, true});
    }
    return entry->second;
  }

  using Publishers = std::unordered_map<std::string, std::vector<Index>>;

  /// Links each reader of a topic to each of its publishers. False: there would be too many links.
  bool few_enough_links(const Publishers & publishers)
  {
    std::uint64_t all = 0;
    for (const CallbackModel & callback : system_.callbacks) {
      std::uint64_t own = 0;
      for (const auto * topics : {&callback.triggers, &callback.reads}) {
        for (const std::string & topic : *topics) {
          const auto found = publishers.find(topic);
          own += found == publishers.end() ? 0 : found->second.size();
        }
      }
      all += own;
      if (own > kMostLinksOfOne || all > kMostLinks) {
        const bool one = own > kMostLinksOfOne;
        faults_.push_back(takt_schedule::located(
          system_.file, callback.source,
          (one ? quoted(callback.id) + " gets messages of " + std::to_string(own) +
                   " publishers, and a callback has at most " + std::to_string(kMostLinksOfOne)
               : "with " + quoted(callback.id) + " readers of topics have more than " +
                   std::to_string(kMostLinks) + " publishers, each counted for each") +
            "; describe fewer of them"));
        return false;
      }
    }
    return true;
  }

  void add_links()
  {
    Publishers publishers;
    for (Index i = 0; i < system_.callbacks.size(); ++i) {
      for (const std::string & topic : system_.callbacks[i].publishes) {
        publishers[topic].push_back(i);
      }
    }
    if (!few_enough_links(publishers)) {
      return;
    }
    for (Index i = 0; i < system_.callbacks.size(); ++i) {
      const CallbackModel & callback = system_.callbacks[i];
      const auto add_from = [&](
                              const std::vector<std::string> & topics, std::vector<Link> & links) {
        for (Index topic = 0; topic < topics.size(); ++topic) {
          for (const Index from : publishers[topics[topic]]) {
            links.push_back({from, delay(from, i), topic});
          }
        }
      };
      add_from(callback.triggers, model_.tasks[i].triggers);
      add_from(callback.reads, model_.tasks[i].reads);
    }
  }

  /// A request goes from the waiting callback to the first callback that it waits for, from there
  /// to the next one, and the answer of the last one goes back.
  void add_calls()
  {
    for (Index i = 0; i < system_.callbacks.size(); ++i) {
      Index before = i;
      for (const std::string & id : system_.callbacks[i].waits_for) {
        const auto found = task_index_.find(id);
        if (found == task_index_.end()) {
          continue;  // the model's check reports it
        }
        const Index to = found->second;
        std::vector<Link> & links = model_.tasks[to].triggers;
        Index topic = system_.callbacks[to].triggers.size();
        for (const Link & link : links) {
          topic = std::max(topic, link.topic + 1);
        }
        model_.tasks[i].waits_for.push_back(to);
        const Ns answer = model_.tasks[i].waits_for.size() == system_.callbacks[i].waits_for.size()
                            ? delay(to, i)
                            : 0;
        links.push_back({i, add(delay(before, to), answer), topic, true});
        before = to;
      }
    }
  }

  Ns delay(Index from, Index to) const
  {
    const CallbackModel & a = system_.callbacks[from];
    const CallbackModel & b = system_.callbacks[to];
    if (a.host != b.host) {
      return system_.communication.hosts.count();
    }
    return a.executor != b.executor ? system_.communication.processes.count() : 0;
  }

  void add_chains()
  {
    for (const ChainSchedule & chain : system_.chains) {
      add_chain(chain, system_.file);
    }
    for (const ChainSchedule & chain : schedule_.chains) {
      if (chain_names_.count(chain.options.name) == 0) {
        add_chain(chain, schedule_.file);
      }
    }
  }

  void add_chain(const ChainSchedule & from, const std::string & file)
  {
    Chain chain;
    chain.name = from.options.name;
    chain.priority = from.options.priority;
    chain.deadline = from.options.deadline.count();
    for (const std::string & id : from.options.path) {
      const auto found = task_index_.find(id);
      if (found == task_index_.end()) {
        faults_.push_back(takt_schedule::located(
          file, from.source,
          "chain " + quoted(chain.name) + ": the model has no callback " + quoted(id)));
        return;
      }
      chain.path.push_back(found->second);
      if (id != model_.tasks[found->second].id) {
        chain.aliases.push_back({found->second, id});
      }
    }
    chain_names_.insert(chain.name);
    model_.chains.push_back(std::move(chain));
  }

  const System & system_;
  const Schedule & schedule_;
  Model model_;
  Faults faults_;
  const detail::Hosts hosts_;
  detail::Placement placement_;
  std::unordered_map<std::string, Index> group_index_;
  std::unordered_map<std::string, Index> task_index_;
  std::unordered_set<std::string> chain_names_;
};

}  // namespace

Result<Model> build_model(const System & system, const Schedule & schedule)
{
  return Builder(system, schedule).build();
}

}  // namespace takt_plan
