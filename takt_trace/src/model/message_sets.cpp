#include "model/message_sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace takt_trace
{
namespace
{

using Members = std::vector<const ObservedCallback *>;

bool may_share_a_set(const ObservedCallback & one, const ObservedCallback & other)
{
  return one.model.group == other.model.group && one.model.executor == other.model.executor;
}

bool may_be_set(const Members & members, const std::set<std::string> & joined)
{
  const ObservedCallback & first = *members.front();
  return std::none_of(members.begin(), members.end(), [&](const ObservedCallback * member) {
    return joined.contains(member->model.id) || !may_share_a_set(*member, first);
  });
}

bool publish_in_turns(const Members & members, const std::string & topic)
{
  if (members.size() < 2) {
    return false;
  }
  std::uint64_t messages = 0;
  std::uint64_t fewest = members.front()->runs;
  bool some_without = false;
  for (const ObservedCallback * member : members) {
    const std::uint64_t own = member->published.at(topic);
    messages += own;
    fewest = std::min(fewest, member->runs);
    some_without = some_without || own < member->runs;
  }
  return some_without && messages <= fewest + 1;
}

using NodeAndTopic = std::pair<std::string, std::string>;
using ByNodeAndTopic = std::map<NodeAndTopic, Members>;

/// Adds sets that chains declare for subscriptions that never publish; returns these sets.
std::set<NodeAndTopic> add_declared(
  const std::vector<ObservedCallback> & callbacks, const std::set<std::string> & inside,
  const std::vector<takt_schedule::ChainSchedule> & chains, ByNodeAndTopic & sets)
{
  std::map<std::string, const ObservedCallback *> by_id;
  for (const ObservedCallback & one : callbacks) {
    by_id.emplace(one.model.id, &one);
  }
  std::set<NodeAndTopic> declared;
  for (const auto & chain : chains) {
    for (std::size_t i = 1; i < chain.options.path.size(); ++i) {
      const auto from = by_id.find(chain.options.path[i - 1]);
      const auto to = by_id.find(chain.options.path[i]);
      if (from == by_id.end() || to == by_id.end()) {
        continue;
      }
      const ObservedCallback & one = *from->second;
      const NodeAndTopic key{node_of(one.model.id), to->second->topic};
      const auto others = sets.find(key);
      if (
        one.published.contains(key.second) || one.topic.empty() || !inside.contains(one.topic) ||
        others == sets.end()) {
        continue;
      }
      Members & members = others->second;
      if (std::find(members.begin(), members.end(), &one) == members.end()) {
        members.push_back(&one);
      }
      declared.insert(key);
    }
  }
  return declared;
}

ObservedCallback set_of(const Members & members)
{
  ObservedCallback set = *members.front();
  set.model.trigger = takt_schedule::Trigger::newest;
  set.model.triggers.clear();
  set.model.time.histogram.clear();
  set.model.waits_for.clear();
  set.model.publishes_last = true;
  set.caveats.clear();
  std::string runs;
  for (const ObservedCallback * member : members) {
    set.model.ids.push_back(member->model.id);
    set.model.triggers.push_back(member->topic);
    set.model.time.worst = std::max(set.model.time.worst, member->model.time.worst);
    set.model.time.best = std::min(set.model.time.best, member->model.time.best);
    set.model.depth = std::min(set.model.depth, member->model.depth);
    set.model.depth_known = set.model.depth_known && member->model.depth_known;
    set.model.sleep = std::max(set.model.sleep, member->model.sleep);
    set.model.publishes_last =
      set.model.publishes_last && (member->model.publishes_last || member->model.publishes.empty());
    const auto & waits = member->model.waits_for;
    set.model.waits_for.insert(set.model.waits_for.end(), waits.begin(), waits.end());
    for (const std::string & topic : member->model.publishes) {
      auto & all = set.model.publishes;
      if (std::find(all.begin(), all.end(), topic) == all.end()) {
        all.push_back(topic);
      }
    }
    if (set.caveats.find(member->caveats) == std::string::npos) {
      set.caveats += member->caveats;
    }
    runs += fmt::format("{}{}", runs.empty() ? "" : " and ", member->runs);
  }
  set.model.publishes_last = set.model.publishes_last && !set.model.publishes.empty();
  set.model.source.comment = fmt::format(
    "measured over {} runs; they publish in turns, or a chain goes on from one by what another one "
    "publishes, so the run that completes a set is taken to do the work{}",
    runs, set.caveats);
  return set;
}

/// True if `silent`, which never publishes, may be part of a set that messages of `other` always
/// completed: `other` published at most as often as `silent` ran.
bool may_be_completed_by(const ObservedCallback & silent, const ObservedCallback & other)
{
  const auto most = std::max_element(
    other.published.begin(), other.published.end(),
    [](const auto & a, const auto & b) { return a.second < b.second; });
  return most != other.published.end() && most->second > 0 && most->second <= silent.runs + 1 &&
         node_of(silent.model.id) == node_of(other.model.id) && may_share_a_set(silent, other);
}

void note_silent(
  const std::vector<ObservedCallback> & callbacks, const std::set<std::string> & inside,
  const std::set<std::string> & joined, std::vector<std::string> & notes)
{
  const auto subscribes = [&](const ObservedCallback & one) {
    return !one.topic.empty() && inside.contains(one.topic) && !joined.contains(one.model.id);
  };
  for (const ObservedCallback & silent : callbacks) {
    if (!subscribes(silent) || !silent.model.publishes.empty() || silent.runs == 0) {
      continue;
    }
    const auto other =
      std::find_if(callbacks.begin(), callbacks.end(), [&](const ObservedCallback & one) {
        return subscribes(one) && may_be_completed_by(silent, one);
      });
    if (other != callbacks.end()) {
      notes.push_back(fmt::format(
        "{} published nothing, and {} published: if the node joins their messages, the first one "
        "may do the work under another schedule, and the model misses that; write both as one "
        "entry with `trigger: newest` then",
        silent.model.id, other->model.id));
    }
  }
}

}  // namespace

void join_sets(
  std::vector<ObservedCallback> & callbacks, const std::set<std::string> & inside,
  const std::vector<takt_schedule::ChainSchedule> & chains, std::vector<std::string> & notes)
{
  ByNodeAndTopic by_node_and_topic;
  for (const ObservedCallback & one : callbacks) {
    if (one.topic.empty() || !inside.contains(one.topic)) {
      continue;
    }
    for (const auto & [topic, count] : one.published) {
      by_node_and_topic[{node_of(one.model.id), topic}].push_back(&one);
    }
  }
  const auto declared = add_declared(callbacks, inside, chains, by_node_and_topic);
  std::set<std::string> joined;
  std::vector<ObservedCallback> sets;
  for (const auto & [key, members] : by_node_and_topic) {
    const bool is_set = declared.contains(key) || publish_in_turns(members, key.second);
    if (!may_be_set(members, joined) || !is_set) {
      continue;
    }
    sets.push_back(set_of(members));
    for (const ObservedCallback * member : members) {
      joined.insert(member->model.id);
    }
  }
  note_silent(callbacks, inside, joined, notes);
  std::erase_if(
    callbacks, [&](const ObservedCallback & one) { return joined.contains(one.model.id); });
  callbacks.insert(callbacks.end(), sets.begin(), sets.end());
}

}  // namespace takt_trace
