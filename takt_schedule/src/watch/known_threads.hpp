// The threads that alarm actions may name.
#ifndef TAKT_SCHEDULE__SRC__KNOWN_THREADS_HPP_
#define TAKT_SCHEDULE__SRC__KNOWN_THREADS_HPP_

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "takt_schedule/reader/findings.hpp"
#include "takt_schedule/reader/map_reader.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_schedule::detail
{

/// The threads of the executor with a callback rule, or of all executors that a chain may cross.
class KnownThreads
{
public:
  explicit KnownThreads(std::span<const ExecutorSchedule> executors);

  /// Reports an unknown thread, and one whose policy has no priority to set (`nice`: no nice
  /// level). Checks nothing if the threads themselves are faulty.
  void check(const Word & word, bool nice, Findings & findings) const;

private:
  struct Has
  {
    bool priority = false;
    bool nice = false;
  };
  void add(const std::string & word, const Has & has, bool offer, std::vector<std::string> & words);

  std::unordered_map<std::string, Has> known_;
  std::vector<std::string> offered_;  // entries for suggestions, up to a limit
  std::vector<std::string> singles_;  // single threads of an entry, for words with a dot
  bool complete_ = true;
};

}  // namespace takt_schedule::detail

#endif  // TAKT_SCHEDULE__SRC__KNOWN_THREADS_HPP_
