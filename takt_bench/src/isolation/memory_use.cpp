#include "isolation/memory_use.hpp"

#include <fstream>
#include <string>

namespace takt_bench::isolation
{

namespace
{

/// The number behind "NAME:" in a file of /proc.
std::optional<std::int64_t> entry(const char * path, const std::string & name)
{
  std::ifstream file(path);
  for (std::string word; file >> word;) {
    std::int64_t value = 0;
    if (word == name && file >> value) {
      return value;
    }
  }
  return std::nullopt;
}

}  // namespace

MemoryUse memory_use()
{
  return {
    entry("/proc/self/status", "VmRSS:").value_or(0), entry("/proc/self/smaps_rollup", "Pss:")};
}

}  // namespace takt_bench::isolation
