// A binary min-heap whose elements store their place, so that any element can be removed.
//
// Not synchronised. `push` does not allocate below the reserved capacity. `reserve` with a mutex
// may run while other threads use the heap under that mutex: it allocates and frees without the
// mutex, so that no dispatch waits for an allocation.
#ifndef TAKT_CORE__INTRUSIVE_HEAP_HPP_
#define TAKT_CORE__INTRUSIVE_HEAP_HPP_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace takt_core
{

/// `Less(a, b)`: a comes before b. `Index(e)`: reference to the place stored in `e`.
template <typename T, typename Less, typename Index>
class IntrusiveHeap
{
public:
  static constexpr std::uint32_t kAbsent = UINT32_MAX;

  /// Makes room for `capacity` items. Set-up only: allocates.
  void reserve(std::size_t capacity)
  {
    if (capacity > items_.capacity()) {
      items_.reserve(std::max(capacity, 2 * items_.capacity()));
    }
  }

  /// Makes room for `capacity` items. One caller at a time, without holding `mutex`, which guards
  /// every other use of the heap; `reserve` holds it while it moves the items.
  template <typename Mutex>
  void reserve(std::size_t capacity, Mutex & mutex)
  {
    if (capacity <= items_.capacity()) {
      return;
    }
    std::vector<T> items;
    items.reserve(std::max(capacity, 2 * items_.capacity()));
    std::lock_guard lock(mutex);
    items.assign(items_.begin(), items_.end());
    items_.swap(items);
  }

  bool empty() const noexcept { return items_.empty(); }
  std::size_t size() const noexcept { return items_.size(); }
  const T & top() const noexcept { return items_.front(); }
  auto begin() const noexcept { return items_.begin(); }
  auto end() const noexcept { return items_.end(); }

  /// O(log size).
  void push(T item) noexcept
  {
    items_.push_back(item);
    sift_up(items_.size() - 1);
  }

  /// O(log size).
  T pop() noexcept
  {
    T item = items_.front();
    remove(item);
    return item;
  }

  /// Removes `item`, which is in the heap. O(log size).
  void remove(T item) noexcept
  {
    const std::size_t hole = Index{}(item);
    Index{}(item) = kAbsent;
    T last = items_.back();
    items_.pop_back();
    if (hole < items_.size()) {
      place(last, hole);
      update(last);
    }
  }

  /// Restores the order after the key of `item` changed. O(log size).
  void update(T item) noexcept
  {
    sift_up(Index{}(item));
    sift_down(Index{}(item));
  }

private:
  void place(T item, std::size_t at) noexcept
  {
    items_[at] = item;
    Index{}(item) = static_cast<std::uint32_t>(at);
  }

  void sift_up(std::size_t at) noexcept
  {
    T item = items_[at];
    while (at > 0) {
      const std::size_t parent = (at - 1) / 2;
      if (!Less{}(item, items_[parent])) {
        break;
      }
      place(items_[parent], at);
      at = parent;
    }
    place(item, at);
  }

  void sift_down(std::size_t at) noexcept
  {
    T item = items_[at];
    for (;;) {
      std::size_t child = 2 * at + 1;
      if (child >= items_.size()) {
        break;
      }
      if (child + 1 < items_.size() && Less{}(items_[child + 1], items_[child])) {
        ++child;
      }
      if (!Less{}(items_[child], item)) {
        break;
      }
      place(items_[child], at);
      at = child;
    }
    place(item, at);
  }

  std::vector<T> items_;
};

}  // namespace takt_core

#endif  // TAKT_CORE__INTRUSIVE_HEAP_HPP_
