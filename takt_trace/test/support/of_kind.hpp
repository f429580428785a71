// The records of one kind in a trace.
#ifndef SUPPORT__OF_KIND_HPP_
#define SUPPORT__OF_KIND_HPP_

#include <vector>

#include "takt_trace/trace.hpp"

namespace takt_trace
{

/// The records of all threads, one thread after the other.
inline std::vector<Record> of_kind(const ProcessTrace & trace, RecordKind kind)
{
  std::vector<Record> found;
  for (const TracedThread & thread : trace.threads) {
    for (const Record & record : thread.records) {
      if (record.kind == kind) {
        found.push_back(record);
      }
    }
  }
  return found;
}

}  // namespace takt_trace

#endif  // SUPPORT__OF_KIND_HPP_
