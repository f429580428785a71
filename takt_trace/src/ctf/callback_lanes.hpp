// Separates overlapping runs of one callback.
//
// Readers pair callback_start and callback_end by the callback's handle only, so they would lose
// one of two overlapping runs. So each lane has its own handle, and no two runs of a lane overlap.
#ifndef TAKT_TRACE__SRC__CTF__CALLBACK_LANES_HPP_
#define TAKT_TRACE__SRC__CTF__CALLBACK_LANES_HPP_

#include <cstdint>
#include <map>
#include <vector>

#include "thread_view.hpp"

namespace takt_trace::detail
{

struct CallbackLanes
{
  /// By thread and record: the lane of a run_start and of its end; 0 for other records.
  std::vector<LongVector<std::uint32_t>> of_record;
  /// The number of lanes of each callback in the records.
  std::map<std::uint32_t, std::uint32_t> count;
};

/// Allocates; O(records log records).
CallbackLanes callback_lanes(const std::vector<ThreadView> & threads);

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__CTF__CALLBACK_LANES_HPP_
