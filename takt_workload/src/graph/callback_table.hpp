// The callbacks of a graph, numbered in creation order, and who feeds whom.
//
// All processes that run parts of one graph number its callbacks and topics alike, so records of
// several processes can be laid together. Set-up only.
#ifndef TAKT_WORKLOAD__SRC__GRAPH__CALLBACK_TABLE_HPP_
#define TAKT_WORKLOAD__SRC__GRAPH__CALLBACK_TABLE_HPP_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.hpp"

namespace takt_workload
{

inline constexpr std::uint32_t kNone = UINT32_MAX;

struct CallbackEntry
{
  std::string id;          ///< `/node:timer(100ms)`, `/node:sub(/topic)`; `#2` for its second one
  std::string group;       ///< `/node:group(name)`, likewise
  std::string group_name;  ///< as the node creates it; empty: the node's default group
  bool timer = false;
  std::uint32_t node = kNone;
  std::uint32_t input = kNone;  ///< index into Node::inputs; timers: none
  std::uint32_t input_topic = kNone;
  std::uint32_t output_topic = kNone;  ///< where a run of it may publish
  WorkTime work;                       ///< of a run that works
  WorkTime sleep;                      ///< of the same run
  takt_rt::Duration period{};          ///< timers
};

struct TopicEntry
{
  std::string name;
  std::uint32_t publisher_node = kNone;
  std::vector<std::uint32_t> subscribers;  ///< callbacks, in creation order
};

/// Expected of the graph in steady state, without any loss.
struct CallbackLoad
{
  double rate = 0.0;         ///< runs per second
  double work_rate = 0.0;    ///< runs that work, per second
  double utilisation = 0.0;  ///< of one core
};

class CallbackTable
{
public:
  explicit CallbackTable(const Graph & graph);

  const std::vector<CallbackEntry> & callbacks() const noexcept { return callbacks_; }
  const std::vector<TopicEntry> & topics() const noexcept { return topics_; }

  std::uint32_t find(std::string_view id) const;
  std::uint32_t find_topic(std::string_view name) const;
  /// The callbacks of a node, in creation order.
  std::vector<std::uint32_t> of_node(std::uint32_t node) const;

  /// One per callback. A fusion runs at the rate of its slowest input; its work is counted in equal
  /// parts for its inputs, since any of them may be the last. A cycle without a timer has rate 0.
  std::vector<CallbackLoad> loads(const Graph & graph) const;

private:
  std::vector<CallbackEntry> callbacks_;
  std::vector<TopicEntry> topics_;
};

/// Ids as takt_rcl makes them, of the first of that kind in its node.
std::string timer_id(std::string_view node, takt_rt::Duration period);
std::string subscription_id(std::string_view node, std::string_view topic);

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SRC__GRAPH__CALLBACK_TABLE_HPP_
