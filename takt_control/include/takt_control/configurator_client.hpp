// The client of the configurator daemon: thread attributes for processes that lack the rights to
// set them.
//
// Set-up only: allocates, and may block for the timeout. Thread-safe: threads of one process share
// one client and its connection, and ask one after the other.
#ifndef TAKT_CONTROL__CONFIGURATOR_CLIENT_HPP_
#define TAKT_CONTROL__CONFIGURATOR_CLIENT_HPP_

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>

#include "takt_rt/attribute_setter.hpp"
#include "takt_rt/result.hpp"
#include "takt_rt/thread_attributes.hpp"
#include "takt_rt/time.hpp"

namespace takt_control
{

/// Where the daemon listens by default.
inline constexpr const char * kConfiguratorSocket = "/run/takt/configurator.sock";

/// The environment variable TAKT_CONFIGURATOR, or kConfiguratorSocket.
std::string configurator_socket();

/// Sets attributes through the daemon. Any thread, several at a time.
class ConfiguratorClient final : public takt_rt::AttributeSetter
{
public:
  /// Connects at the first question that needs the daemon. `socket`: a path; empty:
  /// configurator_socket(). `timeout`: the longest that one question blocks. `awaits`: while the
  /// daemon does not listen yet, a question waits for it up to `timeout`; without `awaits` the
  /// question fails at once.
  explicit ConfiguratorClient(
    std::string socket = {}, takt_rt::Duration timeout = std::chrono::seconds(5),
    bool awaits = false);
  ~ConfiguratorClient() override;
  ConfiguratorClient(const ConfiguratorClient &) = delete;
  ConfiguratorClient & operator=(const ConfiguratorClient &) = delete;

  /// Sets the attributes of thread `tid` of this process (0: the caller) as takt_rt::apply does. If
  /// the kernel refuses this process an attribute for want of rights (EPERM), the client asks the
  /// daemon to set it, and blocks until the daemon answers. Then this process reads `granted` from
  /// the kernel.
  takt_rt::AttributeReport apply(
    const takt_rt::ThreadAttributes & attributes, pid_t tid = 0) override;

  /// The attributes that neither this process's rights nor the daemon would grant the caller.
  takt_rt::Faults refusals(const takt_rt::ThreadAttributes & attributes) override;

  /// Raises the process's limit with `raise_rtprio_limit` if the limit is too low. False: the limit
  /// stays too low.
  bool allow_realtime(int priority) override;

  /// The attributes that the daemon would refuse the caller; empty if it would grant all of them.
  /// Sets nothing.
  takt_rt::Faults would_grant(const takt_rt::ThreadAttributes & attributes);

  /// Raises this process's soft limit RLIMIT_RTPRIO to at least `priority`, by its own rights or
  /// through the daemon. Up to this limit the threads of this process may then choose the policies
  /// fifo and rr by themselves, as middleware ceilings and following pools do.
  takt_rt::Status raise_rtprio_limit(int priority);

  /// The path of the daemon's socket.
  const std::string & socket() const noexcept;

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt_control

#endif  // TAKT_CONTROL__CONFIGURATOR_CLIENT_HPP_
