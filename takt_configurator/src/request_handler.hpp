// Decides about the requests of clients, and carries them out.
//
// One thread at a time. Allocates; may block (reads /proc). It does not throw for any bytes of a
// client.
#ifndef TAKT_CONFIGURATOR__SRC__REQUEST_HANDLER_HPP_
#define TAKT_CONFIGURATOR__SRC__REQUEST_HANDLER_HPP_

#include <functional>
#include <string>

#include "kernel.hpp"
#include "ledger.hpp"
#include "peer.hpp"
#include "process_table.hpp"
#include "refuse.hpp"
#include "setter.hpp"
#include "takt_control/configurator_messages.hpp"
#include "takt_control/frame.hpp"
#include "takt_schedule/configurator_policy.hpp"
#include "target.hpp"

namespace takt_configurator
{

/// The result of one request, for the log.
struct Decision
{
  bool granted = false;
  pid_t tid = 0;  ///< in the daemon's PID namespace; 0: the request is about no thread
  std::string what{};
  std::string why{};  ///< of a refusal
};

class RequestHandler
{
public:
  using Log = std::function<void(const Peer &, const Decision &)>;

  /// `policy`, `table` and `kernel` must outlive it. `log` may be empty.
  RequestHandler(
    const takt_schedule::ConfiguratorPolicy & policy, const ProcessTable & table, Kernel & kernel,
    Log log = {});

  /// Returns the answer's frame: of type `answer`, or of type `error` for a frame that cannot be
  /// read.
  std::string handle(const Peer & peer, const takt_control::Frame & frame);

  const Ledger & ledger() const noexcept { return ledger_; }

private:
  takt_control::Answer decide(
    const Peer & peer, const takt_control::AttributeRequest & request, bool dry_run);
  Refusals decide_on(
    const Peer & peer, const Target & target, const takt_rt::ThreadAttributes & asked,
    bool dry_run);
  Refusals judge_now(
    const Peer & peer, const Target & target, const takt_rt::ThreadAttributes & asked);
  takt_control::Answer decide_limit(const Peer & peer, const takt_control::LimitRequest & request);
  std::string raise_limit(const Peer & peer, int priority);
  void log(const Peer & peer, const Decision & decision) const;

  const takt_schedule::ConfiguratorPolicy & policy_;
  const ProcessTable & table_;
  Kernel & kernel_;
  Log log_;
  Ledger ledger_;
};

}  // namespace takt_configurator

#endif  // TAKT_CONFIGURATOR__SRC__REQUEST_HANDLER_HPP_
