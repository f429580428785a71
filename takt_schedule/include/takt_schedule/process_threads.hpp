// Sets the attributes of threads of this process that are not ours: `process_threads:`.
//
// The middleware creates its threads when entities are created and names them; takt finds them in
// /proc/self/task. Threads may come at any time, so `apply` is called after each entity is created;
// threads that have what they should are left alone. Set-up only; may block. Not thread-safe.
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

/// A thread that a rule matches.
struct MatchedThread
{
  pid_t tid = 0;
  std::string name;
  int line = 0;                     ///< of the rule
  bool changed = false;             ///< false: it had all of it already
  takt_rt::AttributeReport report;  ///< what was asked and what it has
};

struct ProcessThreadsReport
{
  std::vector<MatchedThread> threads;
  /// With position: attributes the kernel refused, and threads for which two rules tie (left
  /// alone).
  takt_rt::Faults faults;
  /// With position: patterns that have matched no thread in any call so far.
  takt_rt::Faults unmatched_rules;
};

class ProcessThreads
{
public:
  /// Fault: no executor of that name.
  static takt_rt::Result<ProcessThreads> create(
    const Schedule & schedule, std::string_view executor_name);
  ProcessThreads(ProcessThreads &&) noexcept;
  ProcessThreads & operator=(ProcessThreads &&) noexcept;
  ~ProcessThreads();

  /// Looks at all threads but those in `exclude` (the executor's own: `Executor::thread_ids`).
  /// Whether refusals matter is the caller's to say, by `missing_rights`. `setter`: null for this process's own rights.
  ProcessThreadsReport apply(
    std::span<const pid_t> exclude = {}, takt_rt::AttributeSetter * setter = nullptr);

  /// The rule that decides for a thread of this name; null if none matches. Fault: two tie.
  takt_rt::Result<const ProcessThreadRule *> find(std::string_view name) const;

private:
  struct Impl;
  explicit ProcessThreads(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__PROCESS_THREADS_HPP_
