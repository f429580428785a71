// A list of plain values that may be larger than memory.
//
// If the thread that makes it has a `MemoryLimit`, most of a long list is in a file, and memory
// holds some of its pages. Otherwise all of it is in memory. Elements are read and written as
// copies, because no reference to one stays valid. Access to neighbours is cheap, also backwards;
// each access to a distant place may read a page of the file. One thread at a time may use a list,
// and all lists under one limit.
#ifndef TAKT_TRACE__LONG_VECTOR_HPP_
#define TAKT_TRACE__LONG_VECTOR_HPP_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <queue>
#include <type_traits>
#include <utility>
#include <vector>

#include "takt_trace/memory_limit.hpp"

namespace takt_trace
{

/// Allocates; under a limit it may block and throw `NoRoomForPages`.
template <typename T>
class LongVector
{
  static_assert(std::is_trivially_copyable_v<T>);

public:
  class Iterator;
  using value_type = T;
  using const_iterator = Iterator;

  /// An empty list. If the thread has a `MemoryLimit`, the list uses its pages.
  LongVector() : pool_(detail::current_pool()) {}
  LongVector(std::initializer_list<T> all) : LongVector()
  {
    for (const T & one : all) {
      push_back(one);
    }
  }
  LongVector(std::size_t count, const T & value) : LongVector()
  {
    for (std::size_t i = 0; i < count; ++i) {
      push_back(value);
    }
  }
  LongVector(const LongVector & other) : LongVector() { append(other); }
  LongVector(LongVector && other) noexcept { swap(other); }
  LongVector & operator=(LongVector other) noexcept
  {
    swap(other);
    return *this;
  }
  ~LongVector() = default;

  /// Refers to `all`, which must outlive it and not change.
  static LongVector borrowed(const std::vector<T> & all)
  {
    LongVector list;
    list.data_ = all.data();
    list.size_ = all.size();
    return list;
  }

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }

  /// A copy of the element. `index` must be below `size()`.
  T operator[](std::size_t index) const
  {
    if (data_ != nullptr) {
      return data_[index];
    }
    T value;
    std::memcpy(static_cast<void *>(&value), read(index), sizeof(T));
    return value;
  }
  /// The list must not be empty.
  T front() const { return (*this)[0]; }
  T back() const { return (*this)[size_ - 1]; }
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size_}; }

  /// Replaces the element at `index`, which must be below `size()`. Copies a borrowed list first.
  void set(std::size_t index, const T & value)
  {
    own();
    if (pages_ == nullptr) {
      plain_[index] = value;
    } else {
      std::memcpy(write(index), static_cast<const void *>(&value), sizeof(T));
    }
  }

  /// Adds a copy of `value` at the end. Copies a borrowed list first.
  void push_back(const T & value)
  {
    own();
    if (pages_ == nullptr) {
      plain_.push_back(value);
      data_ = plain_.data();
      if (++size_ * sizeof(T) >= kSmall && pool_ != nullptr) {
        move_to_pages();
      }
    } else {
      std::memcpy(write(size_), static_cast<const void *>(&value), sizeof(T));
      ++size_;
    }
  }

  /// Adds copies of all elements of `more` at the end.
  void append(const LongVector & more)
  {
    for (std::size_t i = 0; i < more.size(); ++i) {
      push_back(more[i]);
    }
  }

  /// The list must not be empty.
  void pop_back()
  {
    own();
    --size_;
    if (pages_ == nullptr) {
      plain_.pop_back();
    }
  }

  /// Removes all elements, and frees their memory and pages.
  void clear() { *this = LongVector(); }

  /// A copy of all elements, in memory.
  std::vector<T> in_memory() const
  {
    std::vector<T> all;
    all.reserve(size_);
    for (std::size_t i = 0; i < size_; ++i) {
      all.push_back((*this)[i]);
    }
    return all;
  }

  /// Stable sort. O(n log n); reads and writes a long list twice.
  template <typename Less>
  void sort(const Less & less)
  {
    if (is_sorted(less)) {
      return;
    }
    const std::size_t most =
      pool_ == nullptr ? size_ : std::max<std::size_t>(pool_->sort_bytes() / sizeof(T), 2);
    for (std::size_t from = 0; from < size_; from += most) {
      sort_part(from, std::min(most, size_ - from), less);
    }
    if (size_ > most) {
      merge_parts(most, less);
    }
  }

  friend bool operator==(const LongVector & a, const LongVector & b)
  {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
  }

