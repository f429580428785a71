// Nests the slices of one thread on one track strictly: runs of callbacks and spans, for any
// records.
//
// - A span that is open when its run ends is closed with the run. A span that began before a run
//   and ends within it is closed after the run.
// - If records were lost, a run without an end is closed before the next run. Otherwise the next
//   run is inside it.
// Set-up only: allocates; does not block. Times must not decrease from call to call.
#ifndef TAKT_TRACE__SRC__TIMELINE__NEST_HPP_
#define TAKT_TRACE__SRC__TIMELINE__NEST_HPP_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "timeline/tracks.hpp"

namespace takt_trace::detail
{

class Nest
{
public:
  /// `lossy`: records were lost.
  explicit Nest(bool lossy) : lossy_(lossy) {}

  /// Returns the index of the slice, for the other functions. `deadline`: 0: none. `has_end`:
  /// `end_run` will be called for it.
  std::size_t start_run(
    std::int64_t time, Text name, std::int64_t deadline, bool has_end,
    const SliceFacts & facts = {});
  void end_run(std::int64_t time, std::size_t run);
  void begin_span(std::int64_t time, Text name);
  /// Ends the innermost span, if there is one.
  void end_span(std::int64_t time);

  Slice at(std::size_t index) const { return slices_[index]; }
  void set(std::size_t index, const Slice & slice) { slices_.set(index, slice); }
  /// Closes all open slices, and returns all slices, outer ones first. Call nothing after it.
  LongVector<Slice> finish(std::int64_t time);

private:
  enum class State : std::uint8_t
  {
    open,
    ended,  // ended, with open slices inside it
    closed
  };

  struct Open
  {
    std::size_t slice = 0;
    std::int64_t deadline = 0;
  };

  std::size_t open(std::int64_t time, Text name, Category category, const SliceFacts & facts = {});
  void close_lost_run();
  void close_innermost(std::int64_t time);
  void close_unended(std::size_t depth, std::int64_t time);
  void close_ended(std::int64_t time);
  void forget_closed_spans();

  const bool lossy_;
  std::int64_t last_ = 0;            // time of the last call
  std::optional<std::size_t> lost_;  // the last run without an end
  LongVector<Slice> slices_;
  LongVector<State> states_;        // of the slices
  std::vector<Open> open_;          // outermost first; the index is the slice's depth
  std::vector<std::size_t> spans_;  // slices that wait for their ends, outermost first
};

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__TIMELINE__NEST_HPP_
