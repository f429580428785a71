// Checks callbacks that wait for others within a run. Linear in the size of the model.
#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "system/read_system.hpp"
#include "takt_schedule/reader/text.hpp"

namespace takt_schedule::detail
{
namespace
{

using Index = std::size_t;

class WaitChecker
{
public:
  WaitChecker(const System & system, Findings & findings) : system_(system), findings_(findings)
  {
    for (Index i = 0; i < system.callbacks.size(); ++i) {
      for (const std::string & id : system.callbacks[i].all_ids()) {
        by_id_.emplace(id, i);
        ids_.push_back(id);
      }
    }
    for (const GroupModel & group : system.groups) {
      if (group.kind == takt_core::GroupKind::reentrant) {
        reentrant_.insert(group.id);
      }
    }
    next_.resize(system.callbacks.size());
  }

  void check()
  {
    for (Index i = 0; i < system_.callbacks.size(); ++i) {
      for (const std::string & id : system_.callbacks[i].waits_for) {
        check_one(i, id);
      }
    }
    add_groups();
    search();
  }

private:
  void check_one(Index from, const std::string & id)
  {
    const CallbackModel & callback = system_.callbacks[from];
    const auto fault = [&](std::string text) {
      findings_.fault(callback.source, quoted(callback.id) + " waits for " + quoted(id) + text);
    };
    const auto found = by_id_.find(id);
    if (found == by_id_.end()) {
      fault(
        ", and the model has no such callback" +
        findings_.guesses().suggestion(id, ids_, "callbacks"));
      return;
    }
    const CallbackModel & other = system_.callbacks[found->second];
    if (found->second == from) {
      fault(", which is itself");
    } else if (other.is_timer()) {
      fault(
        ", a timer, which no callback starts; waits_for names what a request starts: services, "
        "clients and subscriptions");
    } else if (other.trigger != Trigger::any) {
      fault(", which works on sets of messages; one message must start it");
    } else if (other.host != callback.host) {
      fault(", which is on another host");
    } else if (exclusive(callback.group) && callback.group == other.group) {
      fault(
        ", and both are in the exclusive group " + quoted(callback.group) +
        ", which runs one of them at a time: the wait would never end; give one of them another "
        "group");
    } else {
      next_[from].push_back(found->second);
    }
  }

  bool exclusive(const std::string & group) const
  {
    return !group.empty() && reentrant_.count(group) == 0;
  }

  // A callback that waits for another also waits for the other's group, and so for members that
  // wait themselves. A group is a node after the callbacks; the step into it comes last (see
  // `search`).
  void add_groups()
  {
    std::unordered_map<std::string_view, Index> groups;
    for (Index i = 0; i < system_.callbacks.size(); ++i) {
      const std::string & group = system_.callbacks[i].group;
      if (!exclusive(group)) {
        continue;
      }
      const auto [known, fresh] = groups.emplace(group, next_.size());
      if (fresh) {
        next_.emplace_back();
      }
      if (!next_[i].empty()) {
        next_[known->second].push_back(i);
      }
      next_[i].push_back(known->second);
    }
  }

  // Depth first. A step from a member to its group and straight back does not count; every other
  // way back is a wait that never ends. The search follows a member's waits before its group, so a
  // finished group has been seen from all of them.
  void search()
  {
    enum class Mark : unsigned char
    {
      fresh,
      open,
      done
    };
    struct Step
    {
      Index node;
      std::size_t edge = 0;
    };
    std::vector<Mark> marks(next_.size(), Mark::fresh);
    std::vector<Step> way;
    const Index groups_from = system_.callbacks.size();
    for (Index root = 0; root < system_.callbacks.size(); ++root) {
      if (marks[root] != Mark::fresh || system_.callbacks[root].waits_for.empty()) {
        continue;
      }
      marks[root] = Mark::open;
      way.push_back({root});
      while (!way.empty()) {
        Step & step = way.back();
        if (step.edge == next_[step.node].size()) {
          marks[step.node] = Mark::done;
          way.pop_back();
          continue;
        }
        const Index to = next_[step.node][step.edge++];
        if (marks[to] == Mark::fresh) {
          marks[to] = Mark::open;
          way.push_back({to});
        } else if (
          marks[to] == Mark::open && !(way.size() > 1 && way[way.size() - 2].node == to &&
                                       std::max(step.node, to) >= groups_from)) {
          std::vector<Index> nodes;
          for (const Step & one : way) {
            if (one.node == to || !nodes.empty()) {
              nodes.push_back(one.node);
            }
          }
          report(nodes);
        }
      }
    }
  }

  void report(const std::vector<Index> & nodes)
  {
    constexpr std::size_t kShown = 8;
    std::string names;
    const CallbackModel * first = nullptr;
    std::size_t count = 0;
    for (const Index node : nodes) {
      if (node < system_.callbacks.size()) {
        first = first == nullptr ? &system_.callbacks[node] : first;
        if (count++ < kShown) {
          names += quoted(system_.callbacks[node].id) + " -> ";
        }
      }
    }
    findings_.fault(
      first->source, quoted(first->id) + " waits for itself: " + names +
                       (count > kShown ? "... -> " : "") + quoted(first->id) +
                       "; callbacks of an exclusive group wait for each other, too: give them "
                       "groups of their own");
  }

  const System & system_;
  Findings & findings_;
  std::unordered_map<std::string, Index> by_id_;
  std::vector<std::string> ids_;
  std::unordered_set<std::string_view> reentrant_;
  std::vector<std::vector<Index>> next_;  // callbacks, then exclusive groups
};

}  // namespace

void check_waits(const System & system, Findings & findings)
{
  WaitChecker(system, findings).check();
}

}  // namespace takt_schedule::detail
