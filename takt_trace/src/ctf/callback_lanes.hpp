// Which runs of one callback overlap.
//
// Readers pair callback_start and callback_end by the handle of the callback alone, so that of two runs that overlap they
// would lose one. Each lane gets a handle of its own: no two runs of a lane overlap.
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
  /// By thread and record: of a run_start and its end; 0 of other records.
  std::vector<LongVector<std::uint32_t>> of_record;
  /// How many lanes each callback has that the records name.
  std::map<std::uint32_t, std::uint32_t> count;
};

/// Allocates; O(records log records).
CallbackLanes callback_lanes(const std::vector<ThreadView> & threads);

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__CTF__CALLBACK_LANES_HPP_
