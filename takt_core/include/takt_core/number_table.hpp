// A lock-free map from callback number to record: chunks with stable addresses under an array of
// atomic pointers.
#ifndef TAKT_CORE__NUMBER_TABLE_HPP_
#define TAKT_CORE__NUMBER_TABLE_HPP_

#include <array>
#include <atomic>
#include <cstdint>

namespace takt_core
{

/// `find` is real-time safe from any thread; `set` allocates, one thread at a time. `set` ignores
/// numbers from kChunk * kChunks on. By default there is room for a million live callbacks.
template <typename T, std::uint32_t kChunk = 256, std::uint32_t kChunks = 4096>
class NumberTable
{
public:
  NumberTable() = default;
  ~NumberTable()
  {
    for (auto & chunk : chunks_) {
      delete chunk.load();
    }
  }
  NumberTable(const NumberTable &) = delete;
  NumberTable & operator=(const NumberTable &) = delete;

  /// The record of `number`; nullptr: none.
  T * find(std::uint32_t number) const noexcept
  {
    const std::uint32_t place = number / kChunk;
    const Chunk * const chunk =
      place < kChunks ? chunks_[place].load(std::memory_order_acquire) : nullptr;
    return chunk == nullptr ? nullptr : (*chunk)[number % kChunk].load(std::memory_order_acquire);
  }

  /// Stores `value`, or removes the record if it is nullptr. The table does not own records.
  void set(std::uint32_t number, T * value)
  {
    if (number / kChunk >= kChunks) {
      return;
    }
    std::atomic<Chunk *> & place = chunks_[number / kChunk];
    if (place.load(std::memory_order_relaxed) == nullptr) {
      place.store(new Chunk{}, std::memory_order_release);
    }
    (*place.load(std::memory_order_relaxed))[number % kChunk].store(
      value, std::memory_order_release);
  }

private:
  using Chunk = std::array<std::atomic<T *>, kChunk>;
  std::array<std::atomic<Chunk *>, kChunks> chunks_{};
};

}  // namespace takt_core

#endif  // TAKT_CORE__NUMBER_TABLE_HPP_
