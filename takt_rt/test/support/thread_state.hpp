// What the kernel says of a thread of this process.
#ifndef SUPPORT__THREAD_STATE_HPP_
#define SUPPORT__THREAD_STATE_HPP_

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace takt_rt::test
{

inline pid_t own_tid()
{
  return static_cast<pid_t>(::syscall(SYS_gettid));
}

/// The fields of /proc/self/task/<tid>/stat from the third (state) on.
inline std::vector<std::string> stat_fields(pid_t tid)
{
  std::ifstream file("/proc/self/task/" + std::to_string(tid) + "/stat");
  std::string line;
  std::getline(file, line);
  std::istringstream rest(line.substr(line.rfind(')') + 1));
  std::vector<std::string> fields;
  for (std::string field; rest >> field;) {
    fields.push_back(field);
  }
  return fields;
}

inline bool is_sleeping(pid_t tid)
{
  return stat_fields(tid).at(0) == "S";
}

/// Waits until `tid` sleeps; sleeps itself between looks so that less urgent threads can run.
inline void wait_until_sleeping(const std::atomic<pid_t> & tid)
{
  while (tid == 0 || !is_sleeping(tid)) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

}  // namespace takt_rt::test

#endif  // SUPPORT__THREAD_STATE_HPP_
