#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "flow/run_index.hpp"
#include "model/trace_report.hpp"
#include "report/chains_json.hpp"
#include "report/host_stalls_json.hpp"
#include "report/parts_json.hpp"
#include "report/response_report.hpp"

namespace takt_trace
{

nlohmann::ordered_json response_report(const std::vector<LongTrace> & processes)
{
  const detail::RunIndex index(processes);
  std::optional<std::int64_t> began, ended;
  for (std::size_t process = 0; process < processes.size(); ++process) {
    const LongTrace & own = processes[process];
    const std::int64_t begin = index.shared(process, own.began);
    began = std::min(began.value_or(begin), begin);
    std::int64_t last = own.ended;
    for (const LongThread & thread : own.threads) {
      for (const Record & record : thread.records) {
        last = std::max(last, record.time);
      }
    }
    const std::int64_t end = index.shared(process, last);
    ended = std::max(ended.value_or(end), end);
  }
  nlohmann::ordered_json document{
    {"schema", 1},
    {"began_ns", began.value_or(0)},
    {"ended_ns", ended.value_or(0)},
    {"hosts", detail::hosts_json(processes)},
    {"processes", detail::processes_json(processes)},
    {"measured", {{"cpu", has_cpu_times(processes)}, {"kernel", has_kernel_waits(processes)}}},
    {"chains", detail::chains_json(index, began.value_or(0))},
    {"callbacks", detail::callbacks_json(index)},
    {"slices", detail::slices_json(processes)},
    {"threads", detail::threads_json(index)}};
  detail::add_host_stalls(index, began.value_or(0), document);
  return document;
}

nlohmann::ordered_json response_report(const std::vector<ProcessTrace> & processes)
{
  return response_report(borrowed(processes));
}

}  // namespace takt_trace
