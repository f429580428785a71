#include "takt_rt/small_thread.hpp"

#include <signal.h>

#include <system_error>
#include <utility>

namespace takt_rt
{

SmallThread::SmallThread(std::size_t stack_size, std::function<void()> function)
: function_(std::move(function))
{
  // The new thread inherits the mask, so that it never receives a signal.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, stack_size);
  const int refused = ::pthread_create(&thread_, &attributes, &SmallThread::run, this);
  ::pthread_attr_destroy(&attributes);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (refused != 0) {
    throw std::system_error(refused, std::generic_category(), "the kernel refuses another thread");
  }
}

SmallThread::~SmallThread()
{
  ::pthread_join(thread_, nullptr);
}

void * SmallThread::run(void * self)
{
  static_cast<SmallThread *>(self)->function_();
  return nullptr;
}

}  // namespace takt_rt
