// Which run worked for which: joins the runs of all processes by the messages that they took and published.
//
// A publisher and its sequence number name a message. A run that keeps its message in its node hands it to the node's next
// run that publishes the topic that is asked for, unless a newer run of its own callback replaces the message before.
//
// Plain values; no clock, no ROS. Times are nanoseconds of one clock. Set-up only: allocates; does not block.
#ifndef TAKT_TRACE__RUN_FLOW_HPP_
#define TAKT_TRACE__RUN_FLOW_HPP_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace takt_trace
{

/// The index of a run; kNoRun: none.
using RunNumber = std::size_t;
inline constexpr RunNumber kNoRun = std::numeric_limits<RunNumber>::max();
inline constexpr std::uint32_t kNoTopic = std::numeric_limits<std::uint32_t>::max();
/// A time that the records do not reach.
inline constexpr std::int64_t kNotYet = std::numeric_limits<std::int64_t>::max();

struct FlowMessage
{
  std::uint64_t publisher = 0;
  std::uint64_t sequence = 0;  ///< later messages of the publisher have larger numbers

  friend bool operator==(const FlowMessage &, const FlowMessage &) = default;
};

struct FlowPublish
{
  std::uint32_t topic = kNoTopic;
  FlowMessage message{};
  std::int64_t time = 0;
};

struct FlowCallback
{
  std::uint32_t node = 0;
  std::uint32_t topic = kNoTopic;  ///< of the messages that it takes
  /// A run that does not publish keeps its message for other callbacks of the node.
  bool keeps = false;
};

struct FlowRun
{
  std::uint32_t callback = 0;
  std::uint32_t process = 0;
  std::int64_t release = 0;
  std::int64_t start = 0;
  std::int64_t end = kNotYet;
  std::int64_t kept = kNotYet;  ///< from then on other runs of the node find its message
  std::vector<FlowMessage> taken{};
  std::vector<FlowPublish> published{};

  bool ended() const noexcept { return end != kNotYet; }
};

class RunFlow
{
public:
  /// Runs name callbacks by index. The first of several runs with the same message counts.
  RunFlow(std::vector<FlowCallback> callbacks, std::vector<FlowRun> runs);

  const std::vector<FlowCallback> & callbacks() const noexcept { return callbacks_; }
  const std::vector<FlowRun> & runs() const noexcept { return runs_; }

  struct Held
  {
    RunNumber carrier = kNoRun;  ///< published it: the run itself, or a later one of its node
    bool superseded = false;     ///< a newer run of the callback replaced it before
  };
  /// What became of the message that the run held, on this topic.
  Held held(RunNumber run, std::uint32_t topic) const;

  /// The run that published the message.
  RunNumber source(const FlowMessage & message) const;
  /// The run of the callback that took the message.
  RunNumber taker(std::uint32_t callback, const FlowMessage & message) const;
  /// Whether the callback took a later message of the publisher.
  bool overtaken(std::uint32_t callback, const FlowMessage & message) const;
  /// Whether some run of the node published the topic.
  bool publishes(std::uint32_t node, std::uint32_t topic) const;

private:
  struct Key
  {
    std::uint64_t number = 0;  // of a callback, or 0
    FlowMessage message{};

    friend bool operator==(const Key &, const Key &) = default;
  };
  struct KeyHash
  {
    std::size_t operator()(const Key & key) const noexcept;
  };
  using Moment = std::pair<std::int64_t, RunNumber>;  // runs of one time come in their own order

  static std::uint64_t pair_of(std::uint32_t node, std::uint32_t topic) noexcept
  {
    return std::uint64_t{node} << 32U | topic;
  }

  std::vector<FlowCallback> callbacks_;
  std::vector<FlowRun> runs_;
  std::unordered_map<Key, RunNumber, KeyHash> published_;
  std::unordered_map<Key, RunNumber, KeyHash> taken_;
  std::unordered_map<Key, std::uint64_t, KeyHash> newest_taken_;      // message without a sequence
  std::unordered_map<std::uint64_t, std::vector<Moment>> publishes_;  // by node and topic
  std::vector<std::vector<Moment>> kept_;                             // by callback
};

}  // namespace takt_trace

#endif  // TAKT_TRACE__RUN_FLOW_HPP_
