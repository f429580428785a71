#include "model/publishing_last.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace takt_trace
{
namespace
{

/// An executor of both that runs several callbacks at a time.
bool share_executor(
  const Observation & seen, const ObservedCallback & one, const ObservedCallback & other)
{
  return std::any_of(one.executors.begin(), one.executors.end(), [&](std::size_t executor) {
    return other.executors.contains(executor) && !seen.executors[executor].one_at_a_time;
  });
}

/// Messages a second that start callbacks of its executor.
double wake_ups(const Observation & seen, const ObservedCallback & one)
{
  double count = 0;
  for (const ObservedCallback & other : seen.callbacks) {
    const auto published = one.published.find(other.topic);
    if (
      &other != &one && !other.topic.empty() && published != one.published.end() &&
      share_executor(seen, one, other)) {
      count += static_cast<double>(published->second);
    }
  }
  return one.seconds > 0 ? count / one.seconds : 0;
}

}  // namespace

bool publishes_last(const ObservedCallback & one)
{
  return !one.model.publishes.empty() && one.publishing_runs >= kFewestPublishing &&
         (one.publishing_runs - one.published_last) * kOneIn <= one.publishing_runs;
}

void name_publishing_last(const Observation & seen, std::vector<std::string> & notes)
{
  std::vector<std::pair<double, const ObservedCallback *>> found;
  for (const ObservedCallback & one : seen.callbacks) {
    const double rate = one.under_takt || !publishes_last(one) ? 0 : wake_ups(seen, one);
    if (rate > 0) {
      found.emplace_back(rate, &one);
    }
  }
  std::stable_sort(
    found.begin(), found.end(), [](const auto & a, const auto & b) { return a.first > b.first; });
  double others = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto & [rate, one] = found[i];
    if (i < kMostPublishingLast) {
      notes.push_back(fmt::format(
        "{} published last in {} of {} runs: if it shares several threads with the callbacks of "
        "its messages, `publishes_last: true` in a rule for it saves up to {:.1f} wake-ups a "
        "second; takt check says where",
        one->model.id, one->published_last, one->publishing_runs, rate));
    } else {
      others += rate;
    }
  }
  if (found.size() > kMostPublishingLast) {
    notes.push_back(fmt::format(
      "{} more callbacks publish last, with {:.1f} wake-ups a second together",
      found.size() - kMostPublishingLast, others));
  }
}

}  // namespace takt_trace
