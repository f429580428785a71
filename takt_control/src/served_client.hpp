// One client of the control socket: the bytes that it has sent, and the bytes that wait for it.
//
// Answers and alarms wait apart, so unread alarms do not delay the answer to the client's next
// request. Both are bounded. Not thread-safe; allocates; never waits for the client.
#ifndef TAKT_CONTROL__SRC__SERVED_CLIENT_HPP_
#define TAKT_CONTROL__SRC__SERVED_CLIENT_HPP_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "alarm_queue.hpp"
#include "reply.hpp"
#include "takt_control/frame.hpp"

namespace takt_control
{

class ServedClient
{
public:
  using Time = std::chrono::steady_clock::time_point;
  using Handler = std::function<Reply(std::uint16_t type, const std::string & payload)>;

  static constexpr std::size_t kMostRequest = std::size_t{16}
                                              << 20U;  ///< bytes; a schedule is far smaller
  static constexpr std::size_t kMostAlarms = std::size_t{256} << 10U;  ///< bytes that wait
  /// How long a client may take to send the rest of a message, or to read an answer.
  static constexpr std::chrono::seconds kPatience{5};
  /// How long a subscriber may leave alarms unread. A user may have stopped its program for a
  /// moment.
  static constexpr std::chrono::seconds kSubscriberPatience{60};

  /// The destructor closes `socket`.
  ServedClient(int socket, Time now) : socket_(socket), progress_(now) {}
  ~ServedClient();
  ServedClient(const ServedClient &) = delete;
  ServedClient & operator=(const ServedClient &) = delete;

  int socket() const noexcept { return socket_; }
  /// The events that poll waits for.
  short events() const noexcept;  // NOLINT: poll's type
  /// True if the client must send the rest of a message, or must read.
  bool owes() const noexcept { return half_a_message() || sends(); }
  /// True if the client has made no progress for too long.
  bool late(Time now);
  /// Restarts the client's time limit.
  void begin_waiting(Time now) noexcept { progress_ = now; }
  bool sends() const noexcept { return !output_.empty() || !answers_.empty() || !alarms_.empty(); }

  /// Reads once and appends the answer to each whole message; `write` sends the answers. False: the
  /// client has gone, or its bytes are not a message.
  bool read(const Handler & answer, Time now);
  /// Sends as many bytes as the kernel takes. False: the client has gone.
  bool write(Time now);
  void say(const Reply & reply) { answers_ += frames_of(reply); }

  bool subscribed() const noexcept { return subscribed_; }
  /// From now on `put` accepts the alarms from `place` on whose sequence is at least `sequence`,
  /// and those without a sequence. The answer to the subscription contains the earlier ones. A
  /// second subscription only raises the sequence.
  void subscribe(std::uint64_t place, std::uint64_t sequence);
  void put(const AlarmQueue::Alarm & alarm, Time now);

private:
  bool half_a_message() const noexcept { return decoder_.half_open() || !request_.empty(); }
  bool handle(const Handler & answer, const Frame & frame);
  void next_output();

  const int socket_;
  FrameDecoder decoder_;
  std::string request_;     // payloads of its `part` frames
  std::string output_;      // not yet sent bytes of one answer or alarm
  bool answering_ = false;  // output_ holds an answer
  std::string answers_;
  struct Waiting
  {
    std::optional<std::uint64_t> sequence;
    std::string frames;
  };
  std::deque<Waiting> alarms_;
  std::size_t alarms_bytes_ = 0;

  bool subscribed_ = false;
  std::uint64_t next_place_ = 0;
  std::uint64_t first_sequence_ = 0;
  bool first_ = false;         // no alarm has come since the subscription answer
  std::uint64_t dropped_ = 0;  // since the last queued alarm

  Time progress_;
  int unread_ = 0;  // unread bytes in the kernel at the last check
};

}  // namespace takt_control

#endif  // TAKT_CONTROL__SRC__SERVED_CLIENT_HPP_
