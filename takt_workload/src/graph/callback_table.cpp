#include "graph/callback_table.hpp"

#include <algorithm>
#include <functional>

#include "takt_core/adapter/callback_ids.hpp"
#include "takt_core/adapter/id_registry.hpp"

namespace takt_workload
{

namespace
{

double per_second(takt_rt::Duration period)
{
  return period.count() > 0 ? 1e9 / static_cast<double>(period.count()) : 0.0;
}

/// The name of the group of an input or the timer; empty for the node's default group.
std::string group_name(const Node & node, std::string_view topic_or_timer)
{
  switch (node.grouping) {
    case Grouping::callback:
      return std::string(topic_or_timer.substr(topic_or_timer.starts_with('/') ? 1 : 0));
    case Grouping::reentrant:
      return "reentrant";
    case Grouping::node:
      break;
  }
  return "";
}

/// Gives the callbacks and groups of one node the ids that the node itself will give them. If the
/// node takes a topic twice, the second subscription gets `#2`.
class NodeIds
{
public:
  explicit NodeIds(const Node & node) : node_(node) {}

  void name(CallbackEntry & entry, const std::string & id, std::string_view topic_or_timer)
  {
    entry.id = ids_.claim(id);
    entry.group_name = group_name(node_, topic_or_timer);
    const std::string group = takt_core::adapter::group_id(
      node_.name, entry.group_name.empty() ? "default" : entry.group_name);
    // With any other grouping, all callbacks of a node are in one group.
    entry.group = node_.grouping == Grouping::callback ? groups_.claim(group) : group;
  }

private:
  const Node & node_;
  takt_core::adapter::IdRegistry ids_;
  takt_core::adapter::IdRegistry groups_;
};

}  // namespace

std::string timer_id(std::string_view node, takt_rt::Duration period)
{
  return takt_core::adapter::timer_id(node, period);
}

std::string subscription_id(std::string_view node, std::string_view topic)
{
  return takt_core::adapter::callback_id(node, "sub", topic);
}

CallbackTable::CallbackTable(const Graph & graph)
{
  const auto add_topic = [this](const std::string & name, std::uint32_t publisher) {
    std::uint32_t topic = find_topic(name);
    if (topic == kNone) {
      topic = static_cast<std::uint32_t>(topics_.size());
      topics_.push_back({name, kNone, {}});
    }
    if (publisher != kNone) {
      topics_[topic].publisher_node = publisher;
    }
    return topic;
  };
  for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
    const Node & node = graph.nodes[n];
    NodeIds ids(node);
    const std::uint32_t own = node.output.empty() ? kNone : add_topic(node.output, n);
    for (std::uint32_t i = 0; i < node.inputs.size(); ++i) {
      const Input & input = node.inputs[i];
      CallbackEntry entry;
      ids.name(entry, subscription_id(node.name, input.topic), input.topic);
      entry.node = n;
      entry.input = i;
      entry.input_topic = add_topic(input.topic, kNone);
      topics_[entry.input_topic].subscribers.push_back(
        static_cast<std::uint32_t>(callbacks_.size()));
      if (node.kind == NodeKind::fusion) {
        entry.output_topic = own;
        entry.work = node.work;
        entry.sleep = node.sleep;
      } else if (!input.output.empty()) {
        entry.output_topic = add_topic(input.output, n);
        entry.work = input.work;
        entry.sleep = input.sleep;
      }
      callbacks_.push_back(std::move(entry));
    }
    if (node.has_timer()) {
      CallbackEntry entry;
      ids.name(entry, timer_id(node.name, node.period), "timer");
      entry.timer = true;
      entry.node = n;
      entry.output_topic = own;
      entry.work = node.work;
      entry.sleep = node.sleep;
      entry.period = node.period;
      callbacks_.push_back(std::move(entry));
    }
  }
}

std::uint32_t CallbackTable::find(std::string_view id) const
{
  const auto found = std::find_if(
    callbacks_.begin(), callbacks_.end(), [&](const CallbackEntry & one) { return one.id == id; });
  return found == callbacks_.end() ? kNone : static_cast<std::uint32_t>(found - callbacks_.begin());
}

std::uint32_t CallbackTable::find_topic(std::string_view name) const
{
  const auto found = std::find_if(
    topics_.begin(), topics_.end(), [&](const TopicEntry & one) { return one.name == name; });
  return found == topics_.end() ? kNone : static_cast<std::uint32_t>(found - topics_.begin());
}

std::vector<std::uint32_t> CallbackTable::of_node(std::uint32_t node) const
{
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < callbacks_.size(); ++i) {
    if (callbacks_[i].node == node) {
      found.push_back(i);
    }
  }
  return found;
}

std::vector<CallbackLoad> CallbackTable::loads(const Graph & graph) const
{
  // The rates of topics, beginning at their timers. A topic that is being computed counts as 0,
  // which ends cycles.
  std::vector<double> rates(topics_.size(), -1.0);
  const std::function<double(std::uint32_t)> rate_of = [&](std::uint32_t topic) -> double {
    if (rates[topic] >= 0.0) {
      return rates[topic];
    }
    rates[topic] = 0.0;
    const std::uint32_t publisher = topics_[topic].publisher_node;
    if (publisher == kNone) {
      return 0.0;
    }
    const Node & node = graph.nodes[publisher];
    double rate = 0.0;
    if (node.has_timer()) {
      rate = per_second(node.period);
    } else {
      bool first = true;
      for (const std::uint32_t callback : of_node(publisher)) {
        if (callbacks_[callback].output_topic == topic) {
          const double one = rate_of(callbacks_[callback].input_topic);
          rate = first ? one : std::min(rate, one);
          first = false;
        }
      }
    }
    return rates[topic] = rate;
  };
  std::vector<CallbackLoad> loads(callbacks_.size());
  for (std::uint32_t i = 0; i < callbacks_.size(); ++i) {
    const CallbackEntry & callback = callbacks_[i];
    const Node & node = graph.nodes[callback.node];
    CallbackLoad & load = loads[i];
    load.rate = callback.timer ? per_second(callback.period) : rate_of(callback.input_topic);
    load.work_rate = callback.output_topic == kNone ? 0.0 : load.rate;
    if (node.kind == NodeKind::fusion) {
      load.work_rate = rate_of(callback.output_topic) / static_cast<double>(node.inputs.size());
    }
    load.utilisation = load.work_rate * static_cast<double>(callback.work.mean.count()) * 1e-9;
  }
  return loads;
}

}  // namespace takt_workload
