#include "ratio_reporter.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>

#include "takt_rt/readable.hpp"

namespace takt_bench
{

namespace
{

constexpr int kRepetitions = 9;

// "21.4 s", "1.50 x": three digits and the unit that a reader expects.
std::string readable(double value, bool is_ratio)
{
  if (!is_ratio && std::abs(value) >= 1000) {
    return takt_rt::human(value);
  }
  // Single nanoseconds matter in benchmarks of a few of them.
  return takt_rt::significant(value) + (is_ratio ? " x" : " ns");
}

class Collector final : public benchmark::BenchmarkReporter
{
public:
  bool ReportContext(const Context &) override { return true; }

  void ReportRuns(const std::vector<Run> & runs) override
  {
    for (const Run & run : runs) {
      if (run.run_type == Run::RT_Iteration && !run.error_occurred) {
        const auto own = run.counters.find("ns");  // for benchmarks that time single events
                                                   // themselves
        times_[run.run_name.function_name].push_back(
          own != run.counters.end()
            ? own->second.value
            : run.real_accumulated_time * 1e9 / static_cast<double>(run.iterations));
      } else if (run.error_occurred) {
        errors_[run.run_name.function_name] = run.error_message;
      }
    }
  }

  double median(const std::string & name) const
  {
    const auto found = times_.find(name);
    if (found == times_.end() || found->second.empty()) {
      return -1.0;
    }
    std::vector<double> sorted = found->second;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }

  std::map<std::string, std::vector<double>> times_;
  std::map<std::string, std::string> errors_;
};

}  // namespace

int run(
  int argc, char ** argv, const std::vector<Limit> & limits, const std::vector<Growth> & growths)
{
  bool judge = true;
  bool json = false;
  std::vector<char *> arguments;
  for (int i = 0; i < argc; ++i) {
    if (std::strcmp(argv[i], "--no_limits") == 0) {
      judge = false;
    } else if (std::strcmp(argv[i], "--json") == 0) {
      json = true;
    } else {
      arguments.push_back(argv[i]);
    }
  }
  // Repetitions are interleaved: a busy moment of the machine affects subject and baseline alike.
  std::string repetitions = "--benchmark_repetitions=" + std::to_string(judge ? kRepetitions : 1);
  std::string interleave = "--benchmark_enable_random_interleaving=true";
  arguments.insert(arguments.begin() + 1, {repetitions.data(), interleave.data()});
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) {
    return 2;
  }
  Collector collector;
  benchmark::RunSpecifiedBenchmarks(&collector);

  bool met = true;
  bool complete = true;
  std::string rows;
  if (!json) {
    std::printf("%-34s %12s\n", "benchmark (median)", "ns");
    for (const auto & [name, times] : collector.times_) {
      std::printf("%-34s %12.1f\n", name.c_str(), collector.median(name));
    }
    for (const auto & [name, error] : collector.errors_) {
      std::printf("%-34s skipped: %s\n", name.c_str(), error.c_str());
    }
    std::printf("\n");
  }
  for (const Limit & limit : limits) {
    const double whole = collector.median(limit.subject);
    const double minus = limit.minus.empty() ? 0.0 : collector.median(limit.minus);
    const double subject = whole < 0 || minus < 0 ? -1.0 : std::max(whole - minus, 0.0);
    const double base = limit.baseline.empty() ? 1.0 : collector.median(limit.baseline);
    const bool measured = subject >= 0 && base > 0;
    const double value = measured ? subject / base : -1.0;
    const bool ok = !measured || value <= limit.limit;
    met = met && ok;
    complete = complete && (measured || limit.optional);
    const char * const verdict = !measured ? "not measured" : ok ? "met" : "MISSED";
    const char * const unit = limit.baseline.empty() ? "ns" : "x";
    if (json) {
      char row[512];
      std::snprintf(
        row, sizeof row,
        "%s{\"claim\":\"%s\",\"subject_ns\":%.2f,\"baseline_ns\":%.2f,\"value\":%.4f,"
        "\"limit\":%.4f,\"unit\":\"%s\",\"verdict\":\"%s\"}",
        rows.empty() ? "" : ",", limit.claim.c_str(), subject, limit.baseline.empty() ? 0.0 : base,
        value, limit.limit, unit, verdict);
      rows += row;
    } else {
      std::printf(
        "%-62s %10s (limit %s) %s\n", limit.claim.c_str(),
        measured ? readable(value, !limit.baseline.empty()).c_str() : "-",
        readable(limit.limit, !limit.baseline.empty()).c_str(), verdict);
    }
  }
  std::string powers;
  for (const Growth & growth : growths) {
    const double small = collector.median(growth.smaller);
    const double large = collector.median(growth.larger);
    if (small <= 0 || large <= 0) {
      continue;
    }
    const double power = std::log(large / small) / std::log(growth.times);
    if (json) {
      char row[256];
      std::snprintf(
        row, sizeof row, "%s{\"claim\":\"%s\",\"exponent\":%.3f}", powers.empty() ? "" : ",",
        growth.claim.c_str(), power);
      powers += row;
    } else {
      std::printf("%-62s grows with the power %.2f\n", growth.claim.c_str(), power);
    }
  }
  if (json) {
    std::printf("{\"version\":1,\"limits\":[%s],\"growth\":[%s]}\n", rows.c_str(), powers.c_str());
  }
  return !judge ? 0 : !met ? 1 : !complete ? 3 : 0;
}

}  // namespace takt_bench
