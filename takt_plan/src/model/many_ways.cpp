#include "model/many_ways.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "model/streams.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan
{
namespace
{

using takt_schedule::quoted;

/// The callback's triggering topic with the most publishers, and their number.
std::pair<std::string, std::ptrdiff_t> most_published(
  const takt_schedule::System & system, const takt_schedule::CallbackModel & callback)
{
  std::pair<std::string, std::ptrdiff_t> most{"", 0};
  for (const std::string & topic : callback.triggers) {
    const auto publishers =
      std::count_if(system.callbacks.begin(), system.callbacks.end(), [&](const auto & other) {
        return std::find(other.publishes.begin(), other.publishes.end(), topic) !=
               other.publishes.end();
      });
    if (publishers > most.second) {
      most = {topic, publishers};
    }
  }
  return most;
}

}  // namespace

std::optional<std::string> many_ways(const takt_schedule::System & system, const Model & model)
{
  const std::vector<Index> order = in_trigger_order(model);
  const detail::Streams streams(model, order);
  Index first = kNone;  // no task before it has too many ways
  Index all = 0;
  for (const Index task : order) {
    all += streams.too_many(task) ? 1 : 0;
    first = first == kNone && streams.too_many(task) ? task : first;
  }
  if (first == kNone) {
    return std::nullopt;
  }
  const takt_schedule::CallbackModel & callback = system.callbacks[first];
  const auto [topic, publishers] = most_published(system, callback);
  const std::string others =
    all == 1 ? " is" : " and " + std::to_string(all - 1) + " other callbacks are each";
  return to_string(takt_schedule::located(
    system.file, callback.source,
    quoted(callback.id) + others + " started in more than " +
      std::to_string(detail::Streams::kMostPerTask) +
      " ways, the most that the analysis tells apart; " + quoted(topic) + " has " +
      std::to_string(publishers) + (publishers == 1 ? " publisher" : " publishers") +
      ": divide the topic, or leave publishers that no chain needs out of the model"));
}

}  // namespace takt_plan
