// Alarms on their way from the threads of the process to the thread that serves its control socket.
//
// Thread-safe; allocates. A thread that puts an alarm in never waits for a client.
#ifndef TAKT_CONTROL__SRC__ALARM_QUEUE_HPP_
#define TAKT_CONTROL__SRC__ALARM_QUEUE_HPP_

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

namespace takt_control
{

class AlarmQueue
{
public:
  static constexpr std::size_t kMostBytes = std::size_t{1} << 20U;

  struct Alarm
  {
    std::uint64_t place = 0;  ///< counts all alarms; a dropped alarm uses up its number
    std::string payload{};
    std::optional<std::uint64_t> sequence{};  ///< the alarm's own number
  };

  AlarmQueue();
  AlarmQueue(const AlarmQueue &) = delete;
  AlarmQueue & operator=(const AlarmQueue &) = delete;

  /// False in a child of fork, which has none of the threads that use this queue.
  bool of_this_process() const noexcept;

  /// Drops the alarm if there is no subscriber, or if the queue is full.
  void put(std::string payload, std::optional<std::uint64_t> sequence);

  // ---- for the thread that serves the socket ----

  /// Announces alarms to the eventfd `wakes` from now on.
  void open(int wakes);
  /// Ends all subscriptions. No alarm is announced after this returns.
  void close();

  /// Adds a subscriber. Returns the place of the next alarm that `put` adds: it is the subscriber's
  /// first alarm.
  std::uint64_t begin();
  /// Removes a subscriber.
  void end();

  std::deque<Alarm> take();

private:
  const pid_t owner_;
  std::atomic<int> subscribers_{0};  // written with the mutex held
  std::mutex mutex_;
  int wakes_ = -1;
  std::deque<Alarm> alarms_;
  std::size_t bytes_ = 0;
  std::uint64_t next_ = 0;
};

}  // namespace takt_control

#endif  // TAKT_CONTROL__SRC__ALARM_QUEUE_HPP_
