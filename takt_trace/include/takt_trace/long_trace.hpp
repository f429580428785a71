// Traces whose records may not fit into memory (long_vector.hpp). All readers of traces use them.
#ifndef TAKT_TRACE__LONG_TRACE_HPP_
#define TAKT_TRACE__LONG_TRACE_HPP_

#include <utility>
#include <vector>

#include "takt_trace/long_vector.hpp"
#include "takt_trace/trace.hpp"

namespace takt_trace
{

using LongThread = BasicThread<LongVector<Record>>;
using LongTrace = BasicTrace<LongVector<Record>>;

/// Copies all but the records of the threads; `records` converts the list of these. Allocates.
template <typename To, typename From, typename Records>
BasicTrace<To> with_records(const BasicTrace<From> & from, const Records & records)
{
  BasicTrace<To> to;
  to.pid = from.pid;
  to.program = from.program;
  to.host = from.host;
  to.to_realtime = from.to_realtime;
  to.to_boottime = from.to_boottime;
  to.realtime_clock = from.realtime_clock;
  to.began = from.began;
  to.ended = from.ended;
  to.witnessed = from.witnessed;
  to.callbacks = from.callbacks;
  to.chains = from.chains;
  to.topics = from.topics;
  to.names = from.names;
  for (const auto & thread : from.threads) {
    to.threads.push_back(
      {thread.tid, thread.name, thread.executor, thread.dropped, records(thread.records)});
  }
  return to;
}

/// Refers to the records of `processes`, which must outlive the result and not change. Allocates.
inline std::vector<LongTrace> borrowed(const std::vector<ProcessTrace> & processes)
{
  std::vector<LongTrace> all;
  for (const ProcessTrace & process : processes) {
    all.push_back(with_records<LongVector<Record>>(process, LongVector<Record>::borrowed));
  }
  return all;
}

/// Copies all records into memory. Allocates.
inline std::vector<ProcessTrace> in_memory(const std::vector<LongTrace> & processes)
{
  std::vector<ProcessTrace> all;
  for (const LongTrace & process : processes) {
    all.push_back(with_records<std::vector<Record>>(
      process, [](const LongVector<Record> & records) { return records.in_memory(); }));
  }
  return all;
}

}  // namespace takt_trace

#endif  // TAKT_TRACE__LONG_TRACE_HPP_
