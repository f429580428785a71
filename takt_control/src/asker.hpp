// Asks the daemon and waits for its answer: one question at a time, over one connection.
//
// Internal; thread-safe. Allocates; blocks for at most the timeout.
#ifndef TAKT_CONTROL__SRC__ASKER_HPP_
#define TAKT_CONTROL__SRC__ASKER_HPP_

#include <sys/types.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "connection.hpp"
#include "takt_control/configurator_messages.hpp"
#include "takt_rt/time.hpp"

namespace takt_control
{

class Asker
{
public:
  /// `timeout`: the longest that one question takes. `awaits`: within that time it waits for a
  /// daemon that does not listen yet.
  Asker(std::string socket, takt_rt::Duration timeout, bool awaits)
  : timeout_(timeout),
    connection_(std::move(socket), awaits)
  {
  }

  const std::string & socket() const noexcept { return connection_.path(); }

  /// `payload` makes the message for a given request id. The daemon's own error is part of the
  /// answer; without an answer one fault says why.
  takt_rt::Result<Answer> ask(
    MessageType type, const std::function<std::string(std::uint64_t)> & payload);

  /// Sends a request of `type` for the attributes `part` of thread `tid` (0: the caller). Returns
  /// the daemon's refusals, or the reason why the daemon did not decide.
  std::vector<takt_rt::Refusal> ask_for(
    MessageType type, const takt_rt::ThreadAttributes & part, pid_t tid);

private:
  /// Frees the turn of the asking thread, also if memory runs out.
  struct Turn
  {
    explicit Turn(Asker & whose) : asker(whose) {}
    Turn(const Turn &) = delete;
    Turn & operator=(const Turn &) = delete;
    ~Turn();
    Asker & asker;
  };

  takt_rt::Result<Answer> exchange(
    MessageType type, const std::function<std::string(std::uint64_t)> & payload,
    Connection::Time until);

  takt_rt::Duration timeout_;
  std::mutex mutex_;
  std::condition_variable free_;
  /// The process whose thread asks; 0: no thread asks. Another process's id: this process is a
  /// child of fork, which does not have that thread.
  pid_t asking_ = 0;
  Connection connection_;
  std::uint64_t last_id_ = 0;
};

}  // namespace takt_control

#endif  // TAKT_CONTROL__SRC__ASKER_HPP_
