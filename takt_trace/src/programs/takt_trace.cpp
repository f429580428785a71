// The program behind `takt trace`: makes one trace to look at of the traces of several processes.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "takt_schedule/parse_system.hpp"
#include "takt_schedule/to_yaml.hpp"
#include "takt_trace/chain_flow.hpp"
#include "takt_trace/chrome.hpp"
#include "takt_trace/message_flow.hpp"
#include "takt_trace/observed_system.hpp"
#include "takt_trace/perfetto.hpp"
#include "takt_trace/trace_file.hpp"
#include "takt_trace/trace_report.hpp"

namespace
{

using nlohmann::json;
using takt_trace::ProcessTrace;
using takt_trace::Record;
using takt_trace::RecordKind;

constexpr int kFailed = 1;
constexpr int kUsage = 2;

struct Activations
{
  std::uint64_t count = 0;
  std::uint64_t missed = 0;
  std::int64_t longest = 0;
};

std::uint64_t count(const ProcessTrace & trace, RecordKind kind)
{
  std::uint64_t sum = 0;
  for (const auto & thread : trace.threads) {
    for (const Record & record : thread.records) {
      sum += record.kind == kind ? 1 : 0;
    }
  }
  return sum;
}

json processes_json(const std::vector<ProcessTrace> & traces)
{
  json all = json::array();
  for (const ProcessTrace & trace : traces) {
    std::uint64_t dropped = 0;
    for (const auto & thread : trace.threads) {
      dropped += thread.dropped;
    }
    all.push_back(
      {{"pid", trace.pid},
       {"program", trace.program},
       {"threads", trace.threads.size()},
       {"runs", count(trace, RecordKind::run_end)},
       {"dropped", dropped}});
  }
  return all;
}

json chains_json(const std::vector<ProcessTrace> & traces)
{
  json all = json::array();
  for (const ProcessTrace & trace : traces) {
    std::map<std::uint32_t, Activations> ended;
    for (std::uint32_t chain = 0; chain < trace.chains.size(); ++chain) {
      const auto & path = trace.chains[chain].path;
      const auto is_last = [&](const auto & one) { return !path.empty() && one.id == path.back(); };
      if (std::any_of(trace.callbacks.begin(), trace.callbacks.end(), is_last)) {
        ended[chain];  // also one that never ended
      }
    }
    for (const auto & thread : trace.threads) {
      for (const Record & record : thread.records) {
        if (record.kind != RecordKind::chain_end || record.id >= trace.chains.size()) {
          continue;
        }
        Activations & chain = ended[record.id];
        const std::int64_t response = record.time - record.a;
        const std::int64_t deadline = trace.chains[record.id].deadline;
        ++chain.count;
        chain.missed += deadline > 0 && response > deadline ? 1 : 0;
        chain.longest = std::max(chain.longest, response);
      }
    }
    for (const auto & [id, chain] : ended) {
      all.push_back(
        {{"name", trace.chains[id].name},
         {"process", trace.pid},
         {"activations", chain.count},
         {"missed", chain.missed},
         {"max_response_ns", chain.longest}});
    }
  }
  return all;
}

// A publish that was under way when its process began to record is not in the trace.
constexpr std::int64_t kUnderWay = 50'000'000;  // ns

/// Takes whose publish should be in the traces: of a publisher that they have, well after all of them had begun.
struct Joinable
{
  std::size_t takes = 0;
  std::size_t joined = 0;
};

Joinable joinable(const std::vector<ProcessTrace> & traces, const takt_trace::MessageFlows & flows)
{
  std::int64_t from = 0;
  std::set<std::int64_t> publishers;
  for (const ProcessTrace & trace : traces) {
    from = std::max(from, trace.began + trace.to_realtime + kUnderWay);
    for (const auto & thread : trace.threads) {
      for (const Record & record : thread.records) {
        if (record.kind == RecordKind::publish) {
          publishers.insert(record.a);
        }
      }
    }
  }
  const auto counts = [&](const Record & record) {
    return record.kind == RecordKind::take && record.c > from && publishers.contains(record.a);
  };
  Joinable result;
  for (const ProcessTrace & trace : traces) {
    for (const auto & thread : trace.threads) {
      result.takes += static_cast<std::size_t>(
        std::count_if(thread.records.begin(), thread.records.end(), counts));
    }
  }
  for (const auto & flow : flows.joined) {
    const auto & place = flow.take;
    result.joined +=
      counts(traces[place.process].threads[place.thread].records[place.record]) ? 1 : 0;
  }
  return result;
}

json summary(const std::vector<ProcessTrace> & traces)
{
  const auto flows = takt_trace::message_flows(traces);
  const Joinable whole = joinable(traces, flows);
  std::int64_t began = 0;
  std::int64_t ended = 0;
  for (const ProcessTrace & trace : traces) {
    began = began == 0 ? trace.began : std::min(began, trace.began);
    ended = std::max(ended, trace.ended);
  }
  return {
    {"schema", 1},
    {"processes", processes_json(traces)},
    {"messages",
     {{"published", flows.publishes},
      {"taken", flows.takes},
      {"joined", flows.joined.size()},
      {"joinable", whole.takes},
      {"joinable_joined", whole.joined}}},
    {"chains", chains_json(traces)},
    {"began_ns", began},
    {"ended_ns", ended}};
}

/// Nothing: the fault has been told.
std::optional<std::vector<ProcessTrace>> read_all(const std::vector<std::string> & files)
{
  std::vector<ProcessTrace> traces;
  for (const std::string & file : files) {
    auto read = takt_trace::read_traces(file);
    if (!read) {
      for (const std::string & fault : sentences(read.faults())) {
        std::cerr << "takt_trace: " << fault << '\n';
      }
      return std::nullopt;
    }
    std::move(read->begin(), read->end(), std::back_inserter(traces));
  }
  return traces;
}

bool write(const std::string & output, const std::string & bytes)
{
  std::ofstream out(output, std::ios::binary | std::ios::trunc);
  out << bytes;
  out.close();
  if (!out) {
    std::cerr << "takt_trace: " << output << " cannot be written\n";
  }
  return static_cast<bool>(out);
}

int convert(
  const std::vector<std::string> & files, const std::string & output, const std::string & format,
  bool as_json)
{
  auto traces = read_all(files);
  if (!traces) {
    return kFailed;
  }
  // A file for other commands of takt is as the processes wrote it.
  std::string bytes = format == "takt" ? takt_trace::encode_traces(*traces) : std::string();
  takt_trace::add_chains_across_processes(*traces);
  if (format != "takt") {
    bytes =
      format == "chrome" ? takt_trace::chrome_trace(*traces) : takt_trace::perfetto_trace(*traces);
  }
  if (!write(output, bytes)) {
    return kFailed;
  }
  const json told = summary(*traces);
  if (as_json) {
    std::cout << told.dump(1, ' ', false, json::error_handler_t::replace) << '\n';
  } else {
    const json & messages = told["messages"];
    std::cout << output << ": " << traces->size() << " processes, " << messages["joined"] << " of "
              << messages["taken"] << " messages joined\n";
  }
  return 0;
}

/// Those that the programs' schedules declare, each once.
std::vector<takt_schedule::ChainSchedule> declared_chains(const std::vector<ProcessTrace> & traces)
{
  std::map<std::string, takt_schedule::ChainSchedule> chains;
  for (const ProcessTrace & trace : traces) {
    for (const auto & traced : trace.chains) {
      takt_schedule::ChainSchedule & chain = chains[traced.name];
      chain.options.name = traced.name;
      chain.options.path = traced.path;
      chain.options.priority = traced.priority;
      if (traced.deadline > 0) {
        chain.options.deadline = takt_core::Duration(traced.deadline);
      }
    }
  }
  std::vector<takt_schedule::ChainSchedule> all;
  for (auto & [name, chain] : chains) {
    all.push_back(std::move(chain));
  }
  return all;
}

int model(
  const std::vector<std::string> & files, const std::string & output, const std::string & earlier)
{
  const auto traces = read_all(files);
  if (!traces) {
    return kFailed;
  }
  takt_trace::ModelOptions options;
  options.keep_executor_names = true;
  options.chains = declared_chains(*traces);
  if (!earlier.empty()) {
    auto known = takt_schedule::load_system(earlier);
    if (!known) {
      for (const std::string & fault : sentences(known.faults())) {
        std::cerr << fault << '\n';
      }
      return kUsage;
    }
    options.chains = known->chains;
  }
  if (!takt_trace::has_cpu_times(*traces)) {
    options.times =
      "Execution times are the times from start to end of the runs: the trace has no\n"
      "CPU times (`takt trace --cpu` measures them). They include the times in which other\n"
      "threads had the core, so they are too long where cores were shared.";
  }
  options.between_processes =
    takt_trace::longest_under_way(*traces).value_or(takt_core::Duration::zero());
  const auto observed = takt_trace::observed_system(takt_trace::trace_report(*traces), options);
  if (observed.system.callbacks.empty()) {
    std::cerr << "takt_trace: no callback ran in the trace, so there is no model\n";
    return kFailed;
  }
  if (!write(output, takt_schedule::to_yaml(observed.system, observed.header))) {
    return kFailed;
  }
  for (const std::string & note : observed.notes) {
    std::cerr << "note: " << note << '\n';
  }
  std::cerr << observed.system.callbacks.size() << " callbacks and "
            << observed.system.chains.size() << " chains are in " << output << '\n';
  return 0;
}

}  // namespace

int main(int argc, char ** argv)
{
  CLI::App app{"Makes one trace to look at of the traces of several processes", "takt_trace"};
  app.require_subcommand(1);
  CLI::App & command =
    *app.add_subcommand("convert", "Write a trace for the Perfetto UI, or for Chrome");
  std::vector<std::string> files;
  std::string output;
  std::string format = "perfetto";
  bool as_json = false;
  command.add_option("files", files, "Traces of single processes")->required();
  command.add_option("-o,--output", output, "The file to write")->required();
  command.add_option("--format", format, "perfetto, chrome, or takt for other commands of takt")
    ->check(CLI::IsMember({"perfetto", "chrome", "takt"}));
  command.add_flag("--json", as_json, "A summary as JSON");
  CLI::App & modelling = *app.add_subcommand("model", "Write the system model of what was traced");
  std::string earlier;
  modelling.add_option("files", files, "Traces")->required();
  modelling.add_option("-o,--output", output, "The file to write")->required();
  modelling.add_option("--chains", earlier, "Keep the chains of this model");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError & error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  return modelling.parsed() ? model(files, output, earlier)
                            : convert(files, output, format, as_json);
}
