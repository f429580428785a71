// Finds the answers for which a run waited, and the runs that gave these answers. Records the
// requests that a run sent. Also records which runs of this process served these requests, and
// which ran the callbacks for the answers.
//
// The last calls are in a ring behind one mutex that inherits priority; nothing is allocated. The
// process has one ring, because a service and its client may be in different executors. Real-time
// safe.
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
  /// id of the service's callback; null: in another process
  const std::string * service = nullptr;
  const std::string * client = nullptr;  ///< id of the client's callback
  takt_rt::Duration waited{};            ///< from the request until the answer's callback began
};

class CallLog
{
public:
  static constexpr std::size_t kMostOfOneRun = 8;

  /// The ring of this process; never destroyed.
  static CallLog & of_process();

  /// Begins to record calls.
  void begin() noexcept { on_.store(true, std::memory_order_relaxed); }

  /// Records that the calling thread's run `run` sent a request of the client (an rcl_client_t) to
  /// the service of that name.
  void sent(
    const void * run, const char * service, const void * client, std::int64_t number) noexcept;
  /// Records that the calling thread begins to serve the request. `by`: the callback's id, which
  /// must stay valid.
  void served(const char * service, std::int64_t number, const std::string * by) noexcept;
  /// Records that the calling thread begins the callback for the answer. (The waiting run may end
  /// before this callback does.)
  void answered(const void * client, std::int64_t number, const std::string * by) noexcept;

  /// Call it on the thread of the run `run`, which began at `start` and ends now. Returns the calls
  /// for which the run waited, in order, and forgets its requests. A run that computes while
  /// another thread runs the answer's callback does not wait. So a call counts only if the run's
  /// thread slept voluntarily for at least half of the time between request and answer.
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
    std::uint64_t service = 0;  // hash of the service's name
    const void * client = nullptr;
    std::int64_t number = 0;
    const void * run = nullptr;
    const std::string * by = nullptr;
    std::uintptr_t thread = 0;
    takt_rt::Time time{};
    std::int64_t cpu = 0;  // CPU time of the sending thread
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
