// Sets the attributes of this process's threads outside takt: `process_threads:`.
//
// The middleware creates and names its threads when entities are created; takt finds them in
// /proc/self/task. Threads may come at any time, so call `apply` after each entity is created; it
// does not touch threads that have their attributes already. Set-up only; may block. Not
// thread-safe.
#ifndef TAKT_SCHEDULE__PROCESS_THREADS_HPP_
#define TAKT_SCHEDULE__PROCESS_THREADS_HPP_

#include <sys/types.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "takt_rt/attribute_setter.hpp"
#include "takt_rt/thread_attributes.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_schedule
{

/// A thread with a matching rule.
struct MatchedThread
{
  pid_t tid = 0;
  std::string name;
  int line = 0;                     ///< of the rule
  bool changed = false;             ///< false: it had all attributes already
  takt_rt::AttributeReport report;  ///< requested and granted attributes
};

/// The result of one `apply`.
struct ProcessThreadsReport
{
  std::vector<MatchedThread> threads;
  /// With position: attributes that the kernel refused, and threads for which two rules tie (left
  /// unchanged).
  takt_rt::Faults faults;
  /// With position: patterns that have matched no thread so far.
  takt_rt::Faults unmatched_rules;
};

/// The rules `process_threads:` of one executor.
class ProcessThreads
{
public:
  /// Fault: unknown executor.
  static takt_rt::Result<ProcessThreads> create(
    const Schedule & schedule, std::string_view executor_name);
  ProcessThreads(ProcessThreads &&) noexcept;
  ProcessThreads & operator=(ProcessThreads &&) noexcept;
  ~ProcessThreads();

  /// Checks all threads except those in `exclude` (the executor's own: `Executor::thread_ids`). The
  /// caller decides by `missing_rights` whether refusals are faults. `setter`: null for this
  /// process's own rights.
  ProcessThreadsReport apply(
    std::span<const pid_t> exclude = {}, takt_rt::AttributeSetter * setter = nullptr);

  /// The deciding rule for a thread of this name; null if none matches. Fault: two rules tie.
  takt_rt::Result<const ProcessThreadRule *> find(std::string_view name) const;

private:
  struct Impl;
  explicit ProcessThreads(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__PROCESS_THREADS_HPP_
