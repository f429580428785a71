// The program behind `takt trace`: joins the traces of several processes into one trace for
// viewers.
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ctf/ctf.hpp"
#include "model/trace_report.hpp"
#include "report/response_report.hpp"
#include "summary.hpp"
#include "takt_schedule/machine_costs.hpp"
#include "takt_schedule/parse_system.hpp"
#include "takt_schedule/to_yaml.hpp"
#include "takt_trace/chain_flow.hpp"
#include "takt_trace/memory_limit.hpp"
#include "takt_trace/observed_system.hpp"
#include "takt_trace/trace_file.hpp"
#include "timeline/chrome.hpp"
#include "timeline/perfetto.hpp"
#include "write_folder.hpp"

namespace
{

using nlohmann::json;
using takt_trace::LongTrace;

constexpr int kFailed = 1;
constexpr int kUsage = 2;

/// Nothing: a fault occurred and was printed.
std::optional<std::vector<LongTrace>> read_all(const std::vector<std::string> & files)
{
  std::vector<LongTrace> traces;
  for (const std::string & file : files) {
    auto read = takt_trace::read_long_traces(file);
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

template <typename WriteTo>
bool write(const std::string & output, const WriteTo & write_to)
{
  std::ofstream out(output, std::ios::binary | std::ios::trunc);
  write_to(out);
  out.close();
  if (!out) {
    std::cerr << "takt_trace: " << output << " cannot be written\n";
  }
  return static_cast<bool>(out);
}

bool write_ctf(const std::string & output, const std::vector<LongTrace> & traces)
{
  const std::string fault = takt_trace::programs::write_folder(output, traces);
  if (!fault.empty()) {
    std::cerr << "takt_trace: " << fault << '\n';
  }
  return fault.empty();
}

int convert(
  const std::vector<std::string> & files, const std::string & output, const std::string & format,
  bool as_json)
{
  const bool is_folder = format == "ctf";
  if (is_folder && !takt_trace::programs::takes_a_trace(output)) {
    std::cerr << "takt_trace: " << output
              << " exists and is no empty folder; name another folder for the trace\n";
    return kUsage;
  }
  auto traces = read_all(files);
  if (!traces) {
    return kFailed;
  }
  const auto with = [&](const auto & write_trace) {
    return write(output, [&](std::ostream & out) { write_trace(*traces, out); });
  };
  // A file for other commands of takt keeps the form that the processes wrote.
  bool good = format != "takt" || with([](const std::vector<LongTrace> & all, std::ostream & out) {
                takt_trace::write_traces(all, out);
              });
  if (good) {
    takt_trace::add_chains_across_processes(*traces);
  }
  if (format == "chrome") {
    good = with([](const std::vector<LongTrace> & all, std::ostream & out) {
      takt_trace::write_chrome_trace(all, out);
    });
  } else if (format == "perfetto") {
    good = with([](const std::vector<LongTrace> & all, std::ostream & out) {
      takt_trace::write_perfetto_trace(all, out);
    });
  } else if (is_folder) {
    good = write_ctf(output, *traces);
  }
  if (!good) {
    return kFailed;
  }
  const json told = takt_trace::summary(*traces);
  if (as_json) {
    std::cout << told.dump(1, ' ', false, json::error_handler_t::replace) << '\n';
  } else {
    const json & messages = told["messages"];
    std::cout << output << ": " << traces->size() << " processes, " << messages["joined"] << " of "
              << messages["taken"] << " messages joined\n"
              << takt_trace::stall_sentence(told) << takt_trace::clock_sentence(told);
  }
  return 0;
}

/// The chains that the programs' schedules declare, each once.
std::vector<takt_schedule::ChainSchedule> declared_chains(const std::vector<LongTrace> & traces)
{
  std::map<std::string, takt_schedule::ChainSchedule> chains;
  for (const LongTrace & trace : traces) {
    for (const auto & traced : trace.chains) {
      takt_schedule::ChainSchedule & chain = chains[traced.name];
      chain.options.name = traced.name;
      chain.options.path = traced.path;
      chain.options.priority = traced.priority;
      if (traced.deadline > 0) {
        chain.options.deadline = takt_rt::Duration(traced.deadline);
      }
    }
  }
  std::vector<takt_schedule::ChainSchedule> all;
  for (auto & [name, chain] : chains) {
    all.push_back(std::move(chain));
  }
  return all;
}

int refuse_faults(const takt_rt::Faults & faults)
{
  for (const std::string & fault : sentences(faults)) {
    std::cerr << fault << '\n';
  }
  return kUsage;
}

int model(
  const std::vector<std::string> & files, const std::string & output, const std::string & earlier,
  const std::string & costs, double percentile)
{
  takt_trace::ModelOptions options;
  options.percentile = percentile;
  if (!costs.empty()) {
    const auto measured = takt_schedule::load_costs(costs);
    if (!measured) {
      return refuse_faults(measured.faults());
    }
    options.costs = *measured;
  }
  const auto traces = read_all(files);
  if (!traces) {
    return kUsage;
  }
  if (const std::string fault = takt_trace::impossible_time(*traces); !fault.empty()) {
    std::cerr << "takt_trace: " << fault << "; no model is made of it\n";
    return kUsage;
  }
  options.keep_executor_names = true;
  options.chains = declared_chains(*traces);
  if (!earlier.empty()) {
    auto known = takt_schedule::load_system(earlier);
    if (!known) {
      return refuse_faults(known.faults());
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
    takt_trace::longest_under_way(*traces).value_or(takt_rt::Duration::zero());
  const auto observed = takt_trace::observed_system(takt_trace::trace_report(*traces), options);
  if (observed.system.callbacks.empty()) {
    std::cerr << "takt_trace: no callback ran in the trace, so there is no model\n";
    return kFailed;
  }
  const std::string text = takt_schedule::to_yaml(observed.system, observed.header);
  if (!write(output, [&](std::ostream & out) { out << text; })) {
    return kFailed;
  }
  for (const std::string & note : observed.notes) {
    std::cerr << "note: " << note << '\n';
  }
  std::cerr << observed.system.callbacks.size() << " callbacks and "
            << observed.system.chains.size() << " chains are in " << output << '\n';
  return 0;
}

int report(const std::vector<std::string> & files)
{
  auto traces = read_all(files);
  if (!traces) {
    return kUsage;
  }
  takt_trace::add_chains_across_processes(*traces);
  const auto told = takt_trace::response_report(*traces);
  std::cout << told.dump(-1, ' ', false, json::error_handler_t::replace) << '\n';
  return std::cout.flush() ? 0 : kFailed;
}

/// Memory for pages of lists. With sorting and the program itself it is less than 400 MB.
constexpr std::size_t kPages = std::size_t{192} << 20;

/// Less if the process may use less memory: half of the rest.
std::size_t bytes_of_pages()
{
  std::size_t bytes = kPages;
  std::ifstream statm("/proc/self/statm");
  std::size_t pages = 0;
  statm >> pages;
  const std::size_t used = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  for (const auto which : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit limit{};
    if (::getrlimit(which, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
      const std::size_t left = limit.rlim_cur > used ? limit.rlim_cur - used : 0;
      bytes = std::min(bytes, left / 2);
    }
  }
  return std::max(bytes, std::size_t{4} << 20);
}

/// The folder for pages that do not fit into memory: that of the output, which needs space anyway;
/// for a report the folder for large temporary files.
std::string folder_of_pages(const std::string & output)
{
  if (!output.empty()) {
    std::error_code error;
    const auto folder = std::filesystem::absolute(output, error).lexically_normal();
    return (folder.has_filename() ? folder : folder.parent_path()).parent_path().string();
  }
  const char * const named = std::getenv("TMPDIR");  // NOLINT: no thread changes the environment
  return named != nullptr && *named != '\0' ? named : "/var/tmp";
}

/// Freed if the system refuses memory, because some destructors allocate, too.
std::unique_ptr<char[]> reserve;

void refuse()
{
  reserve.reset();
  std::set_new_handler(nullptr);
  throw std::bad_alloc();
}

/// All data that was read is freed now, so there is memory for the message.
int refused_memory()
{
  std::cerr << "takt_trace: the system refused the memory that this takes, which is 400 MB, and "
               "more if the "
               "traces have very many names: do this with a higher limit (ulimit -v)\n";
  return kUsage;
}

}  // namespace

int main(int argc, char ** argv)
{
  CLI::App app{"Makes one trace to look at of the traces of several processes", "takt_trace"};
  app.require_subcommand(1);
  CLI::App & command =
    *app.add_subcommand("convert", "Write a trace for the Perfetto UI, for Chrome, or as CTF");
  std::vector<std::string> files;
  std::string output;
  std::string format = "perfetto";
  bool as_json = false;
  command.add_option("files", files, "Traces of single processes")->required();
  command.add_option("-o,--output", output, "The file to write; of ctf the folder")->required();
  command
    .add_option(
      "--format", format,
      "perfetto, chrome, ctf (for babeltrace, Trace Compass, tracetools_analysis and CARET), or "
      "takt for other commands of "
      "takt")
    ->check(CLI::IsMember({"perfetto", "chrome", "ctf", "takt"}));
  command.add_flag("--json", as_json, "A summary as JSON");
  CLI::App & reporting =
    *app.add_subcommand("report", "Print where the response times of the chains went, as JSON");
  reporting.add_option("files", files, "Traces")->required();
  CLI::App & modelling = *app.add_subcommand("model", "Write the system model of what was traced");
  std::string earlier;
  modelling.add_option("files", files, "Traces")->required();
  modelling.add_option("-o,--output", output, "The file to write")->required();
  modelling.add_option("--chains", earlier, "Keep the chains of this model");
  std::string costs;
  modelling.add_option("--costs", costs, "Overheads and jitter, as takt calibrate -o wrote them");
  double percentile = takt_trace::kLongestTime;
  modelling
    .add_option("--percentile", percentile, "Of its runs' CPU times: the worst time of a callback")
    ->check(CLI::Range(1.0, takt_trace::kLongestTime));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError & error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  try {
    constexpr std::size_t kReserve = std::size_t{8} << 20;
    reserve = std::make_unique_for_overwrite<char[]>(kReserve);
    std::set_new_handler(refuse);
    const takt_trace::MemoryLimit limit(bytes_of_pages(), folder_of_pages(output));
    if (modelling.parsed()) {
      return model(files, output, earlier, costs, percentile);
    }
    return reporting.parsed() ? report(files) : convert(files, output, format, as_json);
  } catch (const std::bad_alloc &) {
    return refused_memory();
  } catch (const takt_trace::NoRoomForPages & fault) {
    std::cerr << "takt_trace: " << fault.what() << '\n';
    return kFailed;
  }
}
