// Threads of this process that no executor owns and that asked for attributes by themselves: takt_thread.h.
#ifndef TAKT_CONTROL__SRC__REGISTERED_THREADS_HPP_
#define TAKT_CONTROL__SRC__REGISTERED_THREADS_HPP_

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "takt_rt/result.hpp"
#include "takt_rt/thread_attributes.hpp"
#include "takt_schedule/applied_part.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_control
{

/// By executor of the schedule file: what became of its rules' threads.
using PartsByExecutor = std::map<std::string, std::vector<takt_schedule::AppliedPart>>;

/// One thread at a time; may block as an attribute setter does; allocates.
class RegisteredThreads
{
public:
  /// `had`: before it asked for anything. A later report of a thread takes the place of its earlier one.
  void add(
    pid_t tid, const takt_rt::ThreadAttributes & had, const takt_rt::AttributeReport & report);
  void remove(pid_t tid) { threads_.erase(tid); }
  bool empty() const noexcept { return threads_.empty(); }
  /// Null of a thread that did not register, or whose number another thread has by now.
  const takt_rt::AttributeReport * find(pid_t tid) const;

  /// Threads get what the schedule's `process_threads` say of their names, the executors' rules in the order of the
  /// file; all or nothing, as executors do. Where a rule leaves something open, a thread gets what it had before it
  /// registered. A thread that no rule matches keeps what it has.
  takt_rt::Result<PartsByExecutor> apply(const takt_schedule::Schedule & schedule, bool check_only);
  /// Gives back what the last `apply` changed, a check apart; no parts if it changed nothing.
  PartsByExecutor undo();
  /// Gives back what threads had before the first `apply`; no parts if there was none.
  PartsByExecutor reset();

private:
  struct Known
  {
    takt_rt::ThreadAttributes had;  ///< before it asked
    takt_rt::AttributeReport report;
    std::optional<takt_rt::AttributeReport> at_start{};  ///< before the first apply
    std::string executor{};                              ///< whose rule was applied last
  };

  /// To take a change of the last apply back.
  struct Before
  {
    takt_rt::AttributeReport report;
    bool first = false;  ///< `at_start` was set by it
  };

  /// What is refused of that.
  takt_rt::Faults give_back(pid_t tid, const takt_rt::AttributeReport & before);
  void forget_ended();

  std::map<pid_t, Known> threads_;
  std::map<pid_t, Before> last_;  ///< before the last apply
};

}  // namespace takt_control

#endif  // TAKT_CONTROL__SRC__REGISTERED_THREADS_HPP_
