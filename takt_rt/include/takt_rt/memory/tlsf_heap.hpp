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
  void * try_allocate(std::size_t bytes, std::size_t alignment = kGrain) noexcept
  {
    if (bytes < kKeptBelow && alignment <= kGrain) {
      const std::size_t size = rounded(bytes);
      Block *& head = kept_[class_of(size)];
      if (Block * const block = head; block != nullptr) {
        if (const std::size_t found = block->size(); found >= size) {
          head = block->next;
          return given(block, found, account_ - kOneKept);
        }
      }
    }
    return allocate(bytes, alignment);
  }

  /// Frees a block of this heap; nullptr has no effect. A block that is free already ends the
  /// process with a message. Real-time safe, O(1).
  void release(void * bytes) noexcept
  {
    if (bytes == nullptr) {
      return;
    }
    Block * const block = Block::of(bytes);
    if (!block->is_in_use()) {
      refuse();
    }
    const std::size_t size = block->size();
    const std::uint64_t account = account_ - size - Block::kHeader;
    if (size < kKeptBelow && account < kMostKept * kOneKept) {
      keep(block, size, account);
    } else {
      account_ = account;
      free(block, size);
    }
  }

  /// The bytes in use, which kept blocks are not, with the overhead of each block; the most so far;
  /// and all bytes that the heap can hand out. Real-time safe.
  std::size_t used() const noexcept { return account_ % kOneKept; }
  std::size_t most_used() const noexcept { return most_used_; }
  std::size_t capacity() const noexcept { return capacity_; }
  /// Number of requests that found no room. Real-time safe.
  std::uint64_t exhausted() const noexcept { return exhausted_; }

  /// Whether all blocks and lists agree with each other. For tests: O(blocks).
  bool consistent() const noexcept;

private:
  static constexpr std::size_t kGrain = 16;  ///< all sizes and addresses are multiples
  static constexpr unsigned kStepBits = 5;   ///< 2^5 lists to each power of two
  static constexpr unsigned kSteps = 1U << kStepBits;
  static constexpr unsigned kSmallBits = 9;   ///< below 2^9 bytes there is one list for each size
  static constexpr unsigned kLevels = 32;     ///< sizes below 2^40 bytes
  static constexpr unsigned kKeptLevels = 5;  ///< released blocks of these levels are kept
  static constexpr std::size_t kKeptBelow = std::size_t{1} << (kSmallBits + kKeptLevels - 1);
  static constexpr std::uint64_t kMostKept = 64;
  static constexpr std::uint64_t kOneKept = std::uint64_t{1} << 48U;  ///< in `account_`

  /// Precedes each block's bytes. Sizes count these bytes only, without this header.
  struct Block
  {
    static constexpr std::size_t kFree = 1;  ///< in a list, and joined with its neighbours
    static constexpr std::size_t kKept = 2;  ///< kept for the next request of its size
    static constexpr std::size_t kHeader = 16;

    Block * before;  ///< the neighbour at the lower address; nullptr: the first
    std::size_t size_and_state;
    // Only while the block is free or kept, in its bytes:
    Block * next;
    Block * previous;

    std::size_t size() const noexcept { return size_and_state & ~(kFree | kKept); }
    bool is_free() const noexcept { return (size_and_state & kFree) != 0; }
    bool is_kept() const noexcept { return (size_and_state & kKept) != 0; }
    bool is_in_use() const noexcept { return (size_and_state & (kFree | kKept)) == 0; }
    /// `state`: kFree, kKept, or 0 of a block in use.
    void set(std::size_t size, std::size_t state) noexcept { size_and_state = size | state; }
    void mark(std::size_t state) noexcept { set(size(), state); }
    std::byte * bytes() noexcept { return reinterpret_cast<std::byte *>(this) + kHeader; }
    Block * after() noexcept { return reinterpret_cast<Block *>(bytes() + size()); }
    static Block * of(void * bytes) noexcept
    {
      return reinterpret_cast<Block *>(static_cast<std::byte *>(bytes) - kHeader);
    }
  };

  static constexpr std::size_t rounded(std::size_t bytes) noexcept
  {
    return (bytes + kGrain - (bytes > 0 ? 1 : 0)) & ~(kGrain - 1);
  }
  /// The list of blocks of a size: kSteps lists for each level.
  static constexpr unsigned class_of(std::size_t size) noexcept
  {
    const unsigned bits =
      63U - static_cast<unsigned>(__builtin_clzll(size | std::size_t{1} << kSmallBits));
    return ((bits - kSmallBits) << kStepBits) + static_cast<unsigned>(size >> (bits - kStepBits));
  }
  /// `account`: `account_` without the block.
  void * given(Block * block, std::size_t size, std::uint64_t account) noexcept
  {
    account += size + Block::kHeader;
    account_ = account;
    if (account % kOneKept > most_used_) {
      most_used_ = account % kOneKept;
    }
    block->set(size, 0);
    return block->bytes();
  }
  /// There must be room in the store. `account`: `account_` without the block.
  void keep(Block * block, std::size_t size, std::uint64_t account) noexcept
  {
    account_ = account + kOneKept;
    const unsigned place = class_of(size);
    Block *& head = kept_[place];
    Block * const next = head;
    if (next == nullptr) {
      kept_steps_[place / kSteps] |= std::uint32_t{1} << place % kSteps;
    }
    head = block;
    block->set(size, Block::kKept);
    block->next = next;
  }
  std::uint64_t kept_count() const noexcept { return account_ / kOneKept; }
  void * allocate(std::size_t bytes, std::size_t alignment) noexcept;
  void free(Block * block, std::size_t size) noexcept;
  [[noreturn]] static void refuse() noexcept;
  Block * find(std::size_t size) const noexcept;
  void insert(Block * block) noexcept;
  void remove(Block * block) noexcept;
  Block * split(Block * block, std::size_t size) noexcept;
  Block * joined(Block * block) noexcept;
  void join_one() noexcept;

  std::size_t capacity_ = 0;
  std::uint64_t account_ = 0;  ///< bytes in use, and kOneKept for each kept block
  std::size_t most_used_ = 0;
  std::uint64_t exhausted_ = 0;
  Block * first_ = nullptr;
  unsigned turn_ = 0;  ///< the class whose kept block is joined next
  std::array<std::uint32_t, kKeptLevels> kept_steps_{};  ///< bit: the class may have a kept block
  std::array<Block *, kKeptLevels * kSteps> kept_{};     ///< by class_of
  std::uint32_t levels_ = 0;                             ///< bit: the level has a block
  std::array<std::uint32_t, kLevels> steps_{};           ///< bit: the list has a block
  std::array<Block *, kLevels * kSteps> lists_{};        ///< by class_of
};

}  // namespace takt_rt

#endif  // TAKT_RT__MEMORY__TLSF_HEAP_HPP_
