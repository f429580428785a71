// The cost of recording: one record compared with the clock read in it, and an executor that runs
// callbacks without a recorder, with a recorder that does not record, and with one that records.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "flight.hpp"
#include "ratio_reporter.hpp"
#include "takt_core/adapter/callback_ids.hpp"
#include "takt_core/executor.hpp"
#include "takt_trace/recording.hpp"
#include "takt_trace/tracer.hpp"

namespace
{

using namespace takt_core;  // NOLINT: a benchmark's own file
using namespace takt_rt;    // NOLINT
using takt_bench::Flight;

constexpr std::size_t kCallbacks = 32;
constexpr takt_trace::Tracer tracer;

void clock_read(benchmark::State & state)
{
  for (auto _ : state) {
    benchmark::DoNotOptimize(now());
  }
}

void record(benchmark::State & state, bool on)
{
  const auto flight = on ? std::make_unique<Flight>() : nullptr;
  tracer.instant("prepares the thread");
  for (auto _ : state) {
    tracer.instant("often");
  }
}

struct Work final : Callback
{
  using Callback::Callback;
  // Works for about ten microseconds, as a short callback of a real system.
  void run(const Run &) override
  {
    for (int i = 0; i < 40000; ++i) {
      benchmark::DoNotOptimize(i);
    }
  }
};

enum class Recorder
{
  absent,
  off,
  on
};

void executor(benchmark::State & state, Recorder recorder)
{
  auto executor = std::move(*Executor::create());
  if (
    recorder != Recorder::absent &&
    !executor->add_observer(takt_trace::run_recorder("main")).ok()) {
    std::abort();
  }
  std::vector<std::shared_ptr<Work>> all;
  for (std::size_t i = 0; i < kCallbacks; ++i) {
    CallbackOptions options;
    options.id = takt_core::adapter::callback_id("/node" + std::to_string(i), "sub", "/topic");
    options.kind = Kind::subscription;
    all.push_back(std::make_shared<Work>(options));
    if (!executor->add(all.back()).ok()) {
      std::abort();
    }
  }
  const auto flight = recorder == Recorder::on ? std::make_unique<Flight>() : nullptr;
  std::size_t ran = 0;
  for (auto _ : state) {
    for (const auto & callback : all) {
      executor->ready(*callback, 1);
    }
    std::size_t now = 0;
    executor->spin_some(Duration::zero(), &now);
    ran += now;
  }
  if (ran != state.iterations() * kCallbacks) {
    state.SkipWithError("not every ready callback ran once");
  }
}

}  // namespace

int main(int argc, char ** argv)
{
  benchmark::RegisterBenchmark("clock_read", clock_read);
  benchmark::RegisterBenchmark("record_off", record, false);
  benchmark::RegisterBenchmark("record_on", record, true);
  benchmark::RegisterBenchmark("executor_without", executor, Recorder::absent);
  benchmark::RegisterBenchmark("executor_off", executor, Recorder::off);
  benchmark::RegisterBenchmark("executor_on", executor, Recorder::on);
  return takt_bench::run(
    argc, argv,
    {{.subject = "record_on",
      .limit = 50,
      .claim = "a record takes at most 50 ns beside the clock read",
      .minus = "clock_read"},
     {.subject = "executor_off",
      .baseline = "executor_without",
      .limit = 1.01,
      .claim = "callbacks of 10 us: a recorder that records nothing costs at most 1 %"},
     {.subject = "executor_on",
      .baseline = "executor_off",
      .limit = 1.15,
      .claim = "callbacks of 10 us: recording costs at most 15 %"}});
}
