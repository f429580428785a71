// Finds the publishers of a process: a trace has only the topics and publishers' gids of messages.
#ifndef TAKT_TRACE__SRC__CTF__PUBLISHERS_HPP_
#define TAKT_TRACE__SRC__CTF__PUBLISHERS_HPP_

#include <cstdint>
#include <string>
#include <vector>

#include "takt_trace/long_trace.hpp"
#include "thread_view.hpp"

namespace takt_trace::detail
{

struct FoundPublisher
{
  std::uint32_t topic = 0;
  std::int64_t gid = 0;  ///< folded; 0: unknown
  std::string node;      ///< of the first callback that published in a run; empty: none
};

struct FoundPublishers
{
  std::vector<FoundPublisher> all;
  /// By thread: for each of its publishes in order, the index in `all`.
  std::vector<LongVector<std::size_t>> of_publish;
};

/// For messages without a gid, assumes one publisher for each topic and node. Allocates;
/// O(records).
FoundPublishers find_publishers(const LongTrace & process, const std::vector<ThreadView> & threads);

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__CTF__PUBLISHERS_HPP_
