// The times of runs, and a span of time from which callers claim parts. Plain values.
#ifndef TAKT_TRACE__SRC__REPORT__INTERVALS_HPP_
#define TAKT_TRACE__SRC__REPORT__INTERVALS_HPP_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "takt_trace/sorted_list.hpp"

namespace takt_trace::detail
{

/// The times of some runs. They may overlap.
class RunTimes
{
public:
  struct One
  {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::size_t run = 0;
  };

  void add(const One & one) { all_.push_back(one); }

  /// Call it after all runs are added, and before any other function.
  void sort()
  {
    all_.sort([](const One & a, const One & b) { return a.begin < b.begin; });
    LongVector<Reached> reached;
    std::int64_t latest = std::numeric_limits<std::int64_t>::min();
    for (const One one : all_) {
      latest = std::max(latest, one.end);
      reached.push_back({one, latest});
    }
    all_.clear();
    sorted_ = SortedList<Reached>(std::move(reached));
  }

  /// Calls `visit` with each run that overlaps the time, the latest begin first: so an inner run
  /// comes before the outer one.
  template <typename Visit>
  void visit_overlapping(std::int64_t begin, std::int64_t end, const Visit & visit) const
  {
    for (std::size_t i =
           sorted_.first_not([&](const Reached & one) { return one.one.begin < end; });
         i > 0; --i) {
      const Reached one = sorted_[i - 1];
      if (one.latest <= begin) {
        return;
      }
      if (one.one.end > begin) {
        visit(one.one);
      }
    }
  }

private:
  struct Reached
  {
    One one{};
    std::int64_t latest = 0;  // latest end so far
  };

  LongVector<One> all_;
  SortedList<Reached> sorted_;  // by begin
};

/// A time without the parts that were claimed.
class FreeTime
{
public:
  FreeTime(std::int64_t begin, std::int64_t end)
  {
    if (begin < end) {
      free_.push_back({begin, end});
    }
  }

  std::int64_t left() const
  {
    std::int64_t sum = 0;
    for (const auto & [begin, end] : free_) {
      sum += end - begin;
    }
    return sum;
  }

  /// Claims the time. Returns how much of it was free.
  std::int64_t claim(std::int64_t begin, std::int64_t end)
  {
    std::int64_t sum = 0;
    std::vector<std::pair<std::int64_t, std::int64_t>> left;
    for (const auto & part : free_) {
      const std::int64_t from = std::clamp(begin, part.first, part.second);
      const std::int64_t to = std::clamp(end, from, part.second);
      sum += to - from;
      if (part.first < from) {
        left.push_back({part.first, from});
      }
      if (to < part.second) {
        left.push_back({to, part.second});
      }
    }
    free_ = std::move(left);
    return sum;
  }

private:
  std::vector<std::pair<std::int64_t, std::int64_t>> free_;  // in order, none empty
};

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__REPORT__INTERVALS_HPP_
