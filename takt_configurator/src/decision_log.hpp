// One line on the error output for each decision, at most so many each second.
//
// One thread. Allocates; never blocks: a line that cannot be written at once is counted and dropped.
#ifndef TAKT_CONFIGURATOR__SRC__DECISION_LOG_HPP_
#define TAKT_CONFIGURATOR__SRC__DECISION_LOG_HPP_

#include <chrono>
#include <cstdint>
#include <string>

#include "peer.hpp"
#include "request_handler.hpp"

namespace takt_configurator
{

class DecisionLog
{
public:
  explicit DecisionLog(bool silent, int fd = 2) : silent_(silent), fd_(fd) {}

  void decision(const Peer & peer, const Decision & decision);
  void line(const std::string & text);

private:
  bool may_write();
  void write(std::string text) const;

  bool silent_;
  int fd_;
  int left_ = 0;
  std::uint64_t dropped_ = 0;
  std::chrono::steady_clock::time_point second_{};
};

}  // namespace takt_configurator

#endif  // TAKT_CONFIGURATOR__SRC__DECISION_LOG_HPP_
