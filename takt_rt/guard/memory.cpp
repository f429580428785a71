// malloc and the other functions that allocate or free memory.
#include <malloc.h>
#include <stdlib.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "next_function.hpp"

// The search for the C library's functions may itself allocate. Such blocks come from the buffer
// below, and are never freed.
namespace
{

constexpr std::size_t kEarlyBytes = 16 * 1024;
alignas(16) constinit char g_early[kEarlyBytes]{};
constinit std::size_t g_early_used = 0;
constinit bool g_searching = false;

bool is_early(const void * block) noexcept
{
  return block >= g_early && block < g_early + kEarlyBytes;
}

void * early(std::size_t bytes) noexcept
{
  const std::size_t whole = (bytes + 15) / 16 * 16;
  if (whole > kEarlyBytes - g_early_used) {
    return nullptr;
  }
  void * const block = g_early + g_early_used;
  g_early_used += whole;
  return block;
}

using Malloc = void * (*)(std::size_t);
using Calloc = void * (*)(std::size_t, std::size_t);
using Realloc = void * (*)(void *, std::size_t);
using Free = void (*)(void *);
constinit Malloc g_malloc = nullptr;
constinit Calloc g_calloc = nullptr;
constinit Realloc g_realloc = nullptr;
constinit Free g_free = nullptr;

__attribute__((noinline, cold)) bool search() noexcept
{
  if (g_searching) {
    return false;
  }
  g_searching = true;
  g_malloc = takt_guard::next_function<Malloc>("malloc");
  g_calloc = takt_guard::next_function<Calloc>("calloc");
  g_realloc = takt_guard::next_function<Realloc>("realloc");
  g_free = takt_guard::next_function<Free>("free");
  g_searching = false;
  return true;
}

/// Finds the C library's functions at the first call. False while that search is in progress.
inline bool found() noexcept
{
  return __builtin_expect(static_cast<long>(g_free != nullptr), 1) != 0 || search();
}

// A function of its own, so that a call which the guard does not watch needs no stack frame.
#define TAKT_GUARD_WATCHED(kind, result, name, parameters, arguments)               \
  __attribute__((noinline))                                                         \
  result watched_##name(TAKT_GUARD_UNPACK parameters, const void * caller) noexcept \
  {                                                                                 \
    const takt_guard::Event event(                                                  \
      takt_rt::GuardKind::kind, #name, caller, __builtin_frame_address(0));         \
    return g_##name arguments;                                                      \
  }
TAKT_GUARD_WATCHED(allocation, void *, malloc, (std::size_t bytes), (bytes))
TAKT_GUARD_WATCHED(
  allocation, void *, calloc, (std::size_t count, std::size_t bytes), (count, bytes))
TAKT_GUARD_WATCHED(allocation, void *, realloc, (void * block, std::size_t bytes), (block, bytes))
TAKT_GUARD_WATCHED(free, void, free, (void * block), (block))

}  // namespace

TAKT_GUARD_EXPORT void * malloc(std::size_t bytes) noexcept
{
  if (!found()) {
    return early(bytes);
  }
  if (!takt_guard::watching()) {
    return g_malloc(bytes);
  }
  return watched_malloc(bytes, __builtin_return_address(0));
}

TAKT_GUARD_EXPORT void * calloc(std::size_t count, std::size_t bytes) noexcept
{
  if (!found()) {
    return early(count * bytes);  // the buffer is zero from the start
  }
  if (!takt_guard::watching()) {
    return g_calloc(count, bytes);
  }
  return watched_calloc(count, bytes, __builtin_return_address(0));
}

TAKT_GUARD_EXPORT void * realloc(void * block, std::size_t bytes) noexcept
{
  if (!found() || is_early(block)) {
    void * const moved = malloc(bytes);
    if (moved != nullptr && is_early(block)) {
      const auto left =
        static_cast<std::size_t>(g_early + kEarlyBytes - static_cast<char *>(block));
      std::memcpy(moved, block, bytes < left ? bytes : left);
    }
    return moved;
  }
  if (!takt_guard::watching()) {
    return g_realloc(block, bytes);
  }
  return watched_realloc(block, bytes, __builtin_return_address(0));
}

TAKT_GUARD_EXPORT void free(void * block) noexcept
{
  if (block == nullptr || is_early(block) || !found()) {
    return;
  }
  if (!takt_guard::watching()) {
    return g_free(block);
  }
  return watched_free(block, __builtin_return_address(0));
}

#define TAKT_GUARD_ALLOCATES(result, name, parameters, arguments) \
  TAKT_GUARD_NEXT(name, result(*) parameters)                     \
  TAKT_GUARD_EXPORT result name parameters noexcept               \
  {                                                               \
    if (!takt_guard::watching()) {                                \
      return next_##name() arguments;                             \
    }                                                             \
    TAKT_GUARD_EVENT(allocation, name);                           \
    return next_##name() arguments;                               \
  }

TAKT_GUARD_ALLOCATES(
  int, posix_memalign, (void ** block, std::size_t align, std::size_t bytes), (block, align, bytes))
TAKT_GUARD_ALLOCATES(void *, aligned_alloc, (std::size_t align, std::size_t bytes), (align, bytes))
TAKT_GUARD_ALLOCATES(void *, memalign, (std::size_t align, std::size_t bytes), (align, bytes))
TAKT_GUARD_ALLOCATES(void *, valloc, (std::size_t bytes), (bytes))
