// Finds what belongs to a callback number without a lock: address-stable chunks under an array of
// atomic pointers.
#ifndef TAKT_CORE__SRC__NUMBER_TABLE_HPP_
#define TAKT_CORE__SRC__NUMBER_TABLE_HPP_

#include <array>
#include <atomic>
#include <cstdint>

namespace takt_core
{

/// `find` is real-time safe from any thread; `set` allocates, one thread at a time. Numbers from
/// the capacity on are not kept.
template <typename T>
class NumberTable
{
public:
  static constexpr std::uint32_t kChunk = 256;
  static constexpr std::uint32_t kChunks = 4096;  // a million callbacks alive at once

  ~NumberTable()
  {
    for (auto & chunk : chunks_) {
      delete chunk.load();
    }
  }

  T * find(std::uint32_t number) const noexcept
  {
    if (number >= kChunk * kChunks) {
      return nullptr;
    }
    const Chunk * const chunk = chunks_[number / kChunk].load(std::memory_order_acquire);
    return chunk == nullptr ? nullptr : (*chunk)[number % kChunk].load(std::memory_order_acquire);
  }

  void set(std::uint32_t number, T * value)
  {
    if (number >= kChunk * kChunks) {
      return;
    }
    auto & slot = chunks_[number / kChunk];
    if (slot.load() == nullptr) {
      slot.store(new Chunk{}, std::memory_order_release);
    }
    (*slot.load())[number % kChunk].store(value, std::memory_order_release);
  }

private:
  using Chunk = std::array<std::atomic<T *>, kChunk>;
  std::array<std::atomic<Chunk *>, kChunks> chunks_{};
};

}  // namespace takt_core

#endif  // TAKT_CORE__SRC__NUMBER_TABLE_HPP_
