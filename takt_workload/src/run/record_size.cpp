#include "run/record_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace takt_workload
{

namespace
{

// Resident memory for each run, from the record to the written results: 400 bytes measured, and
// room for other files.
constexpr double kBytesPerRun = 1000.0;

// The number in a file; `otherwise` if the file has none ("max").
double number_in(const char * file, double otherwise)
{
  std::ifstream in(file);
  double value = 0.0;
  return in >> value ? value : otherwise;
}

}  // namespace

double expected_runs(
  const Graph & graph, const CallbackTable & table, const RunOptions & options,
  const std::vector<int> & parts, int part)
{
  const auto seconds = [](takt_rt::Duration duration) {
    return std::chrono::duration<double>(duration).count();
  };
  const double span = seconds(options.duration) + seconds(options.warmup) + seconds(kDrain) + 1.0;
  double rate = 0.0;
  const auto loads = table.loads(graph);
  for (std::size_t i = 0; i < loads.size(); ++i) {
    rate += part < 0 || parts[table.callbacks()[i].node] == part ? loads[i].rate : 0.0;
  }
  return rate * span * 1.25 + 1000.0;
}

takt_rt::Status check_record_size(const Graph & graph, const RunOptions & options, double available)
{
  const double runs = expected_runs(graph, CallbackTable(graph), options, {}, -1);
  const double limit = available / 2.0;
  if (runs * kBytesPerRun <= limit) {
    return {};
  }
  return takt_rt::Faults{fmt::format(
    "up to {:.3g} runs would be recorded, which takes {:.1f} GB, and {:.1f} GB may be used here: "
    "choose a shorter --duration",
    runs, runs * kBytesPerRun * 1e-9, limit * 1e-9)};
}

double available_memory()
{
  double available = std::numeric_limits<double>::max();
  std::ifstream info("/proc/meminfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("MemAvailable:")) {
      available = std::stod(line.substr(13)) * 1024.0;
    }
  }
  const double most = number_in("/sys/fs/cgroup/memory.max", -1.0);
  const double used = number_in("/sys/fs/cgroup/memory.current", 0.0);
  return most > 0.0 ? std::min(available, std::max(0.0, most - used)) : available;
}

}  // namespace takt_workload
