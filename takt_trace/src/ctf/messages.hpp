// The messages of a trace: each publish and each take has a handle; joined ones have the same
// source time.
#ifndef TAKT_TRACE__SRC__CTF__MESSAGES_HPP_
#define TAKT_TRACE__SRC__CTF__MESSAGES_HPP_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "flow/message_flow.hpp"
#include "handles.hpp"
#include "takt_trace/long_trace.hpp"

namespace takt_trace::detail
{

struct CtfMessage
{
  RecordPlace place{};  ///< of the publish or the take
  std::uint64_t handle = 0;
  /// The middleware's source time. If no record has it: for a publish its time; for a take 0,
  /// unknown.
  std::int64_t source_time = 0;
  std::uint64_t published = 0;  ///< for a take: handle of the joined publish; 0: none
};

class Messages
{
public:
  /// Allocates; O(records).
  Messages(const std::vector<LongTrace> & processes, Handles & handles);

  /// In the order of the traces, their threads and the records.
  const LongVector<CtfMessage> & all() const { return messages_; }
  /// The index of the first message of this thread.
  std::size_t first_of(std::size_t process, std::size_t thread) const
  {
    return firsts_[process][thread];
  }
  /// The topic of the first joined message that the callback took; empty if there is none.
  std::string topic_of(std::size_t process, std::uint32_t callback) const;

private:
  /// The index of a publish or a take.
  std::size_t index_of(const RecordPlace & place) const;
  void join(const MessageFlow & flow, const std::vector<LongTrace> & processes);

  LongVector<CtfMessage> messages_;
  std::vector<std::vector<std::size_t>> firsts_;                         // by process, thread
  std::map<std::pair<std::size_t, std::uint32_t>, std::string> topics_;  // by process, callback
};

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__CTF__MESSAGES_HPP_
