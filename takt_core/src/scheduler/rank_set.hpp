// A set of small integers with O(1) insertion, removal and "smallest member": a 64-ary bitmap tree.
//
// Not synchronised. Real-time safe except `reserve`. Depth is log64 of the capacity: three levels
// hold 262,144 ranks.
#ifndef TAKT_CORE__SRC__RANK_SET_HPP_
#define TAKT_CORE__SRC__RANK_SET_HPP_

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace takt_core
{

class RankSet
{
public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// Makes room for ranks below `capacity`; keeps the members. Allocates.
  void reserve(std::size_t capacity)
  {
    if (!levels_.empty() && capacity <= levels_.front().size() * 64) {
      return;
    }
    std::vector<std::uint32_t> members;
    for (std::uint32_t r = first(); r != kNone; r = next(r)) {
      members.push_back(r);
    }
    levels_.clear();
    std::size_t words = capacity;
    do {
      words = (words + 63) / 64;
      levels_.emplace_back(words, 0);
    } while (words > 1);
    for (const std::uint32_t r : members) {
      insert(r);
    }
  }

  bool empty() const noexcept { return levels_.empty() || levels_.back()[0] == 0; }

  bool contains(std::uint32_t rank) const noexcept
  {
    return (levels_[0][rank / 64] >> (rank % 64) & 1) != 0;
  }

  void insert(std::uint32_t rank) noexcept
  {
    for (auto & level : levels_) {
      level[rank / 64] |= std::uint64_t{1} << (rank % 64);
      rank /= 64;
    }
  }

  void erase(std::uint32_t rank) noexcept
  {
    for (auto & level : levels_) {
      if ((level[rank / 64] &= ~(std::uint64_t{1} << (rank % 64))) != 0) {
        break;
      }
      rank /= 64;
    }
  }

  /// The smallest member, or kNone.
  std::uint32_t first() const noexcept
  {
    if (empty()) {
      return kNone;
    }
    return descend(levels_.size(), 0);
  }

  /// The smallest member greater than `rank`, or kNone.
  std::uint32_t next(std::uint32_t rank) const noexcept
  {
    for (std::size_t l = 0; l < levels_.size(); ++l) {
      const std::uint32_t bit = rank % 64;
      const std::uint64_t rest =
        bit == 63 ? 0 : levels_[l][rank / 64] & (~std::uint64_t{0} << (bit + 1));
      if (rest != 0) {
        return descend(l, rank / 64 * 64 + static_cast<std::uint32_t>(std::countr_zero(rest)));
      }
      rank /= 64;
    }
    return kNone;
  }

  void swap(RankSet & other) noexcept { levels_.swap(other.levels_); }

private:
  // The smallest member below node `at` of level `level`.
  std::uint32_t descend(std::size_t level, std::uint32_t at) const noexcept
  {
    while (level > 0) {
      --level;
      at = at * 64 + static_cast<std::uint32_t>(std::countr_zero(levels_[level][at]));
    }
    return at;
  }

  std::vector<std::vector<std::uint64_t>> levels_;
};

}  // namespace takt_core

#endif  // TAKT_CORE__SRC__RANK_SET_HPP_
