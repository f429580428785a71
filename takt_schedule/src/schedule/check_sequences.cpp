// Whether the callbacks of a sequence can follow one another.
#include <optional>
#include <string>

#include "schedule/read_executor.hpp"
#include "schedule/rule_table.hpp"
#include "takt_schedule/reader/text.hpp"
#include "threads/thread_names.hpp"

namespace takt_schedule::detail
{

void check_sequences(const ExecutorSchedule & executor, Findings & findings)
{
  if (executor.sequences.empty()) {
    return;
  }
  if (takt_core::has_windows(executor.order)) {
    findings.fault(
      executor.sequences.front().source,
      "order '" + std::string(to_string(executor.order)) +
        "' is ROS 2's own, and a sequence would change it; use order priority, fifo or edf");
  }
  const ThreadNames names(executor);
  const RuleTable rules(executor.callbacks);
  for (const SequenceRule & sequence : executor.sequences) {
    const char * const word = sequence.graph ? "graph" : "sequence";
    takt_core::ThreadMask first = 0;
    std::optional<int> priority;
    for (std::size_t i = 0; i < sequence.path.size(); ++i) {
      const std::string & id = sequence.path[i];
      const RuleTable::Best best = rules.find(id);
      if (best.tie) {
        findings.fault(sequence.path_sources[i], rules.describe_tie(id, best));
        continue;
      }
      const CallbackRule * const rule =
        best.row ? &executor.callbacks[rules.rows()[*best.row].rule] : nullptr;
      if (rule != nullptr && rule->non_triggering) {
        findings.fault(
          sequence.path_sources[i], quoted(id) + " does not trigger (line " +
                                      std::to_string(rule->source.line) +
                                      "): it runs when another callback takes its messages, so it "
                                      "has no place in a " +
                                      word);
        continue;
      }
      const takt_core::ThreadMask threads = names.mask(
        rule == nullptr || rule->threads.empty() ? executor.default_threads : rule->threads);
      if (i == 0) {
        first = threads;
      } else if (threads != first) {
        findings.fault(
          sequence.path_sources[i],
          quoted(id) + " runs on threads " + listed(names.words(threads)) + ", and " +
            quoted(sequence.path.front()) + " on " + listed(names.words(first)) +
            "; callbacks of a " + word + " share their threads");
      }
      if (sequence.graph && rule != nullptr && rule->priority) {
        if (priority.value_or(*rule->priority) != *rule->priority) {
          findings.warn(
            sequence.path_sources[i],
            quoted(id) + " has priority " + std::to_string(*rule->priority) +
              ", and an earlier callback of its graph " + std::to_string(*priority) +
              "; the order of a graph counts among callbacks of one priority");
        }
        priority = priority.value_or(*rule->priority);
      }
    }
  }
}

}  // namespace takt_schedule::detail
