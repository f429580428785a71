// The connection of a process to ROS 2: arguments, domain, logging, signals, shutdown.
//
// Set-up only and may block, unless a function says otherwise. Any thread may call set-up
// functions. A context lives until its last node and entity have ended.
#ifndef TAKT_RCL__CONTEXT_HPP_
#define TAKT_RCL__CONTEXT_HPP_

#include <rcl/context.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "takt_rt/time.hpp"

namespace takt_rcl
{

class Engine;
class TopicTransports;

/// Options of `init`.
struct InitOptions
{
  /// Absent: ROS_DOMAIN_ID, else 0.
  std::optional<std::size_t> domain_id;
  /// SIGINT and SIGTERM end every spin of this context, and `ok()` turns false. Running callbacks
  /// end first, and publishes still work until the context is shut down or destroyed.
  bool shutdown_on_signal = true;
  /// Log levels, log file and /rosout follow the ROS arguments. The first context that requests
  /// this decides for the process.
  bool configure_logging = true;
};

/// A process may have several contexts; most programs use only the default one.
class Context : public std::enable_shared_from_this<Context>
{
public:
  using SharedPtr = std::shared_ptr<Context>;

  /// A context that is not initialised yet.
  Context();
  /// Shuts the context down.
  ~Context();
  Context(const Context &) = delete;
  Context & operator=(const Context &) = delete;

  /// Parses ROS arguments and joins the domain. Throws `Error` with one sentence for bad or unknown
  /// ROS arguments, and if the context is initialised and not shut down. After a shutdown the
  /// context starts afresh; earlier nodes stay nodes of a context that was shut down.
  void init(int argc, const char * const * argv, const InitOptions & options = {});

  /// Initialised and neither shut down nor ended by a signal. After a signal spins end at once, but
  /// nodes, executors and entities can be made until the shutdown: a program that gets a signal
  /// while it starts ends normally. Real-time safe.
  bool ok() const noexcept;
  /// rclcpp's name for `ok`.
  bool is_valid() const noexcept { return ok(); }

  /// Ends all spins of this context, then leaves ROS. False if it was not initialised. May be
  /// called from callbacks.
  bool shutdown(const std::string & reason = "");
  /// The reason given to the last `shutdown`; empty before it.
  std::string shutdown_reason() const;
  /// Each later `shutdown` (and the destructor) calls `function` after it has left ROS. A signal
  /// alone does not: the program calls `shutdown` after its spin has returned.
  void on_shutdown(std::function<void()> function);

  /// Throws `Error` if this context is not initialised or was shut down.
  std::size_t domain_id() const;

  /// Whether messages carry publication sequence numbers, so that lost ones can be counted.
  /// Real-time safe.
  static bool publication_sequence_supported() noexcept;

  /// rcl's context: ends with this context and its last node. Throws `Error` if this context is not
  /// initialised or was shut down; `what` begins the sentence.
  std::shared_ptr<rcl_context_t> rcl_context(const std::string & what) const;

  /// For publishers and subscriptions: the way of each topic's messages.
  TopicTransports & topics() const noexcept { return *topics_; }

private:
  friend class Engine;
  friend std::shared_ptr<Context> default_context();

  void add(const std::shared_ptr<Engine> & engine);
  bool handles_signals() const noexcept { return handles_signals_; }

  std::atomic<bool> initialised_{false};
  std::atomic<bool> handles_signals_{false};
  std::atomic<std::uint64_t> signals_before_{0};
  const std::shared_ptr<TopicTransports> topics_;
  mutable std::mutex mutex_;
  bool uses_logging_ = false;
  bool ended_ = false;                      // this or an earlier default context was shut down
  std::shared_ptr<rcl_context_t> context_;  // nullptr before the first `init`
  std::string reason_;
  std::vector<std::function<void()>> on_shutdown_;
  std::vector<std::weak_ptr<Engine>> engines_;
};

/// The context of all calls that name no other.
std::shared_ptr<Context> default_context();

/// Initialises the default context.
void init(int argc, const char * const * argv, const InitOptions & options = {});

/// As `init`; returns the arguments without ROS's, argv[0] included.
std::vector<std::string> init_and_remove_ros_arguments(
  int argc, const char * const * argv, const InitOptions & options = {});

/// The arguments without ROS's, argv[0] included.
std::vector<std::string> remove_ros_arguments(int argc, const char * const * argv);

/// Real-time safe with a context given.
bool ok(const std::shared_ptr<Context> & context = nullptr);

/// As Context::shutdown. Without `context` it shuts the default context down; the next `init` makes
/// a new one.
bool shutdown(const std::shared_ptr<Context> & context = nullptr, const std::string & reason = "");

/// See Context::on_shutdown.
void on_shutdown(
  std::function<void()> function, const std::shared_ptr<Context> & context = nullptr);

/// Sleeps; false if the context (default: the default context) ended before. May block.
bool sleep_for(takt_rt::Duration duration, const std::shared_ptr<Context> & context = nullptr);

}  // namespace takt_rcl

#endif  // TAKT_RCL__CONTEXT_HPP_
