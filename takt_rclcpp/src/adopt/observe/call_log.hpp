// Which run waited for which: requests that were sent within a run, and the runs of this process that served and answered
// them meanwhile.
//
// A ring of the last calls behind one mutex that inherits priority; nothing is allocated. One for the process, because
// a service and its client may be of different executors. Real-time safe.
#ifndef ADOPT__OBSERVE__CALL_LOG_HPP_
#define ADOPT__OBSERVE__CALL_LOG_HPP_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "takt_rt/pi_mutex.hpp"
#include "takt_rt/time.hpp"

namespace takt_rclcpp
{

/// An answer that a run waited for.
struct AwaitedCall
{
  const std::string * service = nullptr;  ///< as `served` was told; none: another process did
  const std::string * client = nullptr;   ///< as `answered` was told
  takt_rt::Duration waited{};             ///< from the request until that began
};

class CallLog
{
public:
  static constexpr std::size_t kMostOfOneRun = 8;

  /// Never destroyed.
  static CallLog & of_process();

  /// Until then nothing is noted.
  void begin() noexcept { on_.store(true, std::memory_order_relaxed); }

  /// The calling thread's run `run` sent a request of the client (an rcl_client_t) to the service of that name.
  void sent(
    const void * run, const char * service, const void * client, std::int64_t number) noexcept;
  /// The calling thread begins to serve a request of that number. `by`: its id, which stays.
  void served(const char * service, std::int64_t number, const std::string * by) noexcept;
  /// The calling thread begins to run the callback for the answer. (The run that waits may be over before its end.)
  void answered(const void * client, std::int64_t number, const std::string * by) noexcept;

  /// On the thread of the run `run`, which ends and began at `start`: the calls that it waited for, in order; forgets its
  /// requests. A run that goes on while another thread runs the answer has not waited for it: the time from the request to
  /// the answer must be time that its thread slept of its own will, for the most part.
  std::size_t awaited(
    const void * run, takt_rt::Time start, std::array<AwaitedCall, kMostOfOneRun> & calls) noexcept;

private:
  enum class Kind : std::uint8_t
  {
    none,
    sent,
    served,
    answered
  };
  struct Entry
  {
    Kind kind = Kind::none;
    std::uint64_t service = 0;  // of its name
    const void * client = nullptr;
    std::int64_t number = 0;
    const void * run = nullptr;
    const std::string * by = nullptr;
    std::uintptr_t thread = 0;
    takt_rt::Time time{};
    std::int64_t cpu = 0;  // of the thread, sent
    std::int64_t sleeps = 0;
  };

  void add(const Entry & entry) noexcept;

  std::atomic<bool> on_{false};
  takt_rt::PiMutex mutex_;
  std::array<Entry, 256> ring_{};
  std::size_t next_ = 0;
};

}  // namespace takt_rclcpp

#endif  // ADOPT__OBSERVE__CALL_LOG_HPP_
