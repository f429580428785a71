// Splits the time of an activation's step into parts that add up to the step, and names what it
// waited for.
//
// Set-up only: allocates; does not block.
#ifndef TAKT_TRACE__SRC__REPORT__SPLIT_HPP_
#define TAKT_TRACE__SRC__REPORT__SPLIT_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "flow/run_index.hpp"
#include "report/activations.hpp"
#include "report/intervals.hpp"

namespace takt_trace::detail
{

/// Nanoseconds, not negative. Their sum is the split time.
struct Split
{
  std::int64_t middleware = 0;  ///< from publish to arrival, and the take while it had a core
  std::int64_t group = 0;       ///< a callback of the callback's exclusive group ran
  std::int64_t queue = 0;       ///< the thread ran other callbacks
  std::int64_t core = 0;        ///< the thread waited for a core, or for its wake-up
  std::int64_t ran = 0;         ///< CPU time; if it was not measured, the rest
  /// The callback slept, or waited for a lock or for its node's other input.
  std::int64_t blocked = 0;

  std::int64_t sum() const { return middleware + group + queue + core + ran + blocked; }
  Split & operator+=(const Split & other);
  friend bool operator==(const Split &, const Split &) = default;
};

enum class WaitedFor : std::uint8_t
{
  group,
  queue,
  core
};

inline constexpr std::array<const char *, 3> kWaitedFor{"group", "queue", "core"};

/// The reason for a part of a step's wait, and its length.
struct Blocker
{
  std::string what;  ///< the id of a callback, or a description
  WaitedFor why = WaitedFor::group;
  std::int64_t time = 0;  ///< ns, above zero

  friend bool operator==(const Blocker &, const Blocker &) = default;
};

class Splitter
{
public:
  /// The index must outlive it.
  explicit Splitter(const RunIndex & index);

  Split split(const ActivationStep & step) const;
  /// The longest first. Those of `group`, `queue` and `core` add up to these parts of the split.
  std::vector<Blocker> blockers(const ActivationStep & step) const;
  /// The runs of a thread from pick to end, in the shared clock.
  const RunTimes & runs_of_thread(std::size_t process, std::size_t thread) const;

private:
  class Parts;
  using Names = std::map<std::pair<WaitedFor, std::string>, std::int64_t>;
  using Group = std::tuple<std::size_t, std::string, std::string>;  // process, executor, group
  using Core = std::pair<std::size_t, int>;                         // host, core

  const RunIndex & index_;
  std::map<std::pair<std::size_t, std::size_t>, RunTimes> threads_;  // process, thread
  std::map<Group, RunTimes> groups_;                                 // exclusive ones
  std::map<Core, RunTimes> cores_;  // by the cores on which runs started
  RunTimes none_{};
};

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__REPORT__SPLIT_HPP_
