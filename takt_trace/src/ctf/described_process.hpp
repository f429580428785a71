// The parts of one process, with the handles that events use.
#ifndef TAKT_TRACE__SRC__CTF__DESCRIBED_PROCESS_HPP_
#define TAKT_TRACE__SRC__CTF__DESCRIBED_PROCESS_HPP_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "callback_lanes.hpp"
#include "handles.hpp"
#include "messages.hpp"
#include "publishers.hpp"
#include "takt_trace/long_trace.hpp"
#include "thread_view.hpp"

namespace takt_trace::detail
{

// Texts are UTF-8.

struct CtfNode
{
  std::uint64_t handle = 0;
  std::uint64_t rmw = 0;
  std::string name;
  std::string space;  ///< its namespace
};

struct CtfExecutor
{
  std::uint64_t handle = 0;
  std::uint64_t collector = 0;  ///< of its entities
  std::string type;             ///< CARET's name for it
};

struct CtfGroup
{
  std::uint64_t handle = 0;
  std::uint64_t collector = 0;
  bool exclusive = true;
};

enum class CallbackKind : std::uint8_t
{
  timer,
  subscription,
  service,
  client,
  other
};

struct CtfCallback
{
  CallbackKind kind = CallbackKind::other;
  std::string id;
  std::string kind_name;
  std::string group_name;
  std::string executor;
  bool exclusive = true;
  std::string subject;       ///< the topic or the service
  std::int64_t period = 0;   ///< of a timer; 0: not known
  std::uint64_t node = 0;    ///< handle; 0: none
  std::uint64_t group = 0;   ///< handle
  std::uint64_t handle = 0;  ///< of the timer, subscription, service or client
  std::uint64_t rmw = 0;
  std::uint64_t object = 0;          ///< the rclcpp subscription
  std::vector<std::uint64_t> lanes;  ///< handles of the function, one per lane

  /// True if ros2_tracing has events for its runs.
  bool is_of_ros() const noexcept
  {
    return kind != CallbackKind::client && kind != CallbackKind::other;
  }
};

struct CtfPublisher
{
  std::uint64_t handle = 0;
  std::uint64_t rmw = 0;
  std::uint64_t node = 0;  ///< handle; 0: unknown
  std::uint64_t gid = 0;
  std::string topic;
};

struct CtfChain
{
  std::uint64_t handle = 0;
  std::string name;
  std::string path;
};

struct DescribedProcess
{
  const LongTrace * trace = nullptr;
  std::int64_t began = 0;  ///< before all records
  std::vector<ThreadView> threads;
  CallbackLanes lanes;
  FoundPublishers found;
  std::uint64_t context = 0;                     ///< handle
  std::map<std::string, CtfNode> nodes;          // by the part of ids before the kind
  std::map<std::string, CtfExecutor> executors;  // by name
  std::vector<CtfGroup> groups;
  std::map<std::uint32_t, CtfCallback> callbacks;  // by index; also those that only records have
  std::vector<CtfPublisher> publishers;            // as in `found`
  std::map<std::uint32_t, CtfChain> chains;        // by index; also those that only records have
  std::vector<std::string> topics;
  std::vector<std::string> names;
};

/// `number`: the process's number in `messages`. `trace` must outlive the result. Allocates.
DescribedProcess describe(
  const LongTrace & trace, std::size_t number, const Messages & messages, Handles & handles);

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__CTF__DESCRIBED_PROCESS_HPP_
