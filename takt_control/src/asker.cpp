#include "asker.hpp"

#include <unistd.h>

#include <chrono>
#include <utility>

namespace takt_control
{

using takt_rt::MissingRight;

takt_rt::Result<Answer> Asker::ask(
  MessageType type, const std::function<std::string(std::uint64_t)> & payload)
{
  const auto until = std::chrono::steady_clock::now() + timeout_;
  {
    std::unique_lock lock(mutex_);
    if (!free_.wait_until(lock, until, [this] { return asking_ != ::getpid(); })) {
      return takt_rt::Faults{
        connection_.path() + ": other threads of this process are still asking"};
    }
    asking_ = ::getpid();
  }
  const Turn turn(*this);
  return exchange(type, payload, until);
}

Asker::Turn::~Turn()
{
  {
    const std::lock_guard lock(asker.mutex_);
    asker.asking_ = 0;
  }
  asker.free_.notify_one();
}

takt_rt::Result<Answer> Asker::exchange(
  MessageType type, const std::function<std::string(std::uint64_t)> & payload,
  Connection::Time until)
{
  const std::uint64_t id = ++last_id_;
  const std::string bytes = encode(type, payload(id));
  const bool reused = connection_.is_open();
  Frame frame;
  auto end = Connection::End::failed;
  if (reused || connection_.open(until)) {
    end = connection_.exchange(bytes, until, frame);
  }
  // Ask again over a new connection. If the daemon gets the request twice, it sets the same
  // attributes twice.
  if (end == Connection::End::lost && reused && connection_.open(until)) {
    end = connection_.exchange(bytes, until, frame);
  }
  if (end != Connection::End::answered) {
    return takt_rt::Faults{connection_.fault()};
  }
  auto answer = read_answer(frame.payload);
  if (!answer || (answer->id != id && answer->error.empty())) {
    connection_.close();
    return takt_rt::Faults{
      connection_.path() + ": the answer does not fit the request" +
      (answer ? "" : ": " + to_string(answer.faults().front()))};
  }
  if (answer->id != id) {
    connection_.close();  // the daemon ends the connection
  }
  return answer;
}

std::vector<takt_rt::Refusal> Asker::ask_for(
  MessageType type, const takt_rt::ThreadAttributes & part, pid_t tid)
{
  const auto answer = ask(type, [&](std::uint64_t id) {
    return to_payload(AttributeRequest{id, tid == 0 ? ::gettid() : tid, part});
  });
  std::vector<takt_rt::Refusal> refusals;
  if (!answer) {
    refusals.push_back(refuse(part, MissingRight::no_configurator, answer.faults().front().text));
  } else if (!answer->error.empty()) {
    refusals.push_back(refuse(part, MissingRight::configurator, answer->error));
  } else {
    refusals = answer->refusals;
  }
  for (takt_rt::Refusal & refusal : refusals) {
    refusal.tid = tid;
  }
  return refusals;
}

}  // namespace takt_control
