// Measures the properties of a machine that a planner needs: wake-up latencies, clock cost, rights,
// stalls.
#include <fmt/format.h>
#include <time.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include "figures/results.hpp"
#include "programs/command_line.hpp"
#include "run/host.hpp"
#include "run/work.hpp"
#include "takt_rt/futex.hpp"
#include "takt_rt/thread_cpu_time.hpp"
#include "takt_schedule/program.hpp"
#include "takt_trace/stall_witness.hpp"

namespace takt_workload
{

namespace
{

using nlohmann::json;
using takt_rt::Duration;
using takt_rt::Time;

// Two threads wake each other in turn through one word. Measures the time from a wake-up call to
// the first instruction of the other thread. Both have SCHED_FIFO 80 where it is allowed.
std::vector<std::int64_t> ping_pong(int first_core, int second_core, bool realtime, int rounds)
{
  std::atomic<std::uint32_t> turn{0};
  std::atomic<std::int64_t> called{0};
  std::vector<std::int64_t> latencies;
  latencies.reserve(static_cast<std::size_t>(2 * rounds));
  const auto player = [&](std::uint32_t own, int core) {
    takt_rt::ThreadAttributes attributes;
    attributes.cores = {core};
    if (realtime) {
      attributes.policy = takt_rt::Policy::fifo;
      attributes.priority = 80;
    }
    takt_rt::apply(attributes);
    for (int round = 0; round < rounds; ++round) {
      std::uint32_t now = 0;
      bool slept = false;
      while ((now = turn.load(std::memory_order_acquire)) != own) {
        slept = takt_rt::futex_wait(turn, now) == takt_rt::WaitResult::woken || slept;
      }
      if (slept && round > rounds / 10) {
        latencies.push_back(takt_rt::to_ns(takt_rt::now()) - called.load());
      }
      if (first_core != second_core) {
        // Wait until the other thread certainly sleeps; otherwise its wake-up would cost no time.
        const Time until = takt_rt::now() + std::chrono::microseconds(50);
        while (takt_rt::now() < until) {
        }
      }
      called.store(takt_rt::to_ns(takt_rt::now()));
      turn.store(1 - own, std::memory_order_release);
      takt_rt::futex_wake(turn, 1);
    }
  };
  std::thread other(player, 1, second_core);
  std::thread one(player, 0, first_core);
  one.join();
  other.join();
  return latencies;
}

double cost_ns(const std::function<void()> & call)
{
  constexpr int kCalls = 20'000;
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    const Time begin = takt_rt::now();
    for (int n = 0; n < kCalls; ++n) {
      call();
    }
    best = std::min(best, static_cast<double>((takt_rt::now() - begin).count()) / kCalls);
  }
  return best;
}

json stalls_json(const std::vector<int> & cores, Duration span)
{
  takt_trace::StallWitness witness(cores);
  std::this_thread::sleep_for(span);
  std::vector<std::int64_t> lengths;
  for (const Stall & stall : witness.stop()) {
    if (stall.source == Stall::Source::witness) {
      lengths.push_back((stall.end - stall.certain_from).count());
    }
  }
  if (witness.blind()) {
    return {{"witnessed", false}, {"why", to_string(*witness.blind())}};
  }
  const double seconds = std::chrono::duration<double>(span).count();
  return {
    {"witnessed", true},
    {"observed_s", seconds},
    {"per_second", static_cast<double>(lengths.size()) / seconds},
    {"length", to_json(summarise(lengths))}};
}

int run(int argc, char ** argv)
{
  CLI::App app("Measures this machine; prints JSON.", "takt_measure_host");
  Duration span = std::chrono::seconds(3);
  std::string output;
  add_duration(app, "--stalls", span, "how long to watch for stalls of the host");
  app.add_option("--output", output, "file instead of standard output");
  return takt_schedule::run_program(app, argc, argv, [&]() -> int {
    const Host host = read_host();
    json all = {
      {"version", 1},
      {"cores", host.cores},
      {"kernel", host.kernel},
      {"realtime_allowed", host.realtime_allowed},
      {"autogroup", host.autogroup},
      {"rt_throttling", host.rt_runtime_us >= 0 && host.rt_runtime_us < host.rt_period_us},
      {"rt_runtime_us", host.rt_runtime_us},
      {"rt_period_us", host.rt_period_us}};
    constexpr int kRounds = 2000;
    const int first = host.cores.front();
    all["wake_up_same_core_ns"] =
      to_json(summarise(ping_pong(first, first, host.realtime_allowed, kRounds)));
    if (host.cores.size() > 1) {
      all["wake_up_cross_core_ns"] =
        to_json(summarise(ping_pong(first, host.cores[1], host.realtime_allowed, kRounds)));
    } else {
      all["wake_up_cross_core_ns"] = nullptr;
    }
    all["clock_monotonic_ns"] = cost_ns([] { takt_rt::now(); });
    all["clock_thread_cpu_ns"] = cost_ns([] { takt_rt::thread_cpu_time(); });
    all["work_iterations_per_us"] = Work::calibrate().iterations_per_microsecond();
    all["stalls"] = stalls_json(host.cores, span);
    if (output.empty()) {
      std::cout << all.dump(1) << '\n';
      return 0;
    }
    std::ofstream file(output);
    file << all.dump(1) << '\n';
    if (!file.flush()) {
      fmt::print(stderr, "takt_measure_host: {} cannot be written\n", output);
      return takt_schedule::kBadInput;
    }
    return 0;
  });
}

}  // namespace

}  // namespace takt_workload

int main(int argc, char ** argv)
{
  return takt_workload::run(argc, argv);
}
