#include "takt_rt/memory/tlsf_heap.hpp"

#include <cstdio>
#include <cstdlib>
#include <new>

namespace takt_rt
{

/// Precedes each block's bytes. Sizes count these bytes only, without this header.
struct TlsfHeap::Block
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
  first_->set(capacity_ - Block::kHeader, Block::kFree);
  Block * const end = first_->after();
  end->before = first_;
  end->size_and_state = 0;
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
  block->set(size, Block::kFree);
  Block * const rest = block->after();
  rest->before = block;
  rest->set(rest_size, Block::kFree);
  rest->after()->before = rest;
  return rest;
}

// The free block, which is in no list, with its free neighbours, which leave theirs.
TlsfHeap::Block * TlsfHeap::joined(Block * block) noexcept
{
  if (Block * const after = block->after(); after->is_free()) {
    remove(after);
    block->set(block->size() + Block::kHeader + after->size(), Block::kFree);
  }
  if (Block * const before = block->before; before != nullptr && before->is_free()) {
    remove(before);
    before->set(before->size() + Block::kHeader + block->size(), Block::kFree);
    block = before;
  }
  block->after()->before = block;
  return block;
}

// The kept block of the size's class that was released last, if it is large enough.
TlsfHeap::Block * TlsfHeap::take_kept(std::size_t size) noexcept
{
  const Place place = place_of(size);
  if (place.level >= kKeptLevels) {
    return nullptr;
  }
  Block *& head = kept_[place.level][place.step];
  Block * const block = head;
  if (block == nullptr || block->size() < size) {
    return nullptr;
  }
  head = block->next;
  --kept_count_;
  return block;
}

// Keeps the released block. A full store first joins a block of the next class in turn, so that
// sizes that the program no longer asks for leave it.
bool TlsfHeap::keep(Block * block) noexcept
{
  const Place place = place_of(block->size());
  if (place.level >= kKeptLevels) {
    return false;
  }
  if (kept_count_ == kMostKept) {
    join_one();
  }
  Block *& head = kept_[place.level][place.step];
  block->mark(Block::kKept);
  block->next = head;
  head = block;
  kept_steps_[place.level] |= std::uint32_t{1} << place.step;
  ++kept_count_;
  return true;
}

// Joins one kept block, of the next class that has some. There must be one.
void TlsfHeap::join_one() noexcept
{
  for (;;) {
    // Marks of classes whose last block was taken may be left.
    const std::uint32_t steps = kept_steps_[turn_.level] & (~std::uint32_t{0} << turn_.step);
    if (steps == 0) {
      turn_ = {(turn_.level + 1) % kKeptLevels, 0};
      continue;
    }
    turn_.step = static_cast<unsigned>(__builtin_ctz(steps));
    Block *& head = kept_[turn_.level][turn_.step];
    if (head == nullptr) {
      kept_steps_[turn_.level] &= ~(std::uint32_t{1} << turn_.step);
      continue;
    }
    Block * const block = head;
    head = block->next;
    --kept_count_;
    block->mark(Block::kFree);
    insert(joined(block));
    turn_ = turn_.step + 1 < kSteps ? Place{turn_.level, turn_.step + 1}
                                    : Place{(turn_.level + 1) % kKeptLevels, 0};
    return;
  }
}

void * TlsfHeap::given(Block * block) noexcept
{
  block->mark(0);
  used_ += block->size() + Block::kHeader;
  most_used_ = used_ > most_used_ ? used_ : most_used_;
  return block->bytes();
}

void * TlsfHeap::try_allocate(std::size_t bytes, std::size_t alignment) noexcept
{
  constexpr std::size_t kMost = std::size_t{1} << (kLevels + kSmallBits - 2);
  const std::size_t size = bytes < kGrain ? kGrain : aligned_up(bytes, kGrain);
  // Room for a free block in front of the aligned bytes.
  const std::size_t slack = alignment > kGrain ? alignment + Block::kHeader + kGrain : 0;
  if (bytes >= kMost || alignment >= kMost) {
    ++exhausted_;
    return nullptr;
  }
  if (slack == 0) {
    if (Block * const kept = take_kept(size); kept != nullptr) {
      return given(kept);
    }
  }
  Block * block = find(size + slack);
  if (block == nullptr && kept_count_ > 0) {
    while (kept_count_ > 0) {
      join_one();
    }
    block = find(size + slack);
  }
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
  return given(block);
}

void TlsfHeap::release(void * bytes) noexcept
{
  if (bytes == nullptr) {
    return;
  }
  Block * const block = Block::of(bytes);
  if (!block->is_in_use()) {
    std::fputs("takt_rt::TlsfHeap release: the block is free already\n", stderr);
    std::abort();
  }
  used_ -= block->size() + Block::kHeader;
  if (!keep(block)) {
    block->mark(Block::kFree);
    insert(joined(block));
  }
}

bool TlsfHeap::consistent() const noexcept
{
  std::size_t free_blocks = 0;
  std::size_t kept_blocks = 0;
  std::size_t in_use = 0;
  std::size_t all = 0;
  Block * before = nullptr;
  for (Block * block = first_; block != nullptr && block->size() != 0; block = block->after()) {
    if (block->before != before || (before != nullptr && before->is_free() && block->is_free())) {
      return false;
    }
    free_blocks += block->is_free() ? 1 : 0;
    kept_blocks += block->is_kept() ? 1 : 0;
    in_use += block->is_in_use() ? block->size() + Block::kHeader : 0;
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
  std::size_t kept = 0;
  for (unsigned level = 0; level < kKeptLevels; ++level) {
    for (unsigned step = 0; step < kSteps; ++step) {
      for (Block * block = kept_[level][step]; block != nullptr; block = block->next) {
        const Place place = place_of(block->size());
        const bool marked = (kept_steps_[level] >> step & 1U) != 0;
        if (!block->is_kept() || !marked || place.level != level || place.step != step) {
          return false;
        }
        ++kept;
      }
    }
  }
  return listed == free_blocks && kept == kept_blocks && kept == kept_count_ && in_use == used_ &&
         all == capacity_;
}

}  // namespace takt_rt
