// Finds which run worked for which: joins the runs of all processes by the messages that they took
// and published.
//
// A publisher and its sequence number identify a message. A run that keeps its message in its node
// passes it to the node's next run that publishes the given topic, unless a newer run of its own
// callback replaces the message first.
//
// Plain values; no clock, no ROS. Times are nanoseconds of one clock. Set-up only: allocates; does
// not block.
#ifndef TAKT_TRACE__RUN_FLOW_HPP_
#define TAKT_TRACE__RUN_FLOW_HPP_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "takt_trace/sorted_list.hpp"

namespace takt_trace
{

/// The index of a run; kNoRun: none.
using RunNumber = std::size_t;
inline constexpr RunNumber kNoRun = std::numeric_limits<RunNumber>::max();
/// Means: no topic.
inline constexpr std::uint32_t kNoTopic = std::numeric_limits<std::uint32_t>::max();
/// A time after all records.
inline constexpr std::int64_t kNotYet = std::numeric_limits<std::int64_t>::max();

/// Identifies a message.
struct FlowMessage
{
  std::uint64_t publisher = 0;
  std::uint64_t sequence = 0;  ///< later messages of the publisher have larger numbers

  friend bool operator==(const FlowMessage &, const FlowMessage &) = default;
};

/// One message that a run published.
struct FlowPublish
{
  std::uint32_t topic = kNoTopic;
  FlowMessage message{};
  std::int64_t time = 0;
};

/// The node and the topic of a callback.
struct FlowCallback
{
  std::uint32_t node = 0;
  std::uint32_t topic = kNoTopic;  ///< topic of the messages that it takes
  /// If a run does not publish, other callbacks of the node may use its message.
  bool keeps = false;
};

/// One run with its messages. `end` is kNotYet if it has not ended.
struct FlowRun
{
  std::uint32_t callback = 0;
  std::uint32_t process = 0;
  std::int64_t release = 0;
  std::int64_t start = 0;
  std::int64_t end = kNotYet;
  std::int64_t kept = kNotYet;  ///< from this time on other runs of the node find its message
  std::vector<FlowMessage> taken{};
  std::vector<FlowPublish> published{};

  /// True if the records have the end of the run.
  bool ended() const noexcept { return end != kNotYet; }
};

/// A run without its messages.
struct FlowingRun
{
  std::uint32_t callback = 0;
  std::uint32_t process = 0;
  std::int64_t release = 0;
  std::int64_t start = 0;
  std::int64_t end = kNotYet;
  std::int64_t kept = kNotYet;
  std::size_t first_taken = 0;  ///< index in the list of all taken messages
  std::size_t taken = 0;        ///< number of messages
  std::size_t first_published = 0;
  std::size_t published = 0;

  /// True if the records have the end of the run.
  bool ended() const noexcept { return end != kNotYet; }
};

/// Runs with their messages, in lists that may be longer than memory.
struct FlowRuns
{
  LongVector<FlowingRun> runs{};
  LongVector<FlowMessage> taken{};
  LongVector<FlowPublish> published{};
};

/// The joined runs of all processes. Constant after construction.
class RunFlow
{
public:
  /// Runs refer to callbacks by index. If several runs have the same message, the first counts.
  RunFlow(std::vector<FlowCallback> callbacks, const std::vector<FlowRun> & runs);
  /// As above, for lists that may be larger than memory.
  RunFlow(std::vector<FlowCallback> callbacks, FlowRuns runs);

  const std::vector<FlowCallback> & callbacks() const noexcept { return callbacks_; }
  const LongVector<FlowingRun> & runs() const noexcept { return all_.runs; }
  /// The message of a run with this number, from 0.
  FlowMessage taken(const FlowingRun & run, std::size_t number) const
  {
    return all_.taken[run.first_taken + number];
  }
  /// The published message of a run with this number, from 0.
  FlowPublish published(const FlowingRun & run, std::size_t number) const
  {
    return all_.published[run.first_published + number];
  }

  /// What happened to a run's message on a topic.
  struct Held
  {
    RunNumber carrier = kNoRun;  ///< the publishing run: the run itself, or a later one of its node
    bool superseded = false;     ///< a newer run of the callback replaced it first
  };
  /// What happened to the run's message on this topic.
  Held held(RunNumber run, std::uint32_t topic) const;

  /// The run that published the message.
  RunNumber source(const FlowMessage & message) const;
  /// The run of the callback that took the message.
  RunNumber taker(std::uint32_t callback, const FlowMessage & message) const;
  /// True if the callback took a later message of the publisher.
  bool overtaken(std::uint32_t callback, const FlowMessage & message) const
  {
    return next_taker(callback, message) != kNoRun;
  }
  /// The run of the callback that took the next later message of the publisher; kNoRun: none did.
  RunNumber next_taker(std::uint32_t callback, const FlowMessage & message) const;
  /// True if a run of the node published the topic.
  bool publishes(std::uint32_t node, std::uint32_t topic) const;

private:
  /// The first run of a callback with the message; for publishes the callback is 0.
  struct Named
  {
    std::uint32_t callback = 0;
    FlowMessage message{};
    RunNumber run = 0;

    auto key() const { return std::tie(callback, message.publisher, message.sequence); }
  };
  using Moment = std::pair<std::int64_t, RunNumber>;  // runs of equal time keep their order
  /// `of`: for publishes node and topic, for kept messages the callback.
  struct PlacedMoment
  {
    std::uint64_t of = 0;
    std::int64_t time = 0;
    RunNumber run = 0;

    Moment moment() const { return {time, run}; }
  };

  static std::uint64_t pair_of(std::uint32_t node, std::uint32_t topic) noexcept
  {
    return std::uint64_t{node} << 32U | topic;
  }
  static RunNumber find(const SortedList<Named> & all, const Named & wanted);
  static Moment after(const SortedList<PlacedMoment> & all, std::uint64_t of, const Moment & since);

  std::vector<FlowCallback> callbacks_;
  FlowRuns all_;
  SortedList<Named> published_;
  SortedList<Named> taken_;
  SortedList<PlacedMoment> publishes_;
  SortedList<PlacedMoment> kept_;
};

}  // namespace takt_trace

#endif  // TAKT_TRACE__RUN_FLOW_HPP_
