#include "takt_rt/memory/block_pool.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace takt_rt
{

namespace
{

constexpr std::size_t kSmallAlignment = 16;
constexpr std::size_t kCacheLine = 64;

constexpr std::size_t rounded_up(std::size_t bytes) noexcept
{
  return bytes < kSmallAlignment
           ? kSmallAlignment
           : (bytes + kSmallAlignment - 1) / kSmallAlignment * kSmallAlignment;
}

std::byte * touched(std::size_t bytes, std::size_t alignment)
{
  void * const memory = ::operator new(bytes, std::align_val_t(alignment));
  std::memset(memory, 0, bytes);
  return static_cast<std::byte *>(memory);
}

}  // namespace

BlockPool::BlockPool(std::size_t block_bytes, std::size_t blocks)
: block_bytes_(rounded_up(block_bytes)),
  blocks_(blocks < 1 ? 1 : blocks),
  alignment_(block_bytes_ % kCacheLine == 0 ? kCacheLine : kSmallAlignment),
  memory_(touched(block_bytes_ * blocks_, alignment_)),
  lent_(new std::atomic<bool>[blocks_]()),
  free_(static_cast<std::uint32_t>(blocks_))
{
}

BlockPool::~BlockPool()
{
  ::operator delete(memory_, std::align_val_t(alignment_));
}

std::uint32_t BlockPool::number_of(const void * block) const noexcept
{
  const auto offset = static_cast<std::size_t>(
    reinterpret_cast<std::uintptr_t>(block) - reinterpret_cast<std::uintptr_t>(memory_));
  if (offset % block_bytes_ != 0 || offset / block_bytes_ >= blocks_) {
    std::fputs("takt_rt::BlockPool release: not a block of this pool\n", stderr);
    std::abort();
  }
  return static_cast<std::uint32_t>(offset / block_bytes_);
}

void BlockPool::refuse_second_release() noexcept
{
  std::fputs("takt_rt::BlockPool release: the block was released before\n", stderr);
  std::abort();
}

}  // namespace takt_rt
