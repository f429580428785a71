// The common parts of all kinds of nodes: entities, work, and messages to publish.
#ifndef NODE_BASE_HPP_
#define NODE_BASE_HPP_

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "run/graph_node.hpp"
#include "run/history.hpp"
#include "run/recorder.hpp"
#include "takt_core/executor.hpp"
#include "takt_core/message_key.hpp"
#include "takt_rcl/message_info.hpp"

namespace takt_workload
{

/// The work of one callback and its sleep; each run takes the next values of their distributions.
class Worker
{
public:
  Worker(
    const NodeSettings & settings, std::uint32_t callback, const WorkTime & work,
    const WorkTime & sleep)
  : settings_(settings),
    callback_(callback),
    work_(work),
    sleep_(sleep)
  {
  }

  /// Works, then sleeps, and notes both in the run's record. Real-time safe without a sleep;
  /// otherwise blocks for the time of the sleep.
  std::uint64_t operator()() noexcept
  {
    const std::uint64_t run = runs_.fetch_add(1, std::memory_order_relaxed);
    const takt_rt::Duration asked = work_.sample(settings_.seed, callback_, run);
    const Work::Done done = settings_.work.use(asked);
    const takt_rt::Duration slept =
      sleep_for(sleep_.sample(settings_.seed, callback_ | kSleepStream, run));
    if (RunRecord * const record = Recorder::current(); record != nullptr) {
      record->work_asked += asked;
      record->work_cpu += done.cpu;
      record->slept += slept;
      if (asked > takt_rt::Duration::zero() || slept > takt_rt::Duration::zero()) {
        record->work_end = takt_rt::now();
      }
    }
    return done.result;
  }

private:
  /// Sleeps are drawn from other streams than work: a graph has far fewer callbacks than this.
  static constexpr std::uint32_t kSleepStream = 1U << 30U;

  const NodeSettings & settings_;
  const std::uint32_t callback_;
  const WorkTime work_;
  const WorkTime sleep_;
  std::atomic<std::uint64_t> runs_{0};
};

/// The start of the callback in progress, as in its record. So the histories in messages have the
/// times of the records. Real-time safe.
inline takt_rt::Time start_of_run() noexcept
{
  const RunRecord * const record = Recorder::current();
  return record != nullptr ? record->start : takt_rt::now();
}

/// Notes in the record of the run in progress the message that it took. Real-time safe.
inline void note_taken(const takt_core::MessageKey & message) noexcept
{
  if (RunRecord * const record = Recorder::current(); record != nullptr) {
    record->taken = message.sequence;
    record->taken_from = fold(message.publisher);
  }
}

/// A publisher with one message object per concurrent run.
template <typename Msg>
class Output
{
public:
  Output(
    std::shared_ptr<takt_rcl::Publisher<Msg>> publisher, std::string_view node, std::size_t lanes,
    std::size_t payload_bytes)
  : publisher_(std::move(publisher)),
    name_(entry_name(node)),
    messages_(lanes)
  {
    if constexpr (std::is_same_v<Msg, takt_msgs::msg::Payload>) {
      for (Msg & message : messages_) {
        message.data.resize(payload_bytes);
      }
    }
  }

  /// The calling run's message, with an empty history. Real-time safe.
  Msg & message() noexcept
  {
    const takt_core::Run * const run = takt_core::current_run();
    Msg & own = messages_[messages_.size() > 1 && run != nullptr ? run->lane : 0];
    clear_history(own);
    return own;
  }

  /// Appends the node's entry and publishes. Real-time safe.
  void publish(Msg & message, takt_rt::Time stamp, std::uint32_t dropped) noexcept
  {
    const std::uint32_t sequence = 1 + sequence_.fetch_add(1, std::memory_order_relaxed);
    append_entry(message, name_, stamp, sequence, dropped);
    const std::uint64_t published = publisher_->publish(message);
    if (RunRecord * const record = Recorder::current(); record != nullptr) {
      record->published = published;
    }
  }

private:
  std::shared_ptr<takt_rcl::Publisher<Msg>> publisher_;
  const std::string name_;
  std::vector<Msg> messages_;
  std::atomic<std::uint32_t> sequence_{0};
};

template <typename Msg>
class NodeBase : public GraphNode
{
public:
  NodeBase(
    const Graph & graph, const CallbackTable & table, std::uint32_t number,
    const NodeSettings & settings)
  : GraphNode(graph, graph.nodes[number], settings),
    graph_(graph),
    table_(table),
    settings_(settings),
    spec_(graph.nodes[number]),
    callbacks_(table.of_node(number))
  {
  }

protected:
  std::unique_ptr<Output<Msg>> make_output(const std::string & topic)
  {
    auto publisher = node_->create_publisher<Msg>(topic, takt_rcl::QoS(spec_.publisher_depth));
    publications_.push_back({table_.find_topic(topic), publisher});
    const bool reentrant = spec_.grouping == Grouping::reentrant;
    return std::make_unique<Output<Msg>>(
      std::move(publisher), spec_.name, reentrant ? settings_.lanes : 1, graph_.payload_bytes);
  }

  /// `function` takes an `Input`. Notes the taken message in the run's record.
  template <typename Input, typename Function>
  void subscribe(std::uint32_t input, Function function)
  {
    takt_rcl::SubscriptionOptions options;
    options.callback_group = group(callbacks_[input]);
    receptions_.push_back(
      {callbacks_[input],
       node_->create_subscription<Msg>(
         spec_.inputs[input].topic, takt_rcl::QoS(spec_.inputs[input].depth),
         [function = std::move(function)](Input message, const takt_rcl::MessageInfo & info) {
           note_taken(info.key());
           function(std::forward<Input>(message));
         },
         options)});
  }

  template <typename Function>
  void make_timer(Function && function)
  {
    takt_rcl::TimerOptions options;
    options.callback_group = group(callbacks_.back());
    options.offset = spec_.offset;
    timers_.push_back(
      node_->create_wall_timer(spec_.period, std::forward<Function>(function), options));
  }

  /// The worker of the node's `index`-th callback.
  std::unique_ptr<Worker> make_worker(std::size_t index) const
  {
    const CallbackEntry & entry = table_.callbacks()[callbacks_[index]];
    return std::make_unique<Worker>(settings_, callbacks_[index], entry.work, entry.sleep);
  }

  const Graph & graph_;
  const CallbackTable & table_;
  const NodeSettings & settings_;
  const Node & spec_;
  const std::vector<std::uint32_t> callbacks_;  // subscriptions in order of inputs, then the timer

private:
  takt_rcl::CallbackGroup::SharedPtr group(std::uint32_t callback)
  {
    const CallbackEntry & entry = table_.callbacks()[callback];
    if (entry.group_name.empty()) {
      return node_->get_default_callback_group();
    }
    auto & group = groups_[entry.group];
    if (group == nullptr) {
      group = node_->create_callback_group(
        spec_.grouping == Grouping::reentrant ? takt_rcl::CallbackGroupType::Reentrant
                                              : takt_rcl::CallbackGroupType::MutuallyExclusive,
        entry.group_name);
    }
    return group;
  }

  std::map<std::string, takt_rcl::CallbackGroup::SharedPtr> groups_;  // by id
};

}  // namespace takt_workload

#endif  // NODE_BASE_HPP_
