// The executors of a live demo, each on a thread of its own. Set-up only; one thread.
#ifndef LIVE__SPINNING_HPP_
#define LIVE__SPINNING_HPP_

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "takt_rcl/takt_rcl.hpp"
#include "takt_rt/box.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_workload
{

/// The default domain, without signal handlers and logging.
std::shared_ptr<takt_rcl::Context> make_context();

/// Throws std::runtime_error with the first fault of a schedule in this program.
takt_schedule::Schedule parsed_schedule(const std::string & text);

class Spinning
{
public:
  /// The executors of the schedule.
  Spinning(
    const std::shared_ptr<takt_rcl::Context> & context, const takt_schedule::Schedule & schedule);
  /// Ends the spins.
  ~Spinning();
  Spinning(const Spinning &) = delete;
  Spinning & operator=(const Spinning &) = delete;

  /// The executor of a schedule with one.
  takt_rcl::Executor & first() { return executors_.front(); }
  /// Once. Returns when all spin, and their threads have attributes. `epoch`: zero of the offsets
  /// of timers; absent: now.
  void start(std::optional<takt_rt::Time> epoch = std::nullopt);
  /// Ends the spins, and waits for them.
  void stop();
  /// Throws std::runtime_error if a spin has ended with an exception.
  void check();
  /// The refusals of the kernel, each once. After the start.
  std::vector<std::string> refused();

private:
  std::vector<takt_rcl::Executor> executors_;
  takt_rt::Box<std::string> failure_;
  std::deque<std::thread> threads_;
};

}  // namespace takt_workload

#endif  // LIVE__SPINNING_HPP_
