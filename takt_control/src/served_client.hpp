// One client of the control socket: what it has sent so far, and what it is still to get.
//
// Answers and alarms wait apart. Alarms that nobody reads therefore do not hold up the client's next request, and are
// bounded. Not thread-safe; allocates; never waits for the client.
#ifndef TAKT_CONTROL__SRC__SERVED_CLIENT_HPP_
#define TAKT_CONTROL__SRC__SERVED_CLIENT_HPP_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "reply.hpp"
#include "takt_control/frame.hpp"

namespace takt_control
{

/// An alarm as subscribers get it.
struct ToldAlarm
{
  std::uint64_t place = 0;                  ///< AlarmQueue::Alarm::place
  std::optional<std::uint64_t> sequence{};  ///< the alarm's own number
  nlohmann::json alarm{};
  std::string frames{};  ///< of it as it is

  /// Nothing, if `payload` is no JSON object.
  static std::optional<ToldAlarm> read(std::uint64_t place, std::string payload);
};

class ServedClient
{
public:
  using Time = std::chrono::steady_clock::time_point;
  using Handler = std::function<Reply(std::uint16_t type, const std::string & payload)>;

  static constexpr std::size_t kMostRequest = std::size_t{16}
                                              << 20U;  ///< bytes; a schedule is far smaller
  static constexpr std::size_t kMostAlarms = std::size_t{256} << 10U;  ///< bytes that wait
  /// A client that owes the rest of a message, or takes no byte of an answer.
  static constexpr std::chrono::seconds kPatience{5};
  /// A subscriber that takes no alarm. It may be a program that a user has stopped for a moment.
  static constexpr std::chrono::seconds kSubscriberPatience{60};

  /// Closes `socket` in the end.
  ServedClient(int socket, Time now) : socket_(socket), progress_(now) {}
  ~ServedClient();
  ServedClient(const ServedClient &) = delete;
  ServedClient & operator=(const ServedClient &) = delete;

  int socket() const noexcept { return socket_; }
  /// Those that poll shall wait for.
  short events() const noexcept;  // NOLINT: poll's type
  /// The client owes something: bytes of a message, or room for bytes.
  bool owes() const noexcept { return half_a_message() || sends(); }
  /// It has owed that for too long.
  bool late(Time now);
  /// What it owes counts from now.
  void begin_waiting(Time now) noexcept { progress_ = now; }
  bool sends() const noexcept { return !output_.empty() || !answers_.empty() || !alarms_.empty(); }

  /// Reads once and makes the answer to each whole message; `write` sends it. False: the client has gone, or has sent
  /// bytes that are no message.
  bool read(const Handler & answer, Time now);
  /// Sends as much as the kernel takes. False: the client has gone.
  bool write(Time now);
  void say(const Reply & reply) { answers_ += frames_of(reply); }

  bool subscribed() const noexcept { return subscribed_; }
  /// From now on it gets the alarms from this place on that have at least this sequence, or none; the answer to the
  /// subscription tells of those before. A second subscription only raises the sequence.
  void subscribe(std::uint64_t place, std::uint64_t sequence);
  void put(const ToldAlarm & alarm, Time now);

private:
  bool half_a_message() const noexcept { return decoder_.half_open() || !request_.empty(); }
  bool handle(const Handler & answer, const Frame & frame);
  void next_output();

  const int socket_;
  FrameDecoder decoder_;
  std::string request_;     // of its `part` frames
  std::string output_;      // the kernel has taken what was before it
  bool answering_ = false;  // output_ is of answers
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
  bool first_ = false;         // none has come since the answer
  std::uint64_t dropped_ = 0;  // since the last one that was put in

  Time progress_;
  int unread_ = 0;  // by the client's kernel account, at the last look
};

}  // namespace takt_control

#endif  // TAKT_CONTROL__SRC__SERVED_CLIENT_HPP_
