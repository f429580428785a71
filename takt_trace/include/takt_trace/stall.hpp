// A stretch of time in which a core was taken from the threads that should have had it.
#ifndef TAKT_TRACE__STALL_HPP_
#define TAKT_TRACE__STALL_HPP_

#include "takt_rt/time.hpp"

namespace takt_trace
{

struct Stall
{
  enum class Source
  {
    witness,    ///< by the host: not even the wake-up of a top-priority thread came through
    overrun,    ///< by the host: work used more CPU time than it asked for
    throttled,  ///< by the kernel: that thread was ready, and others ran. No stall of the host
  };
  int core = -1;          ///< -1: not known
  takt_rt::Time begin{};  ///< at the earliest: until then the core was seen to run
  takt_rt::Time end{};
  Source source = Source::witness;
  takt_rt::Time certain_from = begin;  ///< at the latest
};

}  // namespace takt_trace

#endif  // TAKT_TRACE__STALL_HPP_
