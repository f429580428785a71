// Writes one line for each decision to the error output, with a limit of lines per second.
//
// One thread. Allocates; never blocks: it drops and counts lines that cannot be written at once.
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
