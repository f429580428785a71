// Finds which run took which published message, across the processes of a trace.
//
// A take and a publish belong together if both have the same publisher and sequence number, or else
// the same topic and source time. A subscription's id contains its topic. If the user named the
// subscription otherwise, only the source time decides, provided that one publish has it. A take
// without a publish in the traces stays alone, and so does a publish that no run took.
#ifndef TAKT_TRACE__SRC__FLOW__MESSAGE_FLOW_HPP_
#define TAKT_TRACE__SRC__FLOW__MESSAGE_FLOW_HPP_

#include <cstddef>
#include <vector>

#include "takt_trace/long_trace.hpp"
#include "takt_trace/trace.hpp"

namespace takt_trace
{

/// The place of a record.
struct RecordPlace
{
  std::size_t process = 0;
  std::size_t thread = 0;
  std::size_t record = 0;

  friend bool operator==(const RecordPlace &, const RecordPlace &) = default;
};

struct MessageFlow
{
  RecordPlace publish;
  RecordPlace take;
};

struct MessageFlows
{
  LongVector<MessageFlow> joined;  ///< by take; a publish may occur several times
  std::size_t takes = 0;           ///< all takes, also those without a publish in the traces
  std::size_t publishes = 0;
};

/// Set-up only: allocates; O(records log records).
MessageFlows message_flows(const std::vector<LongTrace> & processes);
MessageFlows message_flows(const std::vector<ProcessTrace> & processes);

/// Takes whose publish should be in the traces, because the traces have the publisher, and the
/// message was sent well after the last process began to record and well before the first one
/// ended. Processes begin and end one after the other.
struct Joinable
{
  std::size_t takes = 0;
  std::size_t joined = 0;
};

/// `flows`: of the same traces. Set-up only: allocates; O(records).
Joinable joinable(const std::vector<LongTrace> & processes, const MessageFlows & flows);
Joinable joinable(const std::vector<ProcessTrace> & processes, const MessageFlows & flows);

}  // namespace takt_trace

#endif  // TAKT_TRACE__SRC__FLOW__MESSAGE_FLOW_HPP_
