#include "timeline/tracks.hpp"

#include <algorithm>

#include "saturating.hpp"

namespace takt_trace::detail
{

std::uint64_t ProcessTimeline::at(std::int64_t time) const noexcept
{
  return static_cast<std::uint64_t>(std::max<std::int64_t>(saturating_add(time, offset), 0));
}

}  // namespace takt_trace::detail
