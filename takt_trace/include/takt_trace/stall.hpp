// A time in which a core was taken from the threads that should have had it.
#ifndef TAKT_TRACE__STALL_HPP_
#define TAKT_TRACE__STALL_HPP_

#include "takt_rt/time.hpp"

namespace takt_trace
{

/// A stall of one core: its times, and what showed it.
struct Stall
{
  /// What showed the stall, and who had the core.
  enum class Source
  {
    witness,    ///< by the host: even the wake-up of a thread with top priority was late
    overrun,    ///< by the host: work took more CPU time than planned
    throttled,  ///< by the kernel: other threads ran although this one was ready; not a stall of
                ///< the host
  };
  int core = -1;          ///< -1: unknown
  takt_rt::Time begin{};  ///< earliest begin: until then the core certainly ran
  takt_rt::Time end{};
  Source source = Source::witness;
  takt_rt::Time certain_from = begin;  ///< latest begin
};

}  // namespace takt_trace

#endif  // TAKT_TRACE__STALL_HPP_
