#include "scheduler/arrival_ring_impl.hpp"

namespace takt_core
{

template class BasicArrivalRing<detail::NativeSync>;

}  // namespace takt_core
