// The cost of a run's observers: runs of an empty callback without any of them, with each of them,
// and with all of them.
//
// Each run is an activation of a chain and ends it, so each observer does all that it ever does at
// a run. The program links the guard and tells it to watch executors; only the executors of rows
// with the guard pass it their runs. The rows with the report of `takt exec` exist only where the
// build found rclcpp.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flight.hpp"
#include "ratio_reporter.hpp"
#include "sinks/report.hpp"
#include "takt_core/adapter/callback_ids.hpp"
#include "takt_core/executor.hpp"
#include "takt_host/hosted_executor.hpp"
#include "takt_trace/recording.hpp"
#include "takt_trace/tracer.hpp"
#include "takt_watch/watch.hpp"

namespace
{

using takt_core::Executor;
using takt_rt::Duration;

constexpr std::size_t kCallbacks = 32;

struct Sinks
{
  bool trace = false;
  bool watch_off = false;  // no rule, and no request for statistics
  bool watch = false;
  bool report = false;
  bool guard = false;
};

[[noreturn]] void stop(const std::string & why)
{
  std::fprintf(stderr, "sinks_benchmark: %s\n", why.c_str());
  std::exit(2);
}

void must(const takt_rt::Status & status)
{
  if (!status.ok()) {
    stop(takt_rt::to_string(status.faults().front()));
  }
}

// An executor with the observers of `sinks`, whose callbacks each are a chain.
class Watched
{
public:
  explicit Watched(const Sinks & sinks)
  {
    takt_core::ExecutorOptions options;
    if (sinks.guard) {
      auto hosted = takt_host::HostedExecutor::of_options({}, std::move(options), "main");
      must(hosted.ok() ? takt_rt::Status() : hosted.faults());
      hosted_ = std::move(hosted.value());
      core_ = hosted_->core();
    } else {
      core_ = std::move(*Executor::create(std::move(options)));
    }
    if (sinks.report) {
      must(core_->add_observer(takt_bench::report_recorder()));
    }
    if (sinks.trace) {
      must(core_->add_observer(takt_trace::run_recorder("main")));
      flight_ = std::make_unique<takt_bench::Flight>();
      // The thread's ring is made here, and not within the guard's scope of the first run.
      takt_trace::Tracer().instant("prepares the thread");
    }
    if (sinks.watch || sinks.watch_off || sinks.report) {
      takt_watch::WatchedExecutor watched;
      watched.name = "main";
      watched.executor = core_.get();
      watched.measures_chains = sinks.report;
      if (sinks.watch) {
        watched.rule = [](const takt_core::Callback &) {
          takt_schedule::WatchRule rule;
          rule.budget = std::chrono::seconds(1);
          return rule;
        };
      }
      auto watching = takt_watch::watch(std::move(watched));
      must(watching.ok() ? takt_rt::Status() : watching.faults());
      watching_ = std::move(watching.value());
    }
    takt_core::Reconfiguration chains;
    for (std::size_t i = 0; i < kCallbacks; ++i) {
      takt_core::CallbackOptions facts;
      facts.id = takt_core::adapter::callback_id("/node" + std::to_string(i), "sub", "/topic");
      facts.kind = takt_core::Kind::subscription;
      takt_core::ChainOptions chain;
      chain.name = "chain" + std::to_string(i);
      chain.path = {facts.id};
      chain.deadline = std::chrono::seconds(1);
      chains.more_chains.push_back(std::move(chain));
      callbacks_.push_back(takt_bench::empty_callback(std::move(facts)));
      must(core_->add(callbacks_.back()));
    }
    const auto changed = core_->reconfigure(chains);
    must(changed.ok() ? takt_rt::Status() : changed.faults());
  }

  /// Runs each callback once. Returns the number of runs.
  std::size_t round()
  {
    for (const auto & callback : callbacks_) {
      core_->ready(*callback, 1);
    }
    std::size_t ran = 0;
    core_->spin_some(Duration::zero(), &ran);
    return ran;
  }

private:
  std::unique_ptr<takt_host::HostedExecutor> hosted_;
  std::shared_ptr<Executor> core_;
  std::unique_ptr<takt_bench::Flight> flight_;
  std::unique_ptr<takt_watch::Watching> watching_;
  std::vector<std::shared_ptr<takt_core::Callback>> callbacks_;
};

// One iteration is one run.
void run(benchmark::State & state, const Sinks & sinks)
{
  Watched watched(sinks);
  std::size_t ran = 0;
  while (state.KeepRunningBatch(kCallbacks)) {
    ran += watched.round();
  }
  if (ran != static_cast<std::size_t>(state.iterations())) {
    state.SkipWithError("not every ready callback ran once");
  }
}

// The guard reads its settings when the process begins.
void with_guard(char ** argv)
{
  if (std::getenv("TAKT_GUARD") == nullptr) {
    ::setenv("TAKT_GUARD", "all", 1);
    ::execv("/proc/self/exe", argv);
    stop("cannot start itself again with TAKT_GUARD=all");
  }
}

}  // namespace

int main(int argc, char ** argv)
{
  with_guard(argv);
  const bool reports = takt_bench::report_recorder() != nullptr;
  const auto add = [](const char * title, const Sinks & sinks) {
    benchmark::RegisterBenchmark(title, run, sinks);
  };
  add("run_none", {});
  add("run_watch_off", {.watch_off = true});
  add("run_trace", {.trace = true});
  add("run_watch", {.watch = true});
  if (reports) {
    add("run_report", {.report = true});
  }
  add("run_guard", {.guard = true});
  if (reports) {
    add("run_trace_watch_report", {.trace = true, .watch = true, .report = true});
  }
  add("run_all", {.trace = true, .watch = true, .report = reports, .guard = true});
  return takt_bench::run(argc, argv, {});
}
