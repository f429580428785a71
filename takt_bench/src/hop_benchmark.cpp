// A hop of a sequence: from a callback that announces a message to the start of the callback that
// follows it on the same thread, beside the same hop through the ready queue. takt_core alone, and
// takt_rcl with messages by pointer.
//
// The time of a hop contains one look at the clock, which `clock_read` shows, and the end of the
// announcing callback.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <std_msgs/msg/u_int8_multi_array.hpp>
#include <string>
#include <utility>
#include <vector>

#include "ratio_reporter.hpp"
#include "takt_core/executor.hpp"
#include "takt_rcl/takt_rcl.hpp"
#include "takt_schedule/parse.hpp"

namespace
{

using namespace takt_core;  // NOLINT: a benchmark's own file
using namespace takt_rt;    // NOLINT

constexpr std::size_t kHops = 20'000;
constexpr std::size_t kLargest = std::size_t{8} << 20;

double median(std::vector<std::int64_t> & values)
{
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return static_cast<double>(values[values.size() / 2]);
}

/// The times of the hops from the first to the second callback.
class Hops
{
public:
  Hops() { times_.reserve(kHops); }
  void begin() noexcept { begun_ = now(); }
  /// False: these are enough.
  bool end() noexcept
  {
    times_.push_back((now() - begun_).count());
    return times_.size() < kHops;
  }
  double ns() { return median(times_); }

private:
  Time begun_{};
  std::vector<std::int64_t> times_;
};

struct First final : Callback
{
  using Callback::Callback;
  void run(const Run &) override
  {
    hops->begin();
    executor->ready(*next);
  }
  Hops * hops = nullptr;
  Executor * executor = nullptr;
  Callback * next = nullptr;
};

struct Second final : Callback
{
  using Callback::Callback;
  void run(const Run &) override
  {
    if (hops->end()) {
      executor->ready(*again);
    } else {
      executor->cancel();
    }
  }
  Hops * hops = nullptr;
  Executor * executor = nullptr;
  Callback * again = nullptr;
};

template <typename Kind>
std::shared_ptr<Kind> make(const std::string & id)
{
  CallbackOptions options;
  options.id = id;
  return std::make_shared<Kind>(options);
}

void core_hop(benchmark::State & state, bool in_sequence)
{
  for (auto _ : state) {
    Hops hops;
    auto executor = std::move(*Executor::create({}));
    const auto first = make<First>("first");
    const auto second = make<Second>("second");
    first->hops = second->hops = &hops;
    first->executor = second->executor = executor.get();
    first->next = second.get();
    second->again = first.get();
    Binding of_first;
    Binding of_second;
    if (in_sequence) {
      of_first.sequence = SequencePlace{0, 0};
      of_second.sequence = SequencePlace{0, 1};
    }
    if (!executor->add(first, of_first).ok() || !executor->add(second, of_second).ok()) {
      state.SkipWithError("the executor refuses a callback");
      return;
    }
    executor->ready(*first);
    if (!executor->spin().ok()) {
      state.SkipWithError("the executor did not start");
      return;
    }
    state.counters["ns"] = hops.ns();
  }
}

using Bytes = std_msgs::msg::UInt8MultiArray;

takt_schedule::Schedule schedule(bool in_sequence)
{
  std::string text = "version: 1\nexecutors:\n  main:\n    threads: {t: {}}\n    default: t\n";
  if (in_sequence) {
    text += "    sequences: [[\"/hop:sub(/hop/first)\", \"/hop:sub(/hop/second)\"]]\n";
  }
  return takt_schedule::parse_schedule(text, "schedule").value();
}

/// A callback that gets a message of `size` bytes publishes another one, which its successor gets
/// by pointer.
void client_hop(benchmark::State & state, bool in_sequence, std::size_t size)
{
  for (auto _ : state) {
    Hops hops;
    const auto context = std::make_shared<takt_rcl::Context>();
    takt_rcl::InitOptions init;
    init.shutdown_on_signal = false;
    init.configure_logging = false;
    context->init(0, nullptr, init);
    takt_rcl::NodeOptions options;
    options.context(context).use_intra_process_comms(true).enable_rosout(false);
    const auto node = std::make_shared<takt_rcl::Node>("hop", options);
    auto executor = takt_rcl::Executor::from_schedule(context, schedule(in_sequence), "main");
    const auto to_first = node->create_publisher<Bytes>("/hop/first", 4);
    const auto to_second = node->create_publisher<Bytes>("/hop/second", 4);
    Bytes prototype;
    prototype.data.resize(size);
    to_first->prepare(prototype);
    to_second->prepare(prototype);
    const auto first = node->create_subscription<Bytes>("/hop/first", 4, [&](const Bytes &) {
      auto message = to_second->borrow();
      message->data.resize(size);
      hops.begin();
      to_second->publish(std::move(message));
    });
    const auto second = node->create_subscription<Bytes>("/hop/second", 4, [&](const Bytes &) {
      if (hops.end()) {
        to_first->publish(to_first->borrow());
      } else {
        executor.cancel();
      }
    });
    executor.add_node(node);
    if (
      !to_first->wait_for_matched(1, std::chrono::seconds(30)) ||
      !to_second->wait_for_matched(1, std::chrono::seconds(30))) {
      state.SkipWithError("the middleware did not match the nodes' publishers and subscriptions");
      return;
    }
    to_first->publish(to_first->borrow());
    executor.spin();
    state.counters["ns"] = hops.ns();
  }
}

void clock_read(benchmark::State & state)
{
  for (auto _ : state) {
    std::vector<std::int64_t> times;
    times.reserve(kHops);
    for (std::size_t i = 0; i < kHops; ++i) {
      const Time begin = now();
      times.push_back((now() - begin).count());
    }
    state.counters["ns"] = median(times);
  }
}

}  // namespace

int main(int argc, char ** argv)
{
  const auto add = [](const std::string & name, auto function, auto... arguments) {
    benchmark::RegisterBenchmark(name.c_str(), function, arguments...)->Iterations(1);
  };
  add("clock_read", clock_read);
  add("core_sequence", core_hop, true);
  add("core_queue", core_hop, false);
  add("pointer_sequence_64", client_hop, true, std::size_t{64});
  add("pointer_sequence_8MiB", client_hop, true, kLargest);
  add("pointer_queue_64", client_hop, false, std::size_t{64});
  return takt_bench::run(
    argc, argv,
    {{"core_sequence", "", 50, "hop of a sequence, takt_core, beside a look at the clock",
      "clock_read"},
     {"pointer_sequence_8MiB", "pointer_sequence_64", 1.2, "hop by pointer, 8 MiB / 64 B"},
     {"pointer_sequence_64", "pointer_queue_64", 1.0, "hop by pointer, sequence / ready queue"}});
}
