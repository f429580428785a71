#include "takt_rt/memory/tlsf_heap.hpp"

#include <cstdio>
#include <cstdlib>
#include <new>

namespace takt_rt
{

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

// A block of a list all of whose blocks are at least this large.
TlsfHeap::Block * TlsfHeap::find(std::size_t size) const noexcept
{
  if (size >= std::size_t{1} << kSmallBits) {
    size += (std::size_t{1} << (log2_of(size) - kStepBits)) - 1;
  }
  const unsigned place = class_of(size);
  unsigned level = place / kSteps;
  if (level >= kLevels) {
    return nullptr;
  }
  std::uint32_t steps = steps_[level] & (~std::uint32_t{0} << place % kSteps);
  if (steps == 0) {
    const std::uint32_t levels =
      level + 1 < kLevels ? levels_ & (~std::uint32_t{0} << (level + 1)) : 0;
    if (levels == 0) {
      return nullptr;
    }
    level = static_cast<unsigned>(__builtin_ctz(levels));
    steps = steps_[level];
  }
  return lists_[level * kSteps + static_cast<unsigned>(__builtin_ctz(steps))];
}

void TlsfHeap::insert(Block * block) noexcept
{
  const unsigned place = class_of(block->size());
  Block *& head = lists_[place];
  block->next = head;
  block->previous = nullptr;
  if (head != nullptr) {
    head->previous = block;
  }
  head = block;
  levels_ |= std::uint32_t{1} << place / kSteps;
  steps_[place / kSteps] |= std::uint32_t{1} << place % kSteps;
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
  const unsigned place = class_of(block->size());
  lists_[place] = block->next;
  if (block->next == nullptr) {
    steps_[place / kSteps] &= ~(std::uint32_t{1} << place % kSteps);
    if (steps_[place / kSteps] == 0) {
      levels_ &= ~(std::uint32_t{1} << place / kSteps);
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

// Joins one kept block, of the next class that has some. There must be one.
void TlsfHeap::join_one() noexcept
{
  for (;;) {
    // Marks of classes whose last block was taken may be left.
    const unsigned level = turn_ / kSteps;
    const std::uint32_t steps = kept_steps_[level] & (~std::uint32_t{0} << turn_ % kSteps);
    if (steps == 0) {
      turn_ = (level + 1) % kKeptLevels * kSteps;
      continue;
    }
    const unsigned step = static_cast<unsigned>(__builtin_ctz(steps));
    turn_ = level * kSteps + step;
    Block *& head = kept_[turn_];
    if (head == nullptr) {
      kept_steps_[level] &= ~(std::uint32_t{1} << step);
      continue;
    }
    Block * const block = head;
    head = block->next;
    account_ -= kOneKept;
    block->mark(Block::kFree);
    insert(joined(block));
    turn_ = (turn_ + 1) % (kKeptLevels * kSteps);
    return;
  }
}

// A request that no kept block of its class serves.
void * TlsfHeap::allocate(std::size_t bytes, std::size_t alignment) noexcept
{
  constexpr std::size_t kMost = std::size_t{1} << (kLevels + kSmallBits - 2);
  const std::size_t size = rounded(bytes);
  // Room for a free block in front of the aligned bytes.
  const std::size_t slack = alignment > kGrain ? alignment + Block::kHeader + kGrain : 0;
  if (bytes >= kMost || alignment >= kMost) {
    ++exhausted_;
    return nullptr;
  }
  Block * block = find(size + slack);
  if (block == nullptr && kept_count() > 0) {
    while (kept_count() > 0) {
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
  return given(block, block->size(), account_);
}

// Frees a released block that the store has no room for. A full store first joins a block of the
// next class in turn, so that sizes that the program no longer asks for leave it.
void TlsfHeap::free(Block * block, std::size_t size) noexcept
{
  if (size < kKeptBelow) {
    join_one();
    keep(block, size, account_);
    return;
  }
  block->mark(Block::kFree);
  insert(joined(block));
}

void TlsfHeap::refuse() noexcept
{
  std::fputs("takt_rt::TlsfHeap release: the block is free already\n", stderr);
  std::abort();
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
  for (unsigned place = 0; place < kLevels * kSteps; ++place) {
    const bool marked = (steps_[place / kSteps] >> place % kSteps & 1U) != 0;
    if (marked != (lists_[place] != nullptr)) {
      return false;
    }
    for (const Block * block = lists_[place]; block != nullptr; block = block->next) {
      if (!block->is_free() || class_of(block->size()) != place) {
        return false;
      }
      ++listed;
    }
  }
  for (unsigned level = 0; level < kLevels; ++level) {
    if ((steps_[level] != 0) != ((levels_ >> level & 1U) != 0)) {
      return false;
    }
  }
  std::size_t kept = 0;
  for (unsigned place = 0; place < kKeptLevels * kSteps; ++place) {
    const bool marked = (kept_steps_[place / kSteps] >> place % kSteps & 1U) != 0;
    for (const Block * block = kept_[place]; block != nullptr; block = block->next) {
      if (!block->is_kept() || !marked || class_of(block->size()) != place) {
        return false;
      }
      ++kept;
    }
  }
  return listed == free_blocks && kept == kept_blocks && kept == kept_count() && in_use == used() &&
         all == capacity_;
}

}  // namespace takt_rt
