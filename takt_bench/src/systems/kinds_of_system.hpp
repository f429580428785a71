// Small random systems of one kind each, which show how tight bounds are where callbacks wait for each other in one way.
//
// Threads are of fixed OS priority and pinned. The fullest core is loaded by 30 % to 85 %. Periods are 20, 40, 50 and 100 ms.
// Set-up only: allocates. The same input gives the same system.
#ifndef TAKT_BENCH__SRC__SYSTEMS__KINDS_OF_SYSTEM_HPP_
#define TAKT_BENCH__SRC__SYSTEMS__KINDS_OF_SYSTEM_HPP_

#include <array>
#include <cstdint>
#include <string_view>

#include "takt_plan/model.hpp"

namespace takt_bench
{

enum class Kind
{
  one_thread,       ///< timers on one thread, order `priority`
  one_fifo_thread,  ///< the same, order `fifo`
  own_threads,      ///< timers on a thread each
  three_threads,    ///< chains over three threads of one core
  two_ways,         ///< of one timer, which meet again
  two_timers,       ///< start one callback
  one_over_cores,   ///< a chain over two cores, back and forth
  over_cores,       ///< several of these
  processes,        ///< chains over two processes on two cores, whose messages take time
  equal_set,        ///< two timers of one period wait for each other, on one core
  set,              ///< the same of any two periods
  set_over_cores,   ///< the same, timers on another core
  two_sets          ///< the first set waits for a third timer
};

inline constexpr std::array kKinds{
  Kind::one_thread, Kind::one_fifo_thread, Kind::own_threads, Kind::three_threads, Kind::two_ways,
  Kind::two_timers, Kind::one_over_cores,  Kind::over_cores,  Kind::processes,     Kind::equal_set,
  Kind::set,        Kind::set_over_cores,  Kind::two_sets};

/// A name for people.
std::string_view to_string(Kind kind);

/// With `phases` all timers have offsets on one epoch, else any phase is possible. Each chain is a way from a timer to a
/// callback that starts no other.
takt_plan::Model system_of(Kind kind, bool phases, std::uint64_t seed);

}  // namespace takt_bench

#endif  // TAKT_BENCH__SRC__SYSTEMS__KINDS_OF_SYSTEM_HPP_
