// The callbacks of a graph, numbered in the order of their creation, and the topics between them.
//
// All processes that run parts of one graph use the same numbers for its callbacks and topics. So
// the records of several processes fit together. Set-up only.
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
  std::string id;          ///< `/node:timer(100ms)`, `/node:sub(/topic)`; `#2` for a second
                           ///< callback with the same id
  std::string group;       ///< `/node:group(name)`; `#2` as for callbacks
  std::string group_name;  ///< the name that the node gives it; empty: the node's default group
  bool timer = false;
  std::uint32_t node = kNone;
  std::uint32_t input = kNone;  ///< index into Node::inputs; kNone for timers
  std::uint32_t input_topic = kNone;
  std::uint32_t output_topic = kNone;  ///< the topic on which its runs may publish
  WorkTime work;                       ///< for a run that works
  WorkTime sleep;                      ///< for the same run
  takt_rt::Duration period{};          ///< for timers
};

struct TopicEntry
{
  std::string name;
  std::uint32_t publisher_node = kNone;
  std::vector<std::uint32_t> subscribers;  ///< callbacks, in creation order
};

/// The expected load of a callback in steady state, without lost messages.
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

  /// One entry for each callback. A fusion runs at the rate of its slowest input. Its work is
  /// divided equally between its inputs, because each of them may be the last. A cycle without a
  /// timer has the rate 0.
  std::vector<CallbackLoad> loads(const Graph & graph) const;

private:
  std::vector<CallbackEntry> callbacks_;
  std::vector<TopicEntry> topics_;
};

/// The ids that takt_rcl gives the first callback of this kind in a node.
std::string timer_id(std::string_view node, takt_rt::Duration period);
std::string subscription_id(std::string_view node, std::string_view topic);

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SRC__GRAPH__CALLBACK_TABLE_HPP_
