#include "takt_rt/memory/tlsf_heap.hpp"

#include <cstdio>
#include <cstdlib>
#include <new>

namespace takt_rt
{

/// Precedes each block's bytes. Sizes count these bytes only, without this header.
struct TlsfHeap::Block
{
  static constexpr std::size_t kFree = 1;
  static constexpr std::size_t kHeader = 16;

  Block * before;  ///< the neighbour at the lower address; nullptr: the first
  std::size_t size_and_free;
  // Only while the block is free, in its bytes:
  Block * next;
  Block * previous;

  std::size_t size() const noexcept { return size_and_free & ~kFree; }
  bool is_free() const noexcept { return (size_and_free & kFree) != 0; }
  void set(std::size_t size, bool free) noexcept { size_and_free = size | (free ? kFree : 0); }
  void mark(bool free) noexcept { set(size(), free); }
  std::byte * bytes() noexcept { return reinterpret_cast<std::byte *>(this) + kHeader; }
  Block * after() noexcept { return reinterpret_cast<Block *>(bytes() + size()); }
  static Block * of(void * bytes) noexcept
  {
    return reinterpret_cast<Block *>(static_cast<std::byte *>(bytes) - kHeader);
  }
};

namespace
{

constexpr unsigned log2_of(std::size_t size) noexcept
{
  return 63U - static_cast<unsigned>(__builtin_clzll(size));
}

constexpr std::uintptr_t aligned_up(std::uintptr_t value, std::size_t alignment) noexcept
{
  return (value + alignment - 1) & ~(std::uintptr_t{alignment} - 1);
}

}  // namespace

TlsfHeap::TlsfHeap(void * memory, std::size_t bytes) noexcept
{
  static_assert(sizeof(Block) == Block::kHeader + 16);
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t from = aligned_up(begin, kGrain);
  const std::uintptr_t to = (begin + bytes) & ~(std::uintptr_t{kGrain} - 1);
  if (memory == nullptr || to < from || to - from < 2 * Block::kHeader + 2 * kGrain) {
    return;
  }
  // One free block, and a header at the end that is a neighbour in use.
  capacity_ = to - from - Block::kHeader;
  first_ = new (reinterpret_cast<void *>(from)) Block{nullptr, 0, nullptr, nullptr};
  first_->set(capacity_ - Block::kHeader, true);
  Block * const end = first_->after();
  end->before = first_;
  end->size_and_free = 0;
  insert(first_);
}

TlsfHeap::Place TlsfHeap::place_of(std::size_t size) noexcept
{
  if (size < std::size_t{1} << kSmallBits) {
    return {0, static_cast<unsigned>(size / kGrain)};
  }
  const unsigned bits = log2_of(size);
  return {bits - kSmallBits + 1, static_cast<unsigned>(size >> (bits - kStepBits)) ^ kSteps};
}

// A block of a list all of whose blocks are at least this large.
TlsfHeap::Block * TlsfHeap::find(std::size_t size) const noexcept
{
  if (size >= std::size_t{1} << kSmallBits) {
    size += (std::size_t{1} << (log2_of(size) - kStepBits)) - 1;
  }
  Place place = place_of(size);
  if (place.level >= kLevels) {
    return nullptr;
  }
  std::uint32_t steps = steps_[place.level] & (~std::uint32_t{0} << place.step);
  if (steps == 0) {
    const std::uint32_t levels =
      place.level + 1 < kLevels ? levels_ & (~std::uint32_t{0} << (place.level + 1)) : 0;
    if (levels == 0) {
      return nullptr;
    }
    place.level = static_cast<unsigned>(__builtin_ctz(levels));
    steps = steps_[place.level];
  }
  return lists_[place.level][static_cast<unsigned>(__builtin_ctz(steps))];
}

void TlsfHeap::insert(Block * block) noexcept
{
  const Place place = place_of(block->size());
  Block *& head = lists_[place.level][place.step];
  block->next = head;
  block->previous = nullptr;
  if (head != nullptr) {
    head->previous = block;
  }
  head = block;
  levels_ |= std::uint32_t{1} << place.level;
  steps_[place.level] |= std::uint32_t{1} << place.step;
}

void TlsfHeap::remove(Block * block) noexcept
{
  if (block->next != nullptr) {
    block->next->previous = block->previous;
  }
  if (block->previous != nullptr) {
    block->previous->next = block->next;
    return;
  }
  const Place place = place_of(block->size());
  lists_[place.level][place.step] = block->next;
  if (block->next == nullptr) {
    steps_[place.level] &= ~(std::uint32_t{1} << place.step);
    if (steps_[place.level] == 0) {
      levels_ &= ~(std::uint32_t{1} << place.level);
    }
  }
}

// Cuts the block, which is in no list, after `size` bytes; returns the rest, also in no list, or
// nullptr if it is too small for a block.
TlsfHeap::Block * TlsfHeap::split(Block * block, std::size_t size) noexcept
{
  if (block->size() < size + Block::kHeader + kGrain) {
    return nullptr;
  }
  const std::size_t rest_size = block->size() - size - Block::kHeader;
  block->set(size, block->is_free());
  Block * const rest = block->after();
  rest->before = block;
  rest->set(rest_size, true);
  rest->after()->before = rest;
  return rest;
}

// The free block, which is in no list, with its free neighbours, which leave theirs.
TlsfHeap::Block * TlsfHeap::joined(Block * block) noexcept
{
  if (Block * const after = block->after(); after->is_free()) {
    remove(after);
    block->set(block->size() + Block::kHeader + after->size(), true);
  }
  if (Block * const before = block->before; before != nullptr && before->is_free()) {
    remove(before);
    before->set(before->size() + Block::kHeader + block->size(), true);
    block = before;
  }
  block->after()->before = block;
  return block;
}

void * TlsfHeap::try_allocate(std::size_t bytes, std::size_t alignment) noexcept
{
  constexpr std::size_t kMost = std::size_t{1} << (kLevels + kSmallBits - 2);
  const std::size_t size = bytes < kGrain ? kGrain : aligned_up(bytes, kGrain);
  // Room for a free block in front of the aligned bytes.
  const std::size_t slack = alignment > kGrain ? alignment + Block::kHeader + kGrain : 0;
  Block * block = bytes < kMost && alignment < kMost ? find(size + slack) : nullptr;
  if (block == nullptr) {
    ++exhausted_;
    return nullptr;
  }
  remove(block);
  const auto address = reinterpret_cast<std::uintptr_t>(block->bytes());
  if (slack > 0 && address % alignment != 0) {
    const std::uintptr_t target = aligned_up(address + Block::kHeader + kGrain, alignment);
    Block * const aligned = split(block, target - address - Block::kHeader);
    insert(block);
    block = aligned;
  }
  if (Block * const rest = split(block, size); rest != nullptr) {
    insert(rest);
  }
  block->mark(false);
  used_ += block->size() + Block::kHeader;
  most_used_ = used_ > most_used_ ? used_ : most_used_;
  return block->bytes();
}

void TlsfHeap::release(void * bytes) noexcept
{
  if (bytes == nullptr) {
    return;
  }
  Block * const block = Block::of(bytes);
  if (block->is_free()) {
    std::fputs("takt_rt::TlsfHeap release: the block is free already\n", stderr);
    std::abort();
  }
  used_ -= block->size() + Block::kHeader;
  block->mark(true);
  insert(joined(block));
}

bool TlsfHeap::consistent() const noexcept
{
  std::size_t free_blocks = 0;
  std::size_t in_use = 0;
  std::size_t all = 0;
  Block * before = nullptr;
  for (Block * block = first_; block != nullptr && block->size() != 0; block = block->after()) {
    if (block->before != before || (before != nullptr && before->is_free() && block->is_free())) {
      return false;
    }
    free_blocks += block->is_free() ? 1 : 0;
    in_use += block->is_free() ? 0 : block->size() + Block::kHeader;
    all += block->size() + Block::kHeader;
    before = block;
  }
  std::size_t listed = 0;
  for (unsigned level = 0; level < kLevels; ++level) {
    for (unsigned step = 0; step < kSteps; ++step) {
      const bool marked = (steps_[level] >> step & 1U) != 0;
      if (marked != (lists_[level][step] != nullptr)) {
        return false;
      }
      for (Block * block = lists_[level][step]; block != nullptr; block = block->next) {
        const Place place = place_of(block->size());
        if (!block->is_free() || place.level != level || place.step != step) {
          return false;
        }
        ++listed;
      }
    }
    if ((steps_[level] != 0) != ((levels_ >> level & 1U) != 0)) {
      return false;
    }
  }
  return listed == free_blocks && in_use == used_ && all == capacity_;
}

}  // namespace takt_rt