private:
  static constexpr std::size_t kSmall = 4096;  // bytes; a shorter list has no pages

  void swap(LongVector & other) noexcept
  {
    std::swap(pool_, other.pool_);
    std::swap(plain_, other.plain_);
    std::swap(pages_, other.pages_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(shift_, other.shift_);
    std::swap(seen_, other.seen_);
    std::swap(written_, other.written_);
  }

  bool is_borrowed() const noexcept { return data_ != nullptr && data_ != plain_.data(); }

  void own()
  {
    if (is_borrowed()) {
      LongVector copy(*this);
      swap(copy);
    }
  }

  void move_to_pages()
  {
    const std::size_t each =
      std::bit_floor(std::max(pool_->page_bytes() / sizeof(T), std::size_t{1}));
    shift_ = static_cast<unsigned>(std::countr_zero(each));
    pages_ = std::make_unique<detail::Pages>(pool_, each * sizeof(T));
    const std::vector<T> all = std::exchange(plain_, {});
    data_ = nullptr;
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::memcpy(write(i), static_cast<const void *>(&all[i]), sizeof(T));
    }
  }

  /// The address of a page at its last use; the pool knows whether it is still valid.
  template <typename Byte>
  struct Known
  {
    Byte * data = nullptr;
    std::size_t page = 0;
    std::uint64_t evictions = 0;

    bool is(std::size_t wanted, std::uint64_t now) const
    {
      return data != nullptr && page == wanted && evictions == now;
    }
  };

  const std::byte * read(std::size_t index) const
  {
    const std::size_t page = index >> shift_;
    if (!seen_.is(page, pool_->evictions())) {
      const std::byte * const data = pages_->read(page);
      seen_ = {data, page, pool_->evictions()};
    }
    return seen_.data + (index - (page << shift_)) * sizeof(T);
  }

  std::byte * write(std::size_t index)
  {
    const std::size_t page = index >> shift_;
    if (!written_.is(page, pool_->evictions())) {
      std::byte * const data = pages_->write(page);
      written_ = {data, page, pool_->evictions()};
    }
    return written_.data + (index - (page << shift_)) * sizeof(T);
  }

  template <typename Less>
  bool is_sorted(const Less & less) const
  {
    for (std::size_t i = 1; i < size_; ++i) {
      if (less((*this)[i], (*this)[i - 1])) {
        return false;
      }
    }
    return true;
  }

  template <typename Less>
  void sort_part(std::size_t from, std::size_t count, const Less & less)
  {
    std::vector<T> part;
    part.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      part.push_back((*this)[from + i]);
    }
    std::stable_sort(part.begin(), part.end(), less);
    for (std::size_t i = 0; i < count; ++i) {
      set(from + i, part[i]);
    }
  }

  /// Sorts parts of `each` elements; the last part may be shorter.
  template <typename Less>
  void merge_parts(std::size_t each, const Less & less)
  {
    struct Head
    {
      T value;
      std::size_t at;
    };
    const auto later = [&](const Head & a, const Head & b) {
      return less(b.value, a.value) || (!less(a.value, b.value) && b.at < a.at);
    };
    std::priority_queue<Head, std::vector<Head>, decltype(later)> heads(later);
    for (std::size_t from = 0; from < size_; from += each) {
      heads.push({(*this)[from], from});
    }
    LongVector merged;
    while (!heads.empty()) {
      const Head head = heads.top();
      heads.pop();
      merged.push_back(head.value);
      if (const std::size_t next = head.at + 1; next % each != 0 && next < size_) {
        heads.push({(*this)[next], next});
      }
    }
    swap(merged);
  }

  std::shared_ptr<detail::PagePool> pool_{};  // null: no limit
  std::vector<T> plain_{};
  std::unique_ptr<detail::Pages> pages_{};
  const T * data_ = nullptr;  // all elements, while they are contiguous
  std::size_t size_ = 0;
  unsigned shift_ = 0;  // a page has 2^shift_ elements
  mutable Known<const std::byte> seen_{};
  Known<std::byte> written_{};
};

/// Iterator for those of the C++ library's algorithms that only read.
template <typename T>
class LongVector<T>::Iterator
{
public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = const T *;
  using reference = T;

  Iterator() = default;
  Iterator(const LongVector * list, std::size_t index) : list_(list), index_(index) {}

  T operator*() const { return (*list_)[index_]; }
  T operator[](difference_type away) const { return *(*this + away); }
  std::size_t index() const { return index_; }

  Iterator & operator++() { return *this += 1; }
  Iterator & operator--() { return *this += -1; }
  Iterator operator++(int) { return std::exchange(*this, *this + 1); }
  Iterator operator--(int) { return std::exchange(*this, *this + -1); }
  Iterator & operator+=(difference_type away)
  {
    index_ = static_cast<std::size_t>(static_cast<difference_type>(index_) + away);
    return *this;
  }
  Iterator & operator-=(difference_type away) { return *this += -away; }
  friend Iterator operator+(Iterator one, difference_type away) { return one += away; }
  friend Iterator operator-(Iterator one, difference_type away) { return one += -away; }
  friend difference_type operator-(const Iterator & a, const Iterator & b)
  {
    return static_cast<difference_type>(a.index_) - static_cast<difference_type>(b.index_);
  }
  friend bool operator==(const Iterator & a, const Iterator & b) { return a.index_ == b.index_; }
  friend auto operator<=>(const Iterator & a, const Iterator & b) { return a.index_ <=> b.index_; }

private:
  const LongVector * list_ = nullptr;
  std::size_t index_ = 0;
};

}  // namespace takt_trace

#endif  // TAKT_TRACE__LONG_VECTOR_HPP_
