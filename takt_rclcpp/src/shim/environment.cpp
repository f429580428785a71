#include "shim/environment.hpp"

#include <array>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace takt_preload
{
namespace
{

constexpr std::array<const char *, 8> kOfTakt{"TAKT_SCHEDULE", "TAKT_EXECUTOR",  "TAKT_STRICT",
                                              "TAKT_QUIET",    "TAKT_OBSERVE",   "TAKT_REPORT_DIR",
                                              "TAKT_CHILDREN", "TAKT_LD_PRELOAD"};

std::string from_environment(const char * name)
{
  const char * const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Removes this library and the guard from `all`, a value of LD_PRELOAD, and keeps all other
// entries.
std::string without_this_library(const std::string & all)
{
  std::string kept;
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = all.find_first_of(": ", begin);
    end = end == std::string::npos ? all.size() : end;
    const std::string entry = all.substr(begin, end - begin);
    if (
      !entry.empty() && entry.find("libtakt_preload.so") == std::string::npos &&
      entry.find("libtakt_guard.so") == std::string::npos) {
      kept += (kept.empty() ? "" : ":") + entry;
    }
    begin = end + 1;
  }
  return kept;
}

void restore_preload(const std::string & wanted)
{
  if (wanted.empty()) {
    ::unsetenv("LD_PRELOAD");
  } else {
    ::setenv("LD_PRELOAD", wanted.c_str(), 1);
  }
}

struct Taken
{
  std::vector<std::string> lines;
  std::vector<const char *> pointers{nullptr};

  Taken()
  {
    if (from_environment("TAKT_CHILDREN") == "1") {
      return;
    }
    // The value of LD_PRELOAD before takt; ":" if it was not set.
    const std::string before = from_environment("TAKT_LD_PRELOAD");
    if (const char * const preload = std::getenv("LD_PRELOAD"); preload != nullptr) {
      restore_preload(before.empty() ? without_this_library(preload) : before == ":" ? "" : before);
    }
    for (const char * const name : kOfTakt) {
      if (const char * const value = std::getenv(name); value != nullptr) {
        lines.push_back(std::string(name) + "=" + value);
        ::unsetenv(name);
      }
    }
    pointers.clear();
    for (const std::string & line : lines) {
      pointers.push_back(line.c_str());
    }
    pointers.push_back(nullptr);
  }
};

// Never destroyed: a thread or an object of the program may spin until the process has ended.
const Taken & taken()
{
  static const Taken & g_taken = *new Taken;
  return g_taken;
}

}  // namespace

void take_variables()
{
  taken();
}

const char * variable(const char * name)
{
  const std::size_t length = std::strlen(name);
  for (const std::string & line : taken().lines) {
    if (line.size() > length && line[length] == '=' && line.compare(0, length, name) == 0) {
      return line.c_str() + length + 1;
    }
  }
  const char * const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

const char * const * taken_variables()
{
  return taken().pointers.data();
}

}  // namespace takt_preload
