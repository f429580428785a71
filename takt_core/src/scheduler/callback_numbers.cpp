#include "scheduler/callback_numbers.hpp"

#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <new>
#include <unordered_map>

namespace takt_core::detail
{

namespace
{

struct Registry
{
  std::mutex mutex;
  std::unordered_map<std::string, std::weak_ptr<const std::uint32_t>> numbers;
  std::uint32_t next = 1;
};

// Never destroyed: static callbacks of other files may outlive it.
Registry & registry()
{
  static auto * const instance = new Registry;
  return *instance;
}

// Called when the last holder of an id ends. Forgets the id, unless it has a new holder.
void forget(const std::string & id) noexcept
{
  Registry & r = registry();
  std::lock_guard lock(r.mutex);
  const auto known = r.numbers.find(id);
  if (known != r.numbers.end() && known->second.expired()) {
    r.numbers.erase(known);
  }
}

struct Numbers
{
  std::mutex mutex;
  std::deque<std::uint32_t> given_back;  // oldest first
  std::uint32_t next = 1;
};

Numbers & numbers()
{
  static auto * const instance = new Numbers;  // never destroyed, as above
  return *instance;
}

constexpr std::uint32_t kChunk = 1U << 12U;
constexpr std::uint32_t kChunks = 1U << 14U;
using Chunk = std::array<std::atomic<std::uint32_t>, kChunk>;
constinit std::array<std::atomic<Chunk *>, kChunks> g_chunks{};

}  // namespace

IdNumber id_number(const std::string & id)
{
  Registry & r = registry();
  std::lock_guard lock(r.mutex);
  std::weak_ptr<const std::uint32_t> & known = r.numbers[id];
  IdNumber number = known.lock();
  if (number == nullptr) {
    number = IdNumber(new std::uint32_t(r.next++), [id](const std::uint32_t * n) {
      delete n;
      forget(id);
    });
    known = number;
  }
  return number;
}

std::uint32_t take_number()
{
  Numbers & all = numbers();
  std::lock_guard lock(all.mutex);
  if (all.given_back.size() <= kNumbersKept) {
    return all.next++;
  }
  const std::uint32_t number = all.given_back.front();
  all.given_back.pop_front();
  return number;
}

void note_callback(std::uint32_t callback, std::uint32_t id_number)
{
  if (callback / kChunk >= kChunks) {
    return;
  }
  std::atomic<Chunk *> & place = g_chunks[callback / kChunk];
  Chunk * chunk = place.load(std::memory_order_acquire);
  if (chunk == nullptr) {
    auto fresh = std::make_unique<Chunk>();
    if (place.compare_exchange_strong(chunk, fresh.get(), std::memory_order_acq_rel)) {
      chunk = fresh.release();
    }
  }
  (*chunk)[callback % kChunk].store(id_number, std::memory_order_release);
}

void give_back_number(std::uint32_t callback) noexcept
{
  Numbers & all = numbers();
  std::lock_guard lock(all.mutex);
  try {
    all.given_back.push_back(callback);
  } catch (const std::bad_alloc &) {
    // The number is then never used again.
  }
}

std::uint32_t id_number_of(std::uint32_t callback) noexcept
{
  if (callback / kChunk >= kChunks) {
    return 0;
  }
  const Chunk * const chunk = g_chunks[callback / kChunk].load(std::memory_order_acquire);
  return chunk == nullptr ? 0 : (*chunk)[callback % kChunk].load(std::memory_order_acquire);
}

}  // namespace takt_core::detail
