// A sorted list that may be larger than memory, for binary searches.
#ifndef TAKT_TRACE__SORTED_LIST_HPP_
#define TAKT_TRACE__SORTED_LIST_HPP_

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "takt_trace/long_vector.hpp"

namespace takt_trace
{

/// Keeps some elements in memory, so that a search reads one place of a long list instead of many.
template <typename T>
class SortedList
{
public:
  SortedList() = default;
  /// `sorted`: in the order of later searches.
  explicit SortedList(LongVector<T> sorted) : all_(std::move(sorted))
  {
    for (std::size_t i = kApart; i < all_.size(); i += kApart) {
      some_.push_back(all_[i]);
    }
  }

  std::size_t size() const noexcept { return all_.size(); }
  bool empty() const noexcept { return all_.empty(); }
  /// A copy of the element. `index` must be below `size()`.
  T operator[](std::size_t index) const { return all_[index]; }

  /// The index of the first element for which `is_before` is false; it is true for all elements
  /// before it. O(log n).
  template <typename IsBefore>
  std::size_t first_not(const IsBefore & is_before) const
  {
    const auto part = static_cast<std::size_t>(
      std::partition_point(some_.begin(), some_.end(), is_before) - some_.begin());
    std::size_t from = part * kApart;
    std::size_t to = part < some_.size() ? from + kApart : all_.size();
    while (from < to) {
      const std::size_t middle = from + (to - from) / 2;
      if (is_before(all_[middle])) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  }

private:
  static constexpr std::size_t kApart = 1024;

  LongVector<T> all_{};
  std::vector<T> some_{};  // every n-th element, without the first
};

}  // namespace takt_trace

#endif  // TAKT_TRACE__SORTED_LIST_HPP_
