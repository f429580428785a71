// The options of a run of a graph, as plain data. The programs' command lines make them.
#ifndef TAKT_WORKLOAD__SRC__RUN__RUN_OPTIONS_HPP_
#define TAKT_WORKLOAD__SRC__RUN__RUN_OPTIONS_HPP_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "takt_core/order.hpp"
#include "takt_rt/time.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_workload
{

struct RunOptions
{
  std::string schedule;  ///< file or shipped name; empty: order and threads below
  /// The content of this file, if it was read before.
  std::shared_ptr<const takt_schedule::Schedule> read_schedule;
  std::string executor;                   ///< in the schedule; empty: the only one, or that of the
                                          ///< part
  std::optional<takt_core::Order> order;  ///< without a schedule; default: fifo
  int threads = 1;                        ///< without a schedule
  std::vector<int> cores;                 ///< the process may use only these; empty: no change
  takt_rt::Duration duration = std::chrono::seconds(10);
  takt_rt::Duration warmup = std::chrono::seconds(1);
  std::optional<std::uint64_t> random_phases;  ///< absent: fixed
  std::uint64_t seed = 0;
  double work_scale = 1.0;
  int split = 1;          ///< number of processes
  std::string split_map;  ///< "A,B;C": nodes of each process; all other nodes are in the last one
  /// A part (0 to split - 1) that ends at this time after the epoch, during the warm-up, and starts
  /// again.
  struct Restart
  {
    int part = 0;
    takt_rt::Duration after{};
  };
  std::optional<Restart> restart;
  bool witness = true;
  std::optional<std::size_t> domain;
  std::optional<int> reference_timer;  ///< SCHED_FIFO priority; absent: no reference timer
  std::string label;

  takt_rt::Duration match_timeout = std::chrono::seconds(30);
};

/// The graph runs on for this long after the measured time, so that released activations may end.
inline constexpr takt_rt::Duration kDrain = std::chrono::milliseconds(500);

/// The graph with the phases and work times of `options`.
Graph prepared(const Graph & graph, const RunOptions & options);

/// The part (0 to split - 1) of each node: contiguous blocks in creation order, or as `split_map`
/// says. Throws std::invalid_argument for unknown or doubled names, and for parts without a node.
std::vector<int> parts_of(const Graph & graph, const RunOptions & options);

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SRC__RUN__RUN_OPTIONS_HPP_
