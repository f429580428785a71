#include "settings.hpp"

#include <cstdlib>
#include <cstring>

namespace takt_guard
{
namespace
{

constinit Settings g_settings{};

bool is(const char * name, const char * value) noexcept
{
  const char * const found = std::getenv(name);
  return found != nullptr && std::strcmp(found, value) == 0;
}

__attribute__((constructor)) void read_settings()
{
  g_settings.all_threads = is("TAKT_GUARD", "all");
  g_settings.executors = g_settings.all_threads || is("TAKT_GUARD", "rt");
  g_settings.judged = is("TAKT_GUARD_JUDGED", "1");
  g_settings.children = is("TAKT_CHILDREN", "1");
  if (const char * const folder = std::getenv("TAKT_GUARD_DIR"); folder != nullptr) {
    std::strncpy(g_settings.folder.data(), folder, g_settings.folder.size() - 1);
  }
}

bool names_this_library(const char * entry, std::size_t length) noexcept
{
  constexpr const char * kName = "libtakt_guard.so";
  const std::size_t bytes = std::strlen(kName);
  return length >= bytes && std::strncmp(entry + length - bytes, kName, bytes) == 0;
}

}  // namespace

const Settings & settings() noexcept
{
  return g_settings;
}

void forget_variables() noexcept
{
  if (g_settings.children || !g_settings.executors) {
    return;
  }
  ::unsetenv("TAKT_GUARD");
  ::unsetenv("TAKT_GUARD_DIR");
  ::unsetenv("TAKT_GUARD_JUDGED");
  const char * const all = std::getenv("LD_PRELOAD");
  if (all == nullptr) {
    return;
  }
  char * const kept = static_cast<char *>(std::calloc(std::strlen(all) + 1, 1));
  if (kept == nullptr) {
    return;
  }
  std::size_t used = 0;
  for (const char * entry = all; *entry != '\0';) {
    const std::size_t length = std::strcspn(entry, ": ");
    if (length > 0 && !names_this_library(entry, length)) {
      used += used > 0 ? 1 : 0;
      std::memcpy(kept + used, entry, length);
      used += length;
      kept[used] = ':';
    }
    entry += length;
    entry += *entry != '\0' ? 1 : 0;
  }
  kept[used] = '\0';
  if (used == 0) {
    ::unsetenv("LD_PRELOAD");
  } else {
    ::setenv("LD_PRELOAD", kept, 1);
  }
  std::free(kept);
}

}  // namespace takt_guard
