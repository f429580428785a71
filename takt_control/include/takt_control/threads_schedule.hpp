// The schedule of the threads that a program registers (takt_thread.h), where the environment does not name it.
#ifndef TAKT_CONTROL__THREADS_SCHEDULE_HPP_
#define TAKT_CONTROL__THREADS_SCHEDULE_HPP_

#include <string>

namespace takt_control
{

/// `file` is what TAKT_SCHEDULE named when the program started; takt has taken it out of the environment. Before the
/// first thread is registered. Any thread.
void set_threads_schedule(const std::string & file);

}  // namespace takt_control

#endif  // TAKT_CONTROL__THREADS_SCHEDULE_HPP_
