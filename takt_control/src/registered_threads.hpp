// Threads of this process that no executor owns and that asked for attributes by themselves
// (takt_thread.h).
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

/// By executor of the schedule file: the outcome for the threads of its rules.
using PartsByExecutor = std::map<std::string, std::vector<takt_schedule::AppliedPart>>;

/// One thread at a time; may block as an attribute setter does; allocates.
class RegisteredThreads
{
public:
  /// `had`: the thread's attributes before it asked for any. A later report of a thread replaces
  /// its earlier one.
  void add(
    pid_t tid, const takt_rt::ThreadAttributes & had, const takt_rt::AttributeReport & report);
  void remove(pid_t tid) { threads_.erase(tid); }
  bool empty() const noexcept { return threads_.empty(); }
  /// Null if the thread did not register, or if its number now belongs to another thread.
  const takt_rt::AttributeReport * find(pid_t tid) const;

  /// Gives each thread the attributes that `process_threads` of the schedule say for its name. The
  /// first executor of the file that has a matching rule decides. Applies all or nothing, as
  /// executors do. An attribute that the rule omits goes back to its value before registration.
  /// Threads without a rule stay unchanged.
  takt_rt::Result<PartsByExecutor> apply(const takt_schedule::Schedule & schedule, bool check_only);
  /// Takes back the last `apply` without `check_only`; no parts if it changed nothing.
  PartsByExecutor undo();
  /// Restores the attributes from before the first `apply`; no parts if there was none.
  PartsByExecutor reset();

private:
  struct Known
  {
    takt_rt::ThreadAttributes had;  ///< before the thread asked for any
    takt_rt::AttributeReport report;
    std::optional<takt_rt::AttributeReport> at_start{};  ///< before the first apply
    std::string executor{};  ///< the executor whose rule was applied last
  };

  /// Needed to take back the last apply.
  struct Before
  {
    takt_rt::AttributeReport report;
    bool first = false;  ///< the last apply set `at_start`
  };

  /// Returns the refusals.
  takt_rt::Faults give_back(pid_t tid, const takt_rt::AttributeReport & before);
  void forget_ended();

  std::map<pid_t, Known> threads_;
  std::map<pid_t, Before> last_;  ///< before the last apply
};

}  // namespace takt_control

#endif  // TAKT_CONTROL__SRC__REGISTERED_THREADS_HPP_
