#include "recording/trace_requests.hpp"

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "takt_control/control_server.hpp"
#include "takt_control/json_fields.hpp"
#include "takt_trace/recording.hpp"

namespace takt_trace::detail
{
namespace
{

using nlohmann::json;
using takt_rt::Faults;
using takt_rt::Result;

RecordingOptions options_in(const json & request)
{
  RecordingOptions options;
  options.records =
    takt_control::optional_number<std::size_t>(request, "records").value_or(options.records);
  options.cpu_times = takt_control::flag_of(request, "cpu_times");
  options.kernel = takt_control::flag_of(request, "kernel");
  options.stalls = takt_control::flag_of(request, "stalls");
  if (const auto last = takt_control::optional_number<std::int64_t>(request, "last_ns")) {
    options.last = takt_rt::Duration(*last);
  }
  return options;
}

Result<std::string> start(const std::string & payload)
{
  RecordingOptions options;
  try {
    options = options_in(takt_control::request_object(payload));
  } catch (const takt_control::BadField & bad) {
    return Faults{"the request to record a trace is wrong: " + bad.what};
  }
  const auto begun = start_recording(options);
  if (!begun) {
    return begun.faults();
  }
  json answer{{"threads", begun->threads}};
  if (!begun->warnings.empty()) {
    answer["warnings"] = sentences(begun->warnings);
  }
  return answer.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// The answer of a process that records. A file that could not be written is not an error here,
/// because the recording ended or goes on all the same. An error means that the process does not
/// record.
Result<std::string> told(Result<RecordingFile> (*finish)())
{
  const bool records = recording();
  const auto file = finish();
  json answer = json::object();
  if (file.ok()) {
    answer = {{"file", file->path}, {"records", file->records}, {"dropped", file->dropped}};
    if (!file->faults.empty()) {
      answer["faults"] = sentences(file->faults);
    }
  } else if (records) {
    answer = {{"records", 0}, {"dropped", 0}, {"faults", sentences(file.faults())}};
  } else {
    return file.faults();
  }
  return answer.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

void answer_trace_requests()
{
  static const bool once = [] {
    using takt_control::MessageType;
    takt_control::handle_requests(MessageType::trace_start, start);
    takt_control::handle_requests(
      MessageType::trace_stop, [](const std::string &) { return told(stop_recording); });
    takt_control::handle_requests(
      MessageType::trace_snapshot, [](const std::string &) { return told(snapshot_recording); });
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace takt_trace::detail
