// The program behind `takt trace`: makes one trace to look at of the traces of several processes.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "takt_trace/chain_flow.hpp"
#include "takt_trace/chrome.hpp"
#include "takt_trace/message_flow.hpp"
#include "takt_trace/perfetto.hpp"
#include "takt_trace/trace_file.hpp"

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

/// Takes whose publish should be in the traces: of a publisher that they have, after all of them had begun.
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
    from = std::max(from, trace.began + trace.to_realtime);
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

int convert(
  const std::vector<std::string> & files, const std::string & output, const std::string & format,
  bool as_json)
{
  std::vector<ProcessTrace> traces;
  for (const std::string & file : files) {
    auto trace = takt_trace::read_trace(file);
    if (!trace) {
      for (const std::string & fault : sentences(trace.faults())) {
        std::cerr << "takt_trace: " << fault << '\n';
      }
      return kFailed;
    }
    traces.push_back(std::move(*trace));
  }
  takt_trace::add_chains_across_processes(traces);
  const std::string bytes =
    format == "chrome" ? takt_trace::chrome_trace(traces) : takt_trace::perfetto_trace(traces);
  std::ofstream out(output, std::ios::binary | std::ios::trunc);
  out << bytes;
  out.close();
  if (!out) {
    std::cerr << "takt_trace: " << output << " cannot be written\n";
    return kFailed;
  }
  const json told = summary(traces);
  if (as_json) {
    std::cout << told.dump(1, ' ', false, json::error_handler_t::replace) << '\n';
  } else {
    const json & messages = told["messages"];
    std::cout << output << ": " << traces.size() << " processes, " << messages["joined"] << " of "
              << messages["taken"] << " messages joined\n";
  }
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
  command.add_option("--format", format, "perfetto or chrome")
    ->check(CLI::IsMember({"perfetto", "chrome"}));
  command.add_flag("--json", as_json, "A summary as JSON");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError & error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  return convert(files, output, format, as_json);
}
