// What only the whole model shows. Linear in its size.
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "read_system.hpp"
#include "text.hpp"

namespace takt_schedule::detail
{
namespace
{

using Index = std::size_t;

class Checker
{
public:
  Checker(const System & system, Findings & findings) : system_(system), findings_(findings)
  {
    for (Index i = 0; i < system.callbacks.size(); ++i) {
      const CallbackModel & callback = system.callbacks[i];
      for (const std::string & id : callback.all_ids()) {
        by_id_.emplace(id, i);
        ids_.push_back(id);
      }
      for (const std::string & topic : callback.publishes) {
        published_.insert(topic);
        topics_.push_back(topic);
      }
    }
  }

  void check()
  {
    check_topics();
    check_executors();
    check_groups();
    check_cycles(system_, findings_);
    for (const ChainSchedule & chain : system_.chains) {
      check_path(chain);
    }
    if (findings_.ok()) {
      warn_load();
    }
  }

private:
  void check_topics()
  {
    for (const CallbackModel & callback : system_.callbacks) {
      for (const auto * topics : {&callback.triggers, &callback.reads}) {
        for (const std::string & topic : *topics) {
          if (published_.count(topic) == 0) {
            const bool starts = topics == &callback.triggers;
            findings_.fault(
              callback.source,
              "nothing publishes " + quoted(topic) + ", which " + quoted(callback.id) +
                (starts ? " is started by" : " reads") + suggestion(topic, topics_, "topics") +
                (starts ? " (if its messages come from outside of the model, give it a period "
                          "instead of triggers)"
                        : ""));
          }
        }
      }
    }
  }

  /// An executor is one process, so it is on one host, and a group is in one executor.
  void check_executors()
  {
    std::unordered_map<std::string, const CallbackModel *> first;
    for (const CallbackModel & callback : system_.callbacks) {
      const auto [known, fresh] = first.emplace(callback.executor, &callback);
      if (!fresh && known->second->host != callback.host) {
        findings_.fault(
          callback.source, "executor " + quoted(callback.executor) + " is on host " +
                             quoted(known->second->host) + " (line " +
                             std::to_string(known->second->source.line) + ") and on host " +
                             quoted(callback.host) + "; an executor is one process");
      }
    }
  }

  void check_groups()
  {
    std::unordered_map<std::string, const CallbackModel *> first;
    for (const CallbackModel & callback : system_.callbacks) {
      if (callback.group.empty()) {
        continue;
      }
      const auto [known, fresh] = first.emplace(callback.group, &callback);
      if (!fresh && known->second->executor != callback.executor) {
        findings_.fault(
          callback.source, "group " + quoted(callback.group) + " has callbacks in executors " +
                             quoted(known->second->executor) + " and " + quoted(callback.executor) +
                             "; a group belongs to one executor");
      }
    }
    for (const GroupModel & group : system_.groups) {
      if (first.count(group.id) == 0) {
        findings_.warn(group.source, "no callback is in group " + quoted(group.id));
      }
    }
  }

  void check_path(const ChainSchedule & chain)
  {
    const auto & path = chain.options.path;
    const CallbackModel * before = nullptr;
    for (std::size_t i = 0; i < path.size(); ++i) {
      const Source & at = chain.path_sources[i];
      const auto found = by_id_.find(path[i]);
      if (found == by_id_.end()) {
        findings_.fault(
          at, "no callback " + quoted(path[i]) + suggestion(path[i], ids_, "callbacks"));
        before = nullptr;
        continue;
      }
      const CallbackModel & callback = system_.callbacks[found->second];
      if (before != nullptr && !connected(*before, callback, path[i])) {
        findings_.fault(
          at, quoted(path[i]) + " neither is triggered by nor reads what " + quoted(before->id) +
                " publishes" +
                (before->publishes.empty() ? " (nothing)"
                                           : ", " + listed(shortened(before->publishes))));
      }
      before = &callback;
    }
  }

  /// `id`: of `to`'s; a subscription of a set gets its own topic only.
  static bool connected(
    const CallbackModel & from, const CallbackModel & to, const std::string & id)
  {
    const auto own = std::find(to.ids.begin(), to.ids.end(), id);
    if (own != to.ids.end() && to.ids.size() == to.triggers.size()) {
      const auto & topic = to.triggers[static_cast<Index>(own - to.ids.begin())];
      return std::count(from.publishes.begin(), from.publishes.end(), topic) != 0;
    }
    const std::unordered_set<std::string_view> published(
      from.publishes.begin(), from.publishes.end());
    const auto gets = [&](const std::string & topic) { return published.count(topic) != 0; };
    return std::any_of(to.triggers.begin(), to.triggers.end(), gets) ||
           std::any_of(to.reads.begin(), to.reads.end(), gets);
  }

  static std::vector<std::string> shortened(const std::vector<std::string> & topics)
  {
    constexpr std::size_t kShown = 5;
    return {
      topics.begin(),
      topics.begin() + static_cast<std::ptrdiff_t>(std::min(topics.size(), kShown))};
  }

  /// Only what is certain: callbacks with a period of their own.
  void warn_load()
  {
    std::unordered_map<std::string_view, double> loads;
    for (const CallbackModel & callback : system_.callbacks) {
      if (callback.period) {
        loads[callback.host] += static_cast<double>(callback.time.worst.count()) /
                                static_cast<double>(callback.period->count());
      }
    }
    for (const HostModel & host : system_.hosts) {
      const double load = loads[host.name];
      const auto cores = static_cast<double>(host.cores.size() - host.reserved.size());
      if (load > cores) {
        findings_.warn(
          host.source, "host " + quoted(host.name) + " has " +
                         std::to_string(host.cores.size() - host.reserved.size()) +
                         " cores for callbacks, and those with a period alone need " +
                         std::to_string(static_cast<long long>(std::ceil(load))));
      }
    }
  }

  const System & system_;
  Findings & findings_;
  std::unordered_map<std::string, Index> by_id_;
  std::vector<std::string> ids_;
  std::unordered_set<std::string_view> published_;
  std::vector<std::string> topics_;  // the same
};

}  // namespace

void check_system(const System & system, Findings & findings)
{
  Checker(system, findings).check();
}

}  // namespace takt_schedule::detail
