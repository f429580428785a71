// A system under a schedule as plain numbers, with what somebody claims about it.
//
// Tasks, threads, groups and chains refer to each other by position. Times are whole numbers of one
// unit.
#ifndef JOB_ORACLE__MODEL_HPP_
#define JOB_ORACLE__MODEL_HPP_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace job_oracle
{

using Time = std::int64_t;
inline constexpr Time kNever = std::numeric_limits<Time>::max();
inline constexpr int kNone = -1;

/// What a run does of a set of newest messages.
enum class Part
{
  none,   ///< its callback waits for no set
  keeps,  ///< it keeps a message
  works   ///< its message completes the set
};

/// Where a claim says that a job of each hyperperiod is: released between `earliest` and `latest`,
/// ended by `end`.
struct Window
{
  Part part = Part::none;
  Time earliest = 0;
  Time latest = 0;
  Time end = 0;
};

/// Releases that no callback of the model causes.
struct Source
{
  Time period = 0;
  Time jitter = 0;
  std::optional<Time> offset;  ///< none: any phase
  bool timer = false;          ///< else messages from outside
};

struct Link
{
  int from = kNone;
  Time delay = 0;  ///< of a message, at most
};

/// Which messages start a run.
enum class Join
{
  any,    ///< each
  all,    ///< one of each topic, in their order
  newest  ///< each; the run that finds the newest of each topic works, all others only keep theirs
};

struct Task
{
  std::string id;
  int process = 0;
  std::vector<int> threads;  ///< that may run it
  int priority = 0;
  int group = kNone;  ///< none: an exclusive one of its own
  Time time = 0;      ///< at most
  Time best = 0;      ///< at least
  Time dispatch = 0;  ///< before each run
  Time take = 0;      ///< in each run, at the ceiling
  Time publish = 0;   ///< likewise, in runs that publish
  std::optional<Source> source;
  std::vector<std::vector<Link>> topics;  ///< that start it, with their publishers
  Join join = Join::any;
  std::optional<Time> bound;  ///< claimed: from its source's nominal release to its end
  std::vector<Window> windows;
};

struct Thread
{
  std::vector<int> cores;   ///< that it may use
  int priority = 0;         ///< larger first
  bool by_priority = true;  ///< else first come, first served
  int ceiling = 0;          ///< priority while it takes and publishes, if above its own
};

/// A thread with work once a period, at any phase.
struct Other
{
  std::vector<int> cores;
  int priority = 0;
  Time time = 0;
  Time period = 0;
};

struct Chain
{
  std::string name;
  std::vector<int> path;
  std::optional<Time> bound;  ///< claimed: from its root's nominal release to the last one's end
};

struct Model
{
  std::string name;
  std::uint64_t seed = 1;
  int runs = 4;
  Time duration = 0;        ///< of each run
  Time starts_within = 0;   ///< processes start at any moment up to this, sources on their grid
  Time judged_from = 0;     ///< what is released before is not judged
  Time context_switch = 0;  ///< whenever a thread comes on a core
  Time hyperperiod = 0;     ///< of the windows
  bool publishes_at_end = false;  ///< else runs publish at any time
  int processes = 1;
  int cores = 1;
  std::vector<Thread> threads;
  std::vector<Other> others;
  std::vector<bool> groups;  ///< whether exclusive
  std::vector<Task> tasks;
  std::vector<Chain> chains;
};

}  // namespace job_oracle

#endif  // JOB_ORACLE__MODEL_HPP_
