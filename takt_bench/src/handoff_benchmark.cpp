// Hand-off: from `ready` on one thread to the start of the callback on a sleeping executor thread,
// beside a raw futex ping-pong between two threads on the same cores.
#include <benchmark/benchmark.h>
#include <sched.h>

#include <algorithm>
#include <thread>

#include "ratio_reporter.hpp"
#include "takt_core/executor.hpp"
#include "takt_core/middleware_ceiling.hpp"
#include "takt_rt/futex.hpp"

namespace
{

using namespace takt_core;  // NOLINT: a benchmark's own file
using namespace takt_rt;    // NOLINT

constexpr int kPriority = 50;

void become(int core, int priority)
{
  ThreadAttributes own = read_attributes();
  own.policy = priority > 0 ? Policy::fifo : Policy::other;
  own.priority = priority;
  own.cores = {core};
  apply(own);
}

std::vector<int> two_cores(bool cross)
{
  static const std::vector<int> cores = usable_cores();
  return {cores.front(), cross && cores.size() > 1 ? cores[1] : cores.front()};
}

double median(std::vector<std::int64_t> & values)
{
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return static_cast<double>(values[values.size() / 2]);
}

struct Pong final : Callback
{
  using Callback::Callback;
  void run(const Run &) override
  {
    started.store(to_ns(now()), std::memory_order_relaxed);
    answered.store(1, std::memory_order_release);
    futex_wake(answered, 1);
  }
  std::atomic<std::int64_t> started{0};
  std::atomic<std::uint32_t> answered{0};
};

bool prepare(benchmark::State & state, bool cross)
{
  if (!may_use_realtime(kPriority)) {
    state.SkipWithError("needs real-time rights");
    return false;
  }
  if (cross && two_cores(true)[0] == two_cores(true)[1]) {
    state.SkipWithError("needs two cores");
    return false;
  }
  return true;
}

// The asking thread has a priority one below that of the answering thread, so that on one core the
// answering thread preempts it at once.
void executor_handoff(benchmark::State & state, bool cross)
{
  if (!prepare(state, cross)) {
    return;
  }
  const std::vector<int> cores = two_cores(cross);
  ExecutorOptions options;
  options.threads.resize(1);
  options.threads[0].attributes.policy = Policy::fifo;
  options.threads[0].attributes.priority = kPriority;
  options.threads[0].attributes.cores = {cores[1]};
  auto executor = std::move(*Executor::create(options));
  CallbackOptions pong_options;
  pong_options.id = "pong";
  auto pong = std::make_shared<Pong>(pong_options);
  if (!executor->add(pong).ok() || !executor->start().ok()) {
    state.SkipWithError("executor did not start");
    return;
  }
  std::vector<std::int64_t> delays;
  std::thread asker([&] {
    become(cores[0], kPriority - 1);
    for (auto _ : state) {
      pong->answered.store(0);
      const Time asked = now();
      executor->ready(*pong);
      while (pong->answered.load(std::memory_order_acquire) == 0) {
        futex_wait(pong->answered, 0);
      }
      delays.push_back(pong->started.load() - to_ns(asked));
    }
  });
  asker.join();
  executor->cancel();
  executor->wait();
  state.counters["ns"] = median(delays);
}

void futex_handoff(benchmark::State & state, bool cross)
{
  if (!prepare(state, cross)) {
    return;
  }
  const std::vector<int> cores = two_cores(cross);
  std::atomic<std::uint32_t> ask{0};
  std::atomic<std::uint32_t> answer{0};
  std::atomic<bool> stop{false};
  std::atomic<std::int64_t> started{0};
  std::thread answering([&] {
    become(cores[1], kPriority);
    for (;;) {
      while (ask.load() == 0) {
        futex_wait(ask, 0);
      }
      started.store(to_ns(now()), std::memory_order_relaxed);
      ask.store(0);
      if (stop.load()) {
        return;
      }
      answer.store(1);
      futex_wake(answer, 1);
    }
  });
  std::vector<std::int64_t> delays;
  std::thread asker([&] {
    become(cores[0], kPriority - 1);
    for (auto _ : state) {
      answer.store(0);
      const Time asked = now();
      ask.store(1);
      futex_wake(ask, 1);
      while (answer.load() == 0) {
        futex_wait(answer, 0);
      }
      delays.push_back(started.load() - to_ns(asked));
    }
    stop = true;
    ask.store(1);
    futex_wake(ask, 1);
  });
  asker.join();
  answering.join();
  state.counters["ns"] = median(delays);
}

void ceiling_scope(benchmark::State & state, bool on)
{
  if (!prepare(state, false)) {
    return;
  }
  set_base_priority({Policy::other, 0});
  set_middleware_ceiling(on ? kPriority : 0);
  for (auto _ : state) {
    const MiddlewareCeilingScope scope;
    benchmark::ClobberMemory();
  }
  set_middleware_ceiling(0);
}

}  // namespace

int main(int argc, char ** argv)
{
  for (const bool cross : {false, true}) {
    const std::string where = cross ? "_cross_core" : "_same_core";
    benchmark::RegisterBenchmark(("executor" + where).c_str(), executor_handoff, cross)
      ->Iterations(2000);
    benchmark::RegisterBenchmark(("futex" + where).c_str(), futex_handoff, cross)->Iterations(2000);
  }
  benchmark::RegisterBenchmark("ceiling_scope_on", ceiling_scope, true);
  benchmark::RegisterBenchmark("ceiling_scope_off", ceiling_scope, false);
  return takt_bench::run(
    argc, argv,
    {{"executor_same_core", "futex_same_core", 1.3, "hand-off, same core / raw futex"},
     {"executor_cross_core", "futex_cross_core", 1.3, "hand-off, cross core / raw futex"}});
}
