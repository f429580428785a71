// What the kernel refused, said once for all threads that lack the same right. Set-up only.
#ifndef REFUSALS_HPP_
#define REFUSALS_HPP_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace takt_workload
{

/// A regular expression takes stack for each character of its text: what is longer stands as it is.
inline constexpr std::size_t kLongestMatched = 4096;

/// Between what was refused and what a schedule's fallback made of the thread.
inline constexpr std::string_view kFallback = "; the schedule's fallback";

/// Collects sentences like "hot.0: SCHED_FIFO priority 60 refused for this thread: why". Threads that
/// differ only in priority or nice value belong together: the strongest demand says what to grant.
class Refusals
{
public:
  /// `fault` of the thread `who`, which has `granted` instead (empty: not known). False, and nothing
  /// taken, if the kernel refused nothing.
  bool take(const std::string & who, const std::string & fault, const std::string & granted = "");
  /// A sentence that says itself whom it is about: a thread of an executor or of the middleware.
  bool take(const std::string & sentence);

  /// "hot.0, planner: SCHED_FIFO priority 60, 50 refused: why; instead they run as ...", in order of
  /// appearance.
  std::vector<std::string> sentences() const;

private:
  struct Thread
  {
    std::string name;
    std::string granted;
  };
  struct Group
  {
    std::string key;
    std::string what;          // without its number
    std::vector<int> numbers;  // priorities or nice values, each once
    std::string why;           // of the strongest demand
    int strongest = 0;
    std::vector<Thread> threads;
  };

  std::vector<Group> groups_;
};

/// A text of several lines, as errors of several faults are, with its refusals put together.
std::string with_grouped_refusals(const std::string & text);

/// With the path of the running program where a remedy says PROGRAM.
std::string with_program(std::string text);

}  // namespace takt_workload

#endif  // REFUSALS_HPP_
