#include "model/possible_sequences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace takt_trace
{
namespace
{

using Callbacks = std::vector<ObservedCallback>;

bool may_lead(const ObservedCallback & one)
{
  return !one.under_takt && one.waits.empty() && one.model.sleep.count() == 0;
}

/// The only publisher of the callback's topic, if it is in the same executor and may lead; null
/// otherwise.
const ObservedCallback * leader_of(const ObservedCallback & one, const Callbacks & all)
{
  if (one.under_takt || one.topic.empty() || one.executors.size() != 1) {
    return nullptr;
  }
  const ObservedCallback * leader = nullptr;
  for (const ObservedCallback & other : all) {
    if (!other.published.contains(one.topic)) {
      continue;
    }
    if (leader != nullptr || &other == &one) {
      return nullptr;
    }
    leader = &other;
  }
  return leader != nullptr && leader->executors == one.executors && may_lead(*leader) ? leader
                                                                                      : nullptr;
}

struct List
{
  std::vector<const ObservedCallback *> callbacks;
  double rate = 0;  ///< starts a second that would be direct calls
};

std::string note(const List & list)
{
  std::string ids;
  for (const ObservedCallback * const one : list.callbacks) {
    ids += (ids.empty() ? "\"" : ", \"") + one->model.id + "\"";
  }
  return fmt::format(
    "as `sequences: [[{}]]` these callbacks follow one another by direct call, {:.1f} times a "
    "second "
    "without the ready queue and without a wake-up; takt plan writes a sequence where no chain "
    "gets "
    "worse by it",
    ids, list.rate);
}

}  // namespace

void name_sequences(const Callbacks & callbacks, std::vector<std::string> & notes)
{
  std::map<const ObservedCallback *, std::vector<const ObservedCallback *>> followers;
  std::map<const ObservedCallback *, const ObservedCallback *> leaders;
  for (const ObservedCallback & one : callbacks) {
    if (const ObservedCallback * const leader = leader_of(one, callbacks)) {
      followers[leader].push_back(&one);
      leaders[&one] = leader;
    }
  }
  std::vector<List> lists;
  for (const ObservedCallback & one : callbacks) {
    if (leaders.contains(&one) || !followers.contains(&one)) {
      continue;  // no first callback of a list; a circle of callbacks has none
    }
    List list;
    list.callbacks.push_back(&one);
    for (std::size_t i = 0; i < list.callbacks.size(); ++i) {
      for (const ObservedCallback * const next : followers[list.callbacks[i]]) {
        list.callbacks.push_back(next);
        list.rate += next->seconds > 0 ? static_cast<double>(next->runs) / next->seconds : 0;
      }
    }
    lists.push_back(std::move(list));
  }
  std::stable_sort(
    lists.begin(), lists.end(), [](const List & a, const List & b) { return a.rate > b.rate; });
  for (std::size_t i = 0; i < lists.size() && i < kMostSequences; ++i) {
    notes.push_back(note(lists[i]));
  }
  if (lists.size() > kMostSequences) {
    notes.push_back(fmt::format(
      "{} more lists of callbacks follow one another like that", lists.size() - kMostSequences));
  }
}

}  // namespace takt_trace
