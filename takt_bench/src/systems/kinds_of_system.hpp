// Small random systems. In each kind, callbacks wait for each other in one certain way. They show
// how tight the bounds are for it.
//
// Threads have fixed OS priorities and are pinned. The core with the highest load has 30 % to 85 %.
// Periods are 20, 40, 50 and 100 ms. Set-up only: allocates. The same input gives the same system.
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
  one_thread,       ///< timers on one thread with order `priority`
  one_fifo_thread,  ///< timers on one thread with order `fifo`
  own_threads,      ///< timers, each on its own thread
  three_threads,    ///< chains over three threads of one core
  two_ways,         ///< two ways from one timer meet again
  two_timers,       ///< two timers start one callback
  one_over_cores,   ///< one chain that goes back and forth between two cores
  over_cores,       ///< several such chains
  processes,        ///< chains over two processes on two cores; their messages have delays
  equal_set,        ///< a callback waits for two timers of one period, on one core
  set,              ///< the same with any two periods
  set_over_cores,   ///< the same with timers on another core
  two_sets          ///< a second set waits for the first set and a third timer
};

inline constexpr std::array kKinds{
  Kind::one_thread, Kind::one_fifo_thread, Kind::own_threads, Kind::three_threads, Kind::two_ways,
  Kind::two_timers, Kind::one_over_cores,  Kind::over_cores,  Kind::processes,     Kind::equal_set,
  Kind::set,        Kind::set_over_cores,  Kind::two_sets};

/// A name for people.
std::string_view to_string(Kind kind);

/// With `phases` all timers have offsets on one epoch; otherwise any phase is possible. Each chain
/// goes from a timer to a callback that starts no other callback.
takt_plan::Model system_of(Kind kind, bool phases, std::uint64_t seed);

}  // namespace takt_bench

#endif  // TAKT_BENCH__SRC__SYSTEMS__KINDS_OF_SYSTEM_HPP_
