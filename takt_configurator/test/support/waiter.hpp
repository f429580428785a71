// A thread whose attributes others set.
#ifndef SUPPORT__WAITER_HPP_
#define SUPPORT__WAITER_HPP_

#include <unistd.h>

#include <atomic>
#include <thread>

namespace takt_configurator::test
{

/// A thread that waits until its destructor ends it.
class Waiter
{
public:
  Waiter() { tid_.wait(0); }
  ~Waiter() { end(); }
  pid_t tid() const { return tid_; }
  void end()
  {
    if (thread_.joinable()) {
      end_ = true;
      end_.notify_all();
      thread_.join();
    }
  }

private:
  std::atomic<pid_t> tid_ = 0;
  std::atomic<bool> end_ = false;
  std::thread thread_{[this] {
    tid_ = ::gettid();
    tid_.notify_all();
    end_.wait(false);
  }};
};

}  // namespace takt_configurator::test

#endif  // SUPPORT__WAITER_HPP_
