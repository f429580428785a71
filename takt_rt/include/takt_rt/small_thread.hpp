// A thread with a stack of a chosen size, which std::thread cannot have.
#ifndef TAKT_RT__SMALL_THREAD_HPP_
#define TAKT_RT__SMALL_THREAD_HPP_

#include <pthread.h>

#include <cstddef>
#include <functional>

namespace takt_rt
{

class SmallThread
{
public:
  /// Starts the thread, which blocks all signals: those of the process are for the main thread. Throws
  /// std::system_error if the kernel refuses a thread. Set-up only.
  SmallThread(std::size_t stack_size, std::function<void()> function);
  /// Waits for the end of the function.
  ~SmallThread();
  SmallThread(const SmallThread &) = delete;
  SmallThread & operator=(const SmallThread &) = delete;

private:
  static void * run(void * self);

  std::function<void()> function_;
  pthread_t thread_{};
};

}  // namespace takt_rt

#endif  // TAKT_RT__SMALL_THREAD_HPP_
