// Reads the data races in a log of ThreadSanitizer.
#ifndef EXEC__AUDIT__RACE_LOG_HPP_
#define EXEC__AUDIT__RACE_LOG_HPP_

#include <cstdint>
#include <filesystem>
#include <istream>
#include <string>
#include <vector>

namespace takt_exec
{

/// One frame of a stack.
struct RaceFrame
{
  std::uint64_t address = 0;
  std::string function;  ///< empty: unknown
  std::string file;      ///< empty: unknown
  int line = 0;
};

/// One of the two accesses of a race.
struct RaceAccess
{
  std::string kind;    ///< "write", "read", "atomic write", "atomic read"
  std::string thread;  ///< "main thread", "thread T2 'name'"
  std::vector<RaceFrame> stack;
};

/// A data race.
struct Race
{
  std::vector<RaceAccess> accesses;   ///< the later one first
  std::string location;               ///< "global 'g_count' of size 4"; empty: unknown
  std::vector<RaceFrame> allocation;  ///< of a location on the heap
};

/// The options of ThreadSanitizer (TSAN_OPTIONS) by which its logs are as `read_races` reads them.
/// They come behind the user's own options `given`, and so replace some of them. The logs are in
/// `folder`.
std::string race_options(const std::string & given, const std::filesystem::path & folder);

/// True if the path is that of a log of process `pid`, in the folder of `race_options`.
bool is_race_log(const std::filesystem::path & path, int pid);

/// The data races of a log, in its order. Other findings of ThreadSanitizer are left out.
std::vector<Race> read_races(std::istream & log);

}  // namespace takt_exec

#endif  // EXEC__AUDIT__RACE_LOG_HPP_
