#include "adopt/report.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "adopt/process_settings.hpp"
#include "rclcpp/utilities.hpp"
#include "takt_control/phase_state_json.hpp"
#include "takt_rt/percentile.hpp"
#include "takt_trace/phase_json.hpp"

namespace takt_rclcpp
{
namespace
{

using nlohmann::ordered_json;

const char * name_of(HostKind kind)
{
  switch (kind) {
    case HostKind::single_threaded:
      return "single_threaded";
    case HostKind::multi_threaded:
      return "multi_threaded";
    case HostKind::own:
      return "takt";
    case HostKind::events:
    case HostKind::events_and_timers:
      break;
  }
  return "events";
}

ordered_json to_json(const TimeSummary & times)
{
  return {{"mean_ns", times.mean()}, {"min_ns", times.min}, {"max_ns", times.max}};
}

ordered_json to_json(const CallbackRecord & record, double seconds)
{
  ordered_json publishes = ordered_json::array();
  for (const auto & published : record.publishes) {
    publishes.push_back({{"topic", published.topic}, {"count", published.count}});
  }
  ordered_json waits = ordered_json::array();
  for (const auto & one : record.waits_for) {
    waits.push_back(
      {{"service", one.service},
       {"client", one.client},
       {"count", one.count},
       {"most", one.most},
       {"longest_ns", one.longest}});
  }
  ordered_json json{
    {"id", record.id},
    {"group", record.group},
    {"exclusive_group", record.facts.exclusive_group},
    {"kind", takt_core::to_string(record.kind)},
    {"background", record.facts.follows_group},
    {"topic", record.facts.topic},
    {"period_ns", record.facts.period.count()},
    {"has_offset", record.facts.has_offset},
    {"publishes", std::move(publishes)},
    {"waits_for", std::move(waits)},
    {"depth", record.facts.depth},
    {"within_process", record.facts.within_process},
    {"message_bytes", record.message_bytes},
    {"between_releases", to_json(record.between)},
    {"shortest_spans", record.spans.shortest()},
    {"phase", takt_trace::phase_json(record.phase)},
    {"fit", takt_trace::fit_json(record.fit)},
    {"cpu_histogram", record.histogram},
    {"runs", record.elapsed.count},
    {"rate_hz", seconds > 0 ? static_cast<double>(record.elapsed.count) / seconds : 0.0},
    {"cpu", to_json(record.cpu)},
    {"take_cpu", to_json(record.take_cpu)},
    {"elapsed", to_json(record.elapsed)},
    {"waited", to_json(record.waited)},
    {"overwritten", record.overwritten},
    {"waiting", record.waiting},
    {"lost", record.lost},
    {"arrivals", record.arrivals},
    {"arrival_spans", record.arrival_spans},
    {"skipped_periods", record.skipped_periods},
    {"empty_takes", record.empty_takes},
    {"exceptions", record.exceptions}};
  if (record.publishing_runs > 0) {
    json["publishing_runs"] = record.publishing_runs;
    json["published_last"] = record.published_last;
  }
  if (record.longest_sleep != CallbackRecord::kUnknownSleep) {
    json["longest_sleep_ns"] = record.longest_sleep;
  }
  return json;
}

ordered_json percentile(const takt_rt::LogHistogram & times, double q)
{
  const auto value = takt_rt::supported_quantile(times, q);
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json to_json(const ChainRecord & record)
{
  const auto & [chain, responses, late] = record.measured;
  const auto & times = *responses;
  ordered_json json{{"name", chain.name}, {"activations", times.moments.count()}};
  if (chain.deadline != takt_rt::kForever) {
    json["deadline_ns"] = chain.deadline.count();
    json["late"] = late;
  }
  if (record.begins_elsewhere) {
    json["begins_elsewhere"] = true;
    return json;
  }
  json["response"] = {
    {"mean_ns", times.moments.mean()},
    {"p50_ns", percentile(times.histogram, 0.5)},
    {"p99_ns", percentile(times.histogram, 0.99)},
    {"max_ns", static_cast<std::int64_t>(times.moments.max())}};
  return json;
}

ordered_json to_json(const takt_rt::AttributeReport & thread)
{
  return {
    {"name", thread.asked.name},
    {"asked", takt_rt::format_policy(thread.asked)},
    {"granted", takt_rt::format_policy(thread.granted)},
    {"cores", takt_rt::format_cores(thread.granted.cores)},
    {"refused", takt_rt::sentences(thread.faults)}};
}

// Writes one file of a report. Writes it under another name first, so that readers find whole files
// only.
void write(const ordered_json & json, const std::string & folder, const std::string & name)
{
  const auto path =
    std::filesystem::path(folder) / (std::to_string(::getpid()) + "." + name + ".json");
  const auto part = path.string() + ".part";
  std::error_code error;
  if (!std::filesystem::exists(folder, error)) {
    return;  // `takt exec` ended earlier; this program ran on in the background
  }
  std::ofstream file(part);
  file << json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  file.close();
  if (file) {
    std::filesystem::rename(part, path, error);
  }
  if (!file || error) {
    say("cannot write the report " + path.string() + "; is its folder writable?", true);
  }
}

std::string program()
{
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "" : path.string();
}

}  // namespace

std::vector<ChainRecord> chain_records(
  std::vector<takt_watch::ChainResponses> chains, const std::vector<CallbackRecord> & callbacks)
{
  const auto here = [&](const std::string & id) {
    return std::any_of(
      callbacks.begin(), callbacks.end(), [&](const auto & one) { return one.chain_id == id; });
  };
  std::vector<ChainRecord> records;
  for (takt_watch::ChainResponses & one : chains) {
    const std::vector<std::string> & path = one.chain.path;
    const bool ended = one.responses->moments.count() > 0;
    const bool begins_elsewhere = !ended && !here(path.front());
    if (here(path.back()) && (ended || begins_elsewhere)) {
      records.push_back({std::move(one), begins_elsewhere});
    }
  }
  return records;
}

const std::string & found_rclcpp()
{
  // Never destroyed: the process may ask for it at its very end.
  static const auto & version = *new std::string([] {
    Dl_info info{};
    std::error_code error;
    if (::dladdr(reinterpret_cast<void *>(&rclcpp::uninstall_signal_handlers), &info) == 0) {
      return std::string();
    }
    const auto library = std::filesystem::canonical(info.dli_fname, error);
    std::ifstream manifest(
      library.parent_path().parent_path() / "share" / "rclcpp" / "package.xml");
    for (std::string line; std::getline(manifest, line);) {
      const std::size_t begin = line.find("<version>");
      const std::size_t end = line.find("</version>");
      if (begin != std::string::npos && end != std::string::npos) {
        return line.substr(begin + 9, end - begin - 9);
      }
    }
    return std::string();
  }());
  return version;
}

unsigned next_report() noexcept
{
  static std::atomic<unsigned> g_number{0};
  return ++g_number;
}

void write_report(const AdoptionReport & report, const std::string & folder, unsigned number)
{
  if (folder.empty()) {
    return;
  }
  const double seconds = std::chrono::duration<double>(report.lasted).count();
  ordered_json json{
    {"version", 1},
    {"pid", ::getpid()},
    {"program", program()},
    {"rclcpp", found_rclcpp()},
    {"executor", report.executor},
    {"kind", name_of(report.kind)},
    {"own_threads", report.own_threads},
    {"schedule_executor", report.schedule_executor},
    {"epoch", takt_core::to_string(report.epoch)},
    {"phases", takt_control::phase_state_json<ordered_json>(report.phases, takt_rt::now())},
    {"start_up_ms", std::chrono::duration<double, std::milli>(report.started_after).count()},
    {"seconds", seconds}};
  json["threads"] = ordered_json::array();
  for (const auto & thread : report.threads) {
    json["threads"].push_back(to_json(thread));
  }
  json["callbacks"] = ordered_json::array();
  for (const auto & record : report.callbacks) {
    json["callbacks"].push_back(to_json(record, seconds));
  }
  json["chains"] = ordered_json::array();
  for (const auto & chain : report.chains) {
    json["chains"].push_back(to_json(chain));
  }
  json["refused"] = takt_rt::sentences(report.refusals);
  json["warnings"] = takt_rt::sentences(report.warnings);
  json["defaulted"] = report.defaulted;

  write(json, folder, std::to_string(number));
}

void write_stock_note(
  const std::string & executor, const std::string & reason, const std::string & folder)
{
  if (!folder.empty()) {
    write(
      {{"version", 1},
       {"pid", ::getpid()},
       {"program", program()},
       {"stock", "spin of " + executor},
       {"reason", reason}},
      folder, "stock.of." + std::to_string(next_report()));
  }
}

}  // namespace takt_rclcpp
