#include "decision_log.hpp"

#include <poll.h>
#include <unistd.h>

#include <climits>

namespace takt_configurator
{
namespace
{

constexpr int kLinesPerSecond = 50;

}  // namespace

void DecisionLog::decision(const Peer & peer, const Decision & decision)
{
  if (silent_) {
    return;
  }
  std::string text = decision.granted ? "granted" : "refused";
  text += " pid " + std::to_string(peer.pid) + " uid " + std::to_string(peer.uid);
  if (decision.tid != 0) {
    text += " thread " + std::to_string(decision.tid);
  }
  text += ": " + decision.what;
  if (!decision.why.empty()) {
    text += ": " + decision.why;
  }
  line(text);
}

void DecisionLog::line(const std::string & text)
{
  if (silent_) {
    return;
  }
  if (!may_write()) {
    ++dropped_;
    return;
  }
  if (dropped_ > 0) {
    write(std::to_string(dropped_) + " lines dropped");
    dropped_ = 0;
  }
  write(text);
}

bool DecisionLog::may_write()
{
  const auto now = std::chrono::steady_clock::now();
  if (now - second_ >= std::chrono::seconds(1)) {
    second_ = now;
    left_ = kLinesPerSecond;
  }
  pollfd one{fd_, POLLOUT, 0};
  return left_ > 0 && ::poll(&one, 1, 0) > 0 && left_-- > 0;
}

void DecisionLog::write(std::string text) const
{
  // A pipe that is writable takes PIPE_BUF bytes at once.
  constexpr std::size_t kMost = PIPE_BUF / 2 - 1;
  if (text.size() > kMost) {
    text.resize(kMost);
  }
  text += '\n';
  (void)!::write(fd_, text.data(), text.size());
}

}  // namespace takt_configurator
