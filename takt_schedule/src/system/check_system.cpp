// Checks of the whole model. Linear in its size.
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "system/read_system.hpp"
#include "takt_schedule/reader/text.hpp"

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
      const std::vector<std::string> ids = callback.all_ids();
      for (Index place = 0; place < ids.size(); ++place) {
        by_id_.emplace(ids[place], Named{i, place});
        ids_.push_back(ids[place]);
      }
      for (const std::string & topic : callback.publishes) {
        published_.emplace(topic, published_.size());
        topics_.push_back(topic);
      }
    }
    for (const CallbackModel & callback : system.callbacks) {
      publishes_.push_back(numbers(callback.publishes));
      gets_.push_back(numbers(callback.triggers));
      const std::vector<Index> reads = numbers(callback.reads);
      gets_.back().insert(gets_.back().end(), reads.begin(), reads.end());
      std::sort(publishes_.back().begin(), publishes_.back().end());
      std::sort(gets_.back().begin(), gets_.back().end());
    }
  }

  void check()
  {
    check_topics();
    check_executors();
    check_groups();
    check_stores();
    check_publishes_last();
    const std::size_t before = findings_.fault_count();
    check_waits(system_, findings_);
    if (findings_.fault_count() == before) {
      check_cycles(system_, findings_);  // a callback that waits for itself also starts itself
    }
    for (const ChainSchedule & chain : system_.chains) {
      check_path(chain);
    }
    if (findings_.ok()) {
      warn_load();
    }
  }

private:
  /// A callback, and which of its ids was named.
  struct Named
  {
    Index callback;
    Index place;
  };

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
                (starts ? " is started by" : " reads") +
                findings_.guesses().suggestion(topic, topics_, "topics") +
                (starts ? " (if its messages come from outside of the model, give it a period "
                          "instead of triggers)"
                        : ""));
          }
        }
      }
    }
  }

  /// An executor is one process and so on one host; a group is in one executor.
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

  void check_stores()
  {
    std::unordered_map<std::string_view, Index> takers;  // per group: callbacks that do not store
    for (const CallbackModel & callback : system_.callbacks) {
      takers[callback.group] += callback.stores ? 0 : 1;
    }
    for (const CallbackModel & callback : system_.callbacks) {
      const std::string_view why =
        !callback.stores                                   ? ""
        : callback.kind() != takt_core::Kind::subscription ? "is not a subscription"
        : callback.trigger != Trigger::any || callback.triggers.size() > 1
          ? "gets messages of several topics"
        : !callback.publishes.empty() || !callback.waits_for.empty()
          ? "publishes or waits for others"
        : callback.group.empty() || takers[callback.group] == 0
          ? "has no other callback in its group that uses the messages"
          : "";
      if (!why.empty()) {
        findings_.fault(
          callback.source, quoted(callback.id) + " " + std::string(why) +
                             "; stores: true is for a subscription of one topic that only stores "
                             "its messages for other callbacks of its group");
      }
    }
  }

  void check_publishes_last()
  {
    for (const CallbackModel & callback : system_.callbacks) {
      if (callback.publishes_last && callback.publishes.empty()) {
        findings_.fault(
          callback.source, quoted(callback.id) +
                             " publishes nothing; publishes_last: true is for a callback that "
                             "publishes right before it returns");
      }
    }
  }

  void check_path(const ChainSchedule & chain)
  {
    const auto & path = chain.options.path;
    constexpr Index kNone = static_cast<Index>(-1);
    Index before = kNone;
    for (std::size_t i = 0; i < path.size(); ++i) {
      const Source & at = chain.path_sources[i];
      const auto found = by_id_.find(path[i]);
      if (found == by_id_.end()) {
        findings_.fault(
          at, "no callback " + quoted(path[i]) +
                findings_.guesses().suggestion(path[i], ids_, "callbacks"));
        before = kNone;
        continue;
      }
      if (before != kNone && !connected(before, found->second)) {
        const CallbackModel & from = system_.callbacks[before];
        findings_.fault(
          at, quoted(path[i]) + " neither is triggered by nor reads what " + quoted(from.id) +
                " publishes" +
                (from.publishes.empty() ? " (nothing)" : ", " + listed(shortened(from.publishes))));
      }
      before = found->second.callback;
    }
  }

  /// A subscription of a set gets only its own topic.
  bool connected(Index from, const Named & to)
  {
    const CallbackModel & callback = system_.callbacks[to.callback];
    if (!callback.ids.empty() && callback.ids.size() == callback.triggers.size()) {
      const auto topic = published_.find(callback.triggers[to.place]);
      return topic != published_.end() && holds(publishes_[from], topic->second);
    }
    const auto [known, fresh] =
      connected_.try_emplace(from * system_.callbacks.size() + to.callback, false);
    if (fresh) {
      known->second = overlap(publishes_[from], gets_[to.callback]);
    }
    return known->second;
  }

  /// For ascending numbers.
  static bool holds(const std::vector<Index> & topics, Index topic)
  {
    return std::binary_search(topics.begin(), topics.end(), topic);
  }

  /// Many chains may pass a callback with very many topics: searches it only for the other
  /// callback's topics.
  static bool overlap(const std::vector<Index> & a, const std::vector<Index> & b)
  {
    const auto & [few, many] = a.size() < b.size() ? std::tie(a, b) : std::tie(b, a);
    return std::any_of(
      few.begin(), few.end(), [&, &there = many](Index topic) { return holds(there, topic); });
  }

  std::vector<Index> numbers(const std::vector<std::string> & topics) const
  {
    std::vector<Index> result;
    for (const std::string & topic : topics) {
      if (const auto found = published_.find(topic); found != published_.end()) {
        result.push_back(found->second);
      }
    }
    return result;
  }

  static std::vector<std::string> shortened(const std::vector<std::string> & topics)
  {
    constexpr std::size_t kShown = 5;
    return {
      topics.begin(),
      topics.begin() + static_cast<std::ptrdiff_t>(std::min(topics.size(), kShown))};
  }

  /// Only certain load: callbacks with their own period.
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
  std::unordered_map<std::string, Named> by_id_;
  std::vector<std::string> ids_;
  std::unordered_map<std::string_view, Index> published_;  // topics, numbered
  std::vector<std::string> topics_;                        // the topics by number
  // By callback: the topics that it publishes, and the topics that it gets or reads; ascending.
  std::vector<std::vector<Index>> publishes_, gets_;
  std::unordered_map<Index, bool> connected_;  // by pairs of callbacks
};

}  // namespace

void check_system(const System & system, Findings & findings)
{
  Checker(system, findings).check();
}

}  // namespace takt_schedule::detail
