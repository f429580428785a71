// Load that can be switched: several busy ordinary threads on each core, as of programs that never
// sleep.
#ifndef LIVE__BURNERS_HPP_
#define LIVE__BURNERS_HPP_

#include <atomic>
#include <deque>
#include <vector>

#include "takt_rt/small_thread.hpp"

namespace takt_workload
{

/// Busy from the constructor to the destructor.
class Burners
{
public:
  /// Set-up only; throws std::system_error if the kernel refuses a thread.
  Burners(const std::vector<int> & cores, int on_each_core);
  /// Waits for the threads.
  ~Burners();
  Burners(const Burners &) = delete;
  Burners & operator=(const Burners &) = delete;

private:
  std::atomic<bool> stop_{false};
  std::deque<takt_rt::SmallThread> threads_;  // last: the threads end before the other members
};

}  // namespace takt_workload

#endif  // LIVE__BURNERS_HPP_
