// Measures the threads' use of cores, from two readings of all threads in /proc.
//
// A reading opens one file for each thread of the machine (10 us each, 2.5 ms for 250). So readings
// take at most 1/500 of a core's time while no watched thread waits for a core, and at most 1/20
// while one does. Each reading covers at most 4096 threads. One thread at a time; reads /proc;
// allocates.
#ifndef TAKT_WATCH__SRC__KERNEL__CORE_USERS_HPP_
#define TAKT_WATCH__SRC__KERNEL__CORE_USERS_HPP_

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "takt_rt/time.hpp"

namespace takt_watch
{

/// A thread that had processor time in a window.
struct CoreUser
{
  enum class Kind : std::uint8_t
  {
    own,      ///< a thread of this process
    process,  ///< the threads of another process
    kernel    ///< a thread of the kernel
  };
  Kind kind = Kind::process;
  pid_t pid = 0;
  pid_t tid = 0;
  std::string name{};  ///< the name of the process if `kind` is `process`, else of the thread
  int core = -1;       ///< the core where it ran last
  double share = 0;    ///< the used share of the window, at most 1
};

struct CoreUse
{
  std::vector<CoreUser> users{};  ///< largest share first
  std::string unseen{};           ///< the processes that /proc hides from this process; empty: none
};

/// Returns the use of all cores in the window of the given length that ends at the given time.
using AskCores = std::function<const CoreUse &(takt_rt::Time, takt_rt::Duration)>;

class CoreUsers
{
public:
  /// `proc`: the folder of the proc file system. `own`: the process whose threads are listed by
  /// their own names; 0: this process.
  explicit CoreUsers(std::string proc = "/proc", pid_t own = 0);

  /// Reads /proc from time to time, so that a first alarm finds an earlier reading. Call it at each
  /// look.
  void look(takt_rt::Time now, bool somebody_waits);
  /// The use of cores in the window that ends at `now`. Reads /proc unless the last reading is
  /// recent enough. The last two readings may be further apart than the window. Then a thread's use
  /// above its usual use counts as use in the window. The result is valid until the next call.
  const CoreUse & in_window(takt_rt::Time now, takt_rt::Duration window);

private:
  struct Known
  {
    takt_rt::Duration on_cpu{};  ///< CPU time since the thread began
    takt_rt::Duration had{};     ///< CPU time between the last two readings
    // Share of a core between the last two readings, and between the two before; absent: unknown.
    std::optional<double> rate{};
    std::optional<double> rate_before{};
    pid_t pid = 0;
    std::uint64_t reading = 0;  ///< the last reading that found the thread
  };

  void read(takt_rt::Time now);
  void read_process(int folder, pid_t pid);
  void note(pid_t pid, pid_t tid, takt_rt::Duration on_cpu);
  bool describe(CoreUser & user) const;

  const std::string proc_;
  const pid_t own_;
  std::unordered_map<pid_t, Known> threads_;  // by thread id
  std::uint64_t readings_ = 0;
  std::size_t read_threads_ = 0;  // threads read in the reading in progress
  takt_rt::Time last_{};
  takt_rt::Duration span_{};  // the time between the last two readings
  takt_rt::Duration cost_{};  // CPU time of the last reading
  CoreUse use_;
};

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__KERNEL__CORE_USERS_HPP_
