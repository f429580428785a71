#include "recording/trace_requests.hpp"

#include <nlohmann/json.hpp>
#include <string>

#include "takt_control/control_server.hpp"
#include "takt_trace/recording.hpp"

namespace takt_trace::detail
{
namespace
{

using nlohmann::json;
using takt_rt::Faults;
using takt_rt::Result;

Result<std::string> start(const std::string & payload)
{
  const json request = json::parse(payload, nullptr, false);
  if (!request.is_object()) {
    return Faults{"the request to record a trace is no object"};
  }
  RecordingOptions options;
  const auto number = [&](const char * key) -> std::optional<std::int64_t> {
    const auto found = request.find(key);
    return found != request.end() && found->is_number_integer()
             ? std::optional(found->get<std::int64_t>())
             : std::nullopt;
  };
  if (const auto records = number("records")) {
    options.records = *records < 0 ? 0 : static_cast<std::size_t>(*records);
  }
  const auto flag = [&](const char * key) {
    const auto found = request.find(key);
    return found != request.end() && found->is_boolean() && found->get<bool>();
  };
  options.cpu_times = flag("cpu_times");
  options.kernel = flag("kernel");
  options.stalls = flag("stalls");
  if (const auto last = number("last_ns")) {
    options.last = takt_rt::Duration(*last);
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
