#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <cerrno>

#include "takt_schedule/configurator_policy.hpp"

namespace takt_schedule
{
namespace
{

constexpr std::size_t kMostBytes = 1U << 20U;

/// `find(name, entry, buffer, size, found)` is getpwnam_r or getgrnam_r.
template <typename Entry, typename Find>
bool look_up(const std::string & name, Entry & entry, const Find & find)
{
  for (std::vector<char> buffer(1024); buffer.size() <= kMostBytes;
       buffer.resize(buffer.size() * 2)) {
    Entry * found = nullptr;
    const int error = find(name.c_str(), &entry, buffer.data(), buffer.size(), &found);
    if (error != ERANGE) {
      return error == 0 && found != nullptr;
    }
  }
  return false;
}

}  // namespace

NameLookup system_names()
{
  return {
    [](const std::string & name) -> std::optional<uid_t> {
      passwd entry{};
      return look_up(name, entry, ::getpwnam_r) ? std::optional(entry.pw_uid) : std::nullopt;
    },
    [](const std::string & name) -> std::optional<gid_t> {
      group entry{};
      return look_up(name, entry, ::getgrnam_r) ? std::optional(entry.gr_gid) : std::nullopt;
    }};
}

}  // namespace takt_schedule
