// A thread with a chosen stack size, which std::thread lacks.
#ifndef TAKT_RT__SMALL_THREAD_HPP_
#define TAKT_RT__SMALL_THREAD_HPP_

#include <pthread.h>

#include <cstddef>
#include <functional>

namespace takt_rt
{

/// A thread with a stack of the given size in bytes. Its destructor waits for it.
class SmallThread
{
public:
  /// Starts the thread, which blocks all signals, so that the main thread gets the process's
  /// signals. Throws std::system_error if the kernel refuses a thread. Set-up only.
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
