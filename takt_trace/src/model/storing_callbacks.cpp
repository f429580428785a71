#include "model/storing_callbacks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "takt_rt/readable.hpp"

namespace takt_trace
{
namespace
{

/// True if the callback may only store its messages. Observation does not show this for certain, so
/// the note leaves the decision to the reader.
bool may_store(const ObservedCallback & one)
{
  return !one.topic.empty() && one.published.empty() && one.waits.empty() &&
         one.model.sleep.count() == 0 && one.depth > 0 && one.seconds > 0 &&
         one.model.time.worst.count() <= kLongestStore;
}

bool shares_group(const ObservedCallback & one, const ObservedCallback & other)
{
  return &one != &other && one.model.group == other.model.group &&
         std::any_of(one.processes.begin(), one.processes.end(), [&](int process) {
           return other.processes.contains(process);
         });
}

double rate(const ObservedCallback & one)
{
  return static_cast<double>(one.runs) / one.seconds;
}

struct Storing
{
  const ObservedCallback * callback = nullptr;
  std::vector<std::string> takers;
};

std::string note(const Storing & one)
{
  return fmt::format(
    "{} published nothing and ran {} at most: if it only stores messages for {}{}, "
    "`trigger: false` in a rule for it saves up to {:.1f} wake-ups a second; with `stores: true` "
    "in the model takt plan decides",
    one.callback->model.id, takt_rt::human(one.callback->model.time.worst), one.takers.front(),
    one.takers.size() == 1 ? std::string()
                           : fmt::format(" and {} more of its group", one.takers.size() - 1),
    rate(*one.callback));
}

}  // namespace

void name_storing(const std::vector<ObservedCallback> & callbacks, std::vector<std::string> & notes)
{
  std::vector<Storing> found;
  for (const ObservedCallback & one : callbacks) {
    if (one.under_takt || !may_store(one)) {
      continue;  // under a schedule it may already wake nothing
    }
    Storing storing{&one, {}};
    for (const ObservedCallback & other : callbacks) {
      if (shares_group(one, other) && !may_store(other)) {
        storing.takers.push_back(other.model.id);
      }
    }
    if (!storing.takers.empty()) {
      found.push_back(std::move(storing));
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Storing & a, const Storing & b) {
    return rate(*a.callback) > rate(*b.callback);
  });
  double others = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i < kMostStoring) {
      notes.push_back(note(found[i]));
    } else {
      others += rate(*found[i].callback);
    }
  }
  if (found.size() > kMostStoring) {
    notes.push_back(fmt::format(
      "{} more subscriptions are like that, with {:.1f} wake-ups a second together",
      found.size() - kMostStoring, others));
  }
}

}  // namespace takt_trace
