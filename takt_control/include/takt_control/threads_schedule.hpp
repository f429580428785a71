// Sets the schedule of the threads that a program registers (takt_thread.h), if the environment
// does not name it.
#ifndef TAKT_CONTROL__THREADS_SCHEDULE_HPP_
#define TAKT_CONTROL__THREADS_SCHEDULE_HPP_

#include <string>

namespace takt_control
{

/// `file`: the value of TAKT_SCHEDULE when the program started, before takt removed it from the
/// environment. Call it before the first thread registers. Any thread; set-up only.
void set_threads_schedule(const std::string & file);

}  // namespace takt_control

#endif  // TAKT_CONTROL__THREADS_SCHEDULE_HPP_
