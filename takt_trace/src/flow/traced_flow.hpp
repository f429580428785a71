// The runs of a trace for the account of activations. Callbacks and topics of all processes have
// common numbers, and runs without an end are included. It also knows where a trace does not show
// how messages went.
//
// Times are those of the clock that all processes share. Accepts any records. Set-up only:
// allocates; does not block.
#ifndef TAKT_TRACE__SRC__FLOW__TRACED_FLOW_HPP_
#define TAKT_TRACE__SRC__FLOW__TRACED_FLOW_HPP_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "flow/run_index.hpp"
#include "takt_trace/run_flow.hpp"

namespace takt_trace::detail
{

/// The traces' knowledge of a callback.
struct FlowingCallback
{
  std::uint32_t number = 0;  ///< in the flow
  std::string id{};
  bool timer = false;
  std::set<std::size_t> processes{};  ///< processes that have it
  std::size_t ended_runs = 0;
  std::size_t without_message = 0;  ///< runs without a take, picked while their process recorded
  std::size_t unnamed_takes = 0;    ///< takes of messages of an unknown publisher
};

class TracedFlow
{
public:
  explicit TracedFlow(const RunIndex & index);

  const RunFlow & flow() const { return flow_; }
  /// Null: no process has it.
  const FlowingCallback * find(const std::string & id) const;
  /// True if the traces have publishes of the topic that no take can be joined with.
  bool has_unnamed_publishes(std::uint32_t topic) const { return unnamed_.contains(topic); }
  /// The number of periods that a timer had skipped when the run started.
  std::int64_t skipped(RunNumber run) const { return skipped_[run]; }

private:
  struct Made;

  explicit TracedFlow(Made && made);

  RunFlow flow_;
  std::map<std::string, FlowingCallback> callbacks_;
  std::set<std::uint32_t> unnamed_;   // topics
  LongVector<std::int64_t> skipped_;  // by run
};

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__FLOW__TRACED_FLOW_HPP_
