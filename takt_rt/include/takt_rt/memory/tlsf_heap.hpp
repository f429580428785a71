// A heap on one piece of memory that allocates and frees in constant time: two-level segregated fit
// (TLSF).
//
// For real-time code that needs blocks of various sizes. Free blocks are in lists by size: 32 lists
// to each power of two. Two bitmaps lead to a list whose blocks are all large enough, and
// a freed block is joined with its free neighbours. Up to 64 released blocks of less than 8 kB are
// kept for the next requests of their sizes and joined later: this makes a pair of calls several
// times as fast. A request that finds no other room joins all of them first. So no call searches,
// and the steps of each call are bounded, whatever the history. Fragmentation is bounded: a request
// of n bytes succeeds if a free piece of n * 33 / 32 + 16 bytes exists. Each block costs 16 bytes
// more than was asked, rounded up to a multiple of 16.
// Source: Masmano, Ripoll, Crespo, Real, "TLSF: a new dynamic memory allocator for real-time
// systems", ECRTS 2004.
#ifndef TAKT_RT__MEMORY__TLSF_HEAP_HPP_
#define TAKT_RT__MEMORY__TLSF_HEAP_HPP_

#include <array>
#include <cstddef>
#include <cstdint>

namespace takt_rt
{

/// One thread at a time; TlsfResource has the lock. No function allocates memory elsewhere or makes
/// a system call.
class TlsfHeap
{
public:
  /// The heap uses the `bytes` bytes at `memory`, which must outlive it. Less than 64 bytes hold no
  /// block. Set-up only.
  TlsfHeap(void * memory, std::size_t bytes) noexcept;
  TlsfHeap(const TlsfHeap &) = delete;
  TlsfHeap & operator=(const TlsfHeap &) = delete;

  /// At least `bytes` bytes at a multiple of `alignment` (a power of two, at least 16 in effect),
  /// or nullptr if there is no room, which is counted. Real-time safe, O(1): where kept blocks must
  /// be joined, some microsecond.
  void * try_allocate(std::size_t bytes, std::size_t alignment = kGrain) noexcept;

  /// Frees a block of this heap; nullptr has no effect. A block that is free already ends the
  /// process with a message. Real-time safe, O(1).
  void release(void * block) noexcept;

  /// The bytes in use, which kept blocks are not, with the overhead of each block; the most so far;
  /// and all bytes that the heap can hand out. Real-time safe.
  std::size_t used() const noexcept { return used_; }
  std::size_t most_used() const noexcept { return most_used_; }
  std::size_t capacity() const noexcept { return capacity_; }
  /// Number of requests that found no room. Real-time safe.
  std::uint64_t exhausted() const noexcept { return exhausted_; }

  /// Whether all blocks and lists agree with each other. For tests: O(blocks).
  bool consistent() const noexcept;

private:
  struct Block;

  static constexpr std::size_t kGrain = 16;  ///< all sizes and addresses are multiples
  static constexpr unsigned kStepBits = 5;   ///< 2^5 lists to each power of two
  static constexpr unsigned kSteps = 1U << kStepBits;
  static constexpr unsigned kSmallBits = 9;   ///< below 2^9 bytes there is one list for each size
  static constexpr unsigned kLevels = 32;     ///< sizes below 2^40 bytes
  static constexpr unsigned kKeptLevels = 5;  ///< blocks below 2^13 bytes are kept
  static constexpr unsigned kMostKept = 64;

  struct Place
  {
    unsigned level;
    unsigned step;
  };

  static Place place_of(std::size_t size) noexcept;
  Block * find(std::size_t size) const noexcept;
  void insert(Block * block) noexcept;
  void remove(Block * block) noexcept;
  Block * split(Block * block, std::size_t size) noexcept;
  Block * joined(Block * block) noexcept;
  Block * take_kept(std::size_t size) noexcept;
  bool keep(Block * block) noexcept;
  void join_one() noexcept;
  void * given(Block * block) noexcept;

  std::size_t capacity_ = 0;
  std::size_t used_ = 0;
  std::size_t most_used_ = 0;
  std::uint64_t exhausted_ = 0;
  Block * first_ = nullptr;
  std::uint32_t levels_ = 0;                    ///< bit: the level has a block
  std::array<std::uint32_t, kLevels> steps_{};  ///< bit: the list has a block
  std::array<std::array<Block *, kSteps>, kLevels> lists_{};
  unsigned kept_count_ = 0;
  Place turn_{0, 0};  ///< the class whose kept block is joined next
  std::array<std::uint32_t, kKeptLevels> kept_steps_{};  ///< bit: the class may have a kept block
  std::array<std::array<Block *, kSteps>, kKeptLevels> kept_{};
};

}  // namespace takt_rt

#endif  // TAKT_RT__MEMORY__TLSF_HEAP_HPP_
