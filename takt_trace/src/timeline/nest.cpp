#include "timeline/nest.hpp"

#include <utility>

namespace takt_trace::detail
{

std::size_t Nest::start_run(
  std::int64_t time, Text name, std::int64_t deadline, bool has_end, const SliceFacts & facts)
{
  if (lossy_) {
    close_lost_run();
  }
  const std::size_t run = open(time, name, Category::callback, facts);
  open_.back().deadline = deadline;
  if (!has_end) {
    lost_ = run;
  }
  return run;
}

void Nest::end_run(std::int64_t time, std::size_t run)
{
  last_ = time;
  if (states_[run] == State::closed) {
    return;
  }
  close_unended(slices_[run].depth + 1, time);
  close_innermost(time);
  close_ended(time);
  forget_closed_spans();
}

void Nest::begin_span(std::int64_t time, Text name)
{
  spans_.push_back(open(time, name, Category::span));
}

void Nest::end_span(std::int64_t time)
{
  last_ = time;
  if (spans_.empty()) {
    return;
  }
  const std::size_t span = spans_.back();
  spans_.pop_back();
  if (states_[span] == State::open) {  // else it was closed with its run, and this is its own end
    states_.set(span, State::ended);
    close_ended(time);
  }
}

LongVector<Slice> Nest::finish(std::int64_t time)
{
  close_unended(0, time);
  return std::move(slices_);
}

std::size_t Nest::open(std::int64_t time, Text name, Category category, const SliceFacts & facts)
{
  last_ = time;
  const std::size_t index = slices_.size();
  const auto depth = static_cast<std::uint32_t>(open_.size());
  slices_.push_back({time, time, name, category, depth, facts});
  states_.push_back(State::open);
  open_.push_back({index});
  return index;
}

/// Closes the run with all slices inside it, at the last time at which one of them was recorded.
void Nest::close_lost_run()
{
  if (lost_ && states_[*lost_] != State::closed) {
    close_unended(slices_[*lost_].depth, last_);
    close_ended(last_);
    forget_closed_spans();
  }
  lost_.reset();
}

void Nest::close_innermost(std::int64_t time)
{
  const Open innermost = open_.back();
  open_.pop_back();
  Slice slice = slices_[innermost.slice];
  slice.end = time;
  if (innermost.deadline > 0 && time > innermost.deadline) {
    slice.facts.add_deadline_missed();
  }
  slices_.set(innermost.slice, slice);
  states_.set(innermost.slice, State::closed);
}

/// Closes all slices with at least `depth` slices around them.
void Nest::close_unended(std::size_t depth, std::int64_t time)
{
  while (open_.size() > depth) {
    const std::size_t index = open_.back().slice;
    if (states_[index] != State::ended) {
      Slice slice = slices_[index];
      slice.facts.add_cut();
      slices_.set(index, slice);
    }
    close_innermost(time);
  }
}

void Nest::close_ended(std::int64_t time)
{
  while (!open_.empty() && states_[open_.back().slice] == State::ended) {
    close_innermost(time);
  }
}

/// Their ends may be lost, too: then the following ends belong to the spans around them.
void Nest::forget_closed_spans()
{
  while (lossy_ && !spans_.empty() && states_[spans_.back()] == State::closed) {
    spans_.pop_back();
  }
}

}  // namespace takt_trace::detail
