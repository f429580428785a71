// Records of real executors besides runs: states of callbacks, parked callbacks, stalls of the
// host.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "states/last_state.hpp"
#include "support/of_kind.hpp"
#include "takt_core/executor.hpp"
#include "takt_rt/thread_attributes.hpp"
#include "takt_trace/recording.hpp"
#include "takt_trace/trace_file.hpp"

namespace
{
thread_local std::uint64_t t_allocations = 0;
}

// NOLINTBEGIN: they replace the library's
[[gnu::noinline]] void * operator new(std::size_t size)
{
  ++t_allocations;
  if (void * const memory = std::malloc(size)) {
    return memory;
  }
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void * memory) noexcept
{
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void * memory, std::size_t) noexcept
{
  std::free(memory);
}
// NOLINTEND

namespace takt_trace
{
namespace
{

using std::chrono::milliseconds;
using takt_core::Executor;
using takt_core::Kind;

class Work : public takt_core::Callback
{
public:
  Work(takt_core::CallbackOptions options, std::function<void()> function)
  : Callback(std::move(options)),
    function_(std::move(function))
  {
  }
  void run(const takt_core::Run &) override
  {
    function_();
    runs.fetch_add(1);
    runs.notify_all();
  }
  void wait_for(std::uint32_t count)
  {
    for (std::uint32_t now = runs.load(); now < count; now = runs.load()) {
      runs.wait(now);
    }
  }

  std::atomic<std::uint32_t> runs{0};

private:
  const std::function<void()> function_;
};

std::shared_ptr<Work> subscription(
  const std::string & id, std::function<void()> function = [] {},
  std::shared_ptr<takt_core::Group> group = {})
{
  takt_core::CallbackOptions options;
  options.id = id;
  options.kind = Kind::subscription;
  options.depth = 2;
  options.group = std::move(group);
  return std::make_shared<Work>(std::move(options), std::move(function));
}

class RecordingStates : public testing::Test
{
protected:
  RecordingStates()
  {
    std::string folder = testing::TempDir() + "states.XXXXXX";
    options.folder = folder_ = ::mkdtemp(folder.data());
  }
  ~RecordingStates() override { std::filesystem::remove_all(folder_); }

  void make(std::size_t threads)
  {
    takt_core::ExecutorOptions all;
    all.threads.resize(threads);
    executor = std::move(*Executor::create(std::move(all)));
    EXPECT_TRUE(executor->add_observer(run_recorder("main")).ok());
  }
  std::vector<std::string> start_recording_and_warn() const
  {
    const auto begun = start_recording(options);
    EXPECT_TRUE(begun.ok()) << begun.faults().front();
    return sentences(begun->warnings);
  }
  void end()
  {
    executor->cancel();
    executor->wait();
  }
  static ProcessTrace stop() { return read_traces(stop_recording()->path)->front(); }

  RecordingOptions options;
  std::unique_ptr<Executor> executor;

private:
  std::string folder_;
};

TEST_F(RecordingStates, AStateIsToldBeforeTheStartOfTheRunThatHasAnotherOne)
{
  make(1);
  // The number of messages that arrive during each run. The history keeps two.
  const std::vector<std::uint32_t> arrivals{5, 1, 0, 3, 0, 0};
  std::shared_ptr<Work> slow;
  slow = subscription("/slow:sub(/x)", [&] {
    if (const std::uint32_t messages = arrivals.at(slow->runs.load()); messages > 0) {
      executor->ready(*slow, messages);
    }
  });
  ASSERT_TRUE(executor->add(slow, {.priority = 7}).ok());
  EXPECT_TRUE(start_recording_and_warn().empty());
  ASSERT_TRUE(executor->start().ok());
  executor->ready(*slow, 1);
  slow->wait_for(static_cast<std::uint32_t>(arrivals.size()));
  end();
  const ProcessTrace trace = stop();
  std::vector<Record> states;
  std::vector<int> runs;  // number of runs before each state
  const auto & records = trace.threads.at(0).records;
  int run = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    run += records[i].kind == RecordKind::run_start ? 1 : 0;
    if (records[i].kind == RecordKind::callback_state) {
      states.push_back(records[i]);
      runs.push_back(run);
      EXPECT_EQ(trace.callbacks.at(records[i].id).id, "/slow:sub(/x)");
      EXPECT_EQ(records[i].b, 7);
      ASSERT_LT(i + 1, records.size());
      EXPECT_EQ(records[i + 1].kind, RecordKind::run_start);
      EXPECT_EQ(records[i + 1].id, records[i].id);
      EXPECT_EQ(records[i + 1].time, records[i].time);
    }
  }
  // Waiting and overwritten messages at each start: (0, 0), (1, 3), (1, 3), (0, 3), (1, 4), (0, 4).
  std::string told;
  for (const Record & state : states) {
    told += std::to_string(state.a) + "/" + std::to_string(state.c) + " ";
  }
  EXPECT_EQ(told, "0/0 1/3 0/3 1/4 0/4 ");
  EXPECT_EQ(runs, (std::vector<int>{0, 1, 3, 4, 5}));
}

TEST_F(RecordingStates, ATimerHasAPriorityAndNoMessages)
{
  make(1);
  takt_core::CallbackOptions timer;
  timer.id = "/a:timer(1ms)";
  timer.kind = Kind::timer;
  timer.timer = takt_core::TimerOptions{milliseconds(1), {}, {}, true};
  std::shared_ptr<Work> root;
  root = std::make_shared<Work>(timer, [&] {
    if (root->runs.load() == 4) {
      EXPECT_TRUE(executor->reconfigure({.callbacks = {{root, {.priority = 9}}}}).ok());
    }
  });
  ASSERT_TRUE(executor->add(root).ok());
  EXPECT_TRUE(start_recording_and_warn().empty());
  ASSERT_TRUE(executor->start().ok());
  root->wait_for(8);
  end();
  const auto states = of_kind(stop(), RecordKind::callback_state);
  ASSERT_EQ(states.size(), 2U);
  EXPECT_EQ(states[0].b, 0);
  EXPECT_EQ(states[1].b, 9);
  for (const Record & state : states) {
    EXPECT_EQ(state.a, 0);
    EXPECT_EQ(state.c, 0);
  }
}

TEST_F(RecordingStates, ACallbackIsParkedWhileItsGroupIsBusy)
{
  make(2);
  const auto group = std::make_shared<takt_core::Group>(takt_core::GroupKind::mutually_exclusive);
  const auto waits = subscription(
    "/waits:sub(/x)", [] {}, group);
  std::atomic<bool> may_end{false};
  const auto holds = subscription(
    "/holds:sub(/x)", [&] { may_end.wait(false); }, group);
  const auto after = subscription("/after:sub(/x)");
  ASSERT_TRUE(executor->add(waits).ok());
  ASSERT_TRUE(executor->add(holds).ok());
  ASSERT_TRUE(executor->add(after).ok());
  EXPECT_TRUE(start_recording_and_warn().empty());
  ASSERT_TRUE(executor->start().ok());
  executor->ready(*holds, 1);
  executor->ready(*waits, 1);
  executor->ready(*after, 1);  // the other thread has picked `waits` before this
  after->wait_for(1);
  may_end = true;
  may_end.notify_all();
  waits->wait_for(1);
  end();
  const ProcessTrace trace = stop();
  const auto parked = of_kind(trace, RecordKind::parked);
  ASSERT_EQ(parked.size(), 1U);
  EXPECT_EQ(trace.callbacks.at(parked[0].id).id, "/waits:sub(/x)");
}

TEST_F(RecordingStates, AllocateNothingOnTheExecutorsThread)
{
  make(1);
  std::uint64_t before = 0, after = 0;
  std::shared_ptr<Work> slow;
  slow = subscription("/slow:sub(/x)", [&] {
    const std::uint32_t run = slow->runs.load();
    before = run == 5 ? t_allocations : before;
    after = t_allocations;
    if (run < 500) {
      executor->ready(*slow, 4);
    }
  });
  ASSERT_TRUE(executor->add(slow).ok());
  EXPECT_TRUE(start_recording_and_warn().empty());
  ASSERT_TRUE(executor->start().ok());
  executor->ready(*slow, 1);
  slow->wait_for(501);
  end();
  EXPECT_GT(of_kind(stop(), RecordKind::callback_state).size(), 400U);
  EXPECT_EQ(after, before);
}

TEST(LastState, ChangesWithEachValueAndWithTheRecording)
{
  detail::LastState last;
  EXPECT_TRUE(last.changes(1, {0, 0, 0}));
  EXPECT_FALSE(last.changes(1, {0, 0, 0}));
  for (const detail::CallbackState & state :
       {detail::CallbackState{1, 0, 0}, {1, 255, 0}, {1, 255, 1}, {0, 255, 1}, {0, 0, 0}}) {
    EXPECT_TRUE(last.changes(1, state));
    EXPECT_FALSE(last.changes(1, state));
  }
  EXPECT_TRUE(last.changes(2, {0, 0, 0}));
  EXPECT_FALSE(last.changes(2, {0, 0, 0}));
  last.forget();
  EXPECT_TRUE(last.changes(2, {0, 0, 0})) << "of another callback";
  EXPECT_TRUE(last.changes(0xffff, {0, 0, 0}));
}

TEST_F(RecordingStates, AWitnessRecordsWhatHeldItsCoreUp)
{
  if (!takt_rt::may_use_realtime(99)) {
    GTEST_SKIP() << "no right to SCHED_FIFO 99";
  }
  const int core = takt_rt::usable_cores().back();
  options.stalls = true;
  EXPECT_TRUE(start_recording_and_warn().empty());
  takt_rt::Time begin{}, end{};
  // This thread has the same priority as the witness, so the witness is ready and waits.
  std::thread([&] {
    takt_rt::ThreadAttributes attributes;
    attributes.policy = takt_rt::Policy::fifo;
    attributes.priority = 99;
    attributes.cores = {core};
    ASSERT_TRUE(takt_rt::apply(attributes).granted_all());
    begin = takt_rt::now();
    while (takt_rt::now() < begin + milliseconds(40)) {
    }
    end = takt_rt::now();
  }).join();
  const ProcessTrace trace = stop();
  EXPECT_TRUE(trace.witnessed);
  std::int64_t held_up = 0;
  for (const Record & stall : of_kind(trace, RecordKind::host_stall)) {
    EXPECT_LE(stall.a, stall.b);
    EXPECT_EQ(stall.time, stall.b);
    const bool overlaps = stall.b > takt_rt::to_ns(begin) && stall.a < takt_rt::to_ns(end);
    if (overlaps && stall.c == 1 && stall.id == static_cast<std::uint32_t>(core)) {
      held_up += std::min(stall.b, takt_rt::to_ns(end)) - std::max(stall.a, takt_rt::to_ns(begin));
    }
  }
  EXPECT_GE(held_up, 20'000'000);
  for (const TracedThread & thread : trace.threads) {
    EXPECT_EQ(thread.name.find("witness."), 0U) << thread.name;
  }
}

TEST_F(RecordingStates, WithoutStallsNothingIsWitnessed)
{
  EXPECT_TRUE(start_recording_and_warn().empty());
  EXPECT_FALSE(stop().witnessed);
}

TEST_F(RecordingStates, AFailedStartLeavesNoWitness)
{
  RecordingOptions wrong = options;
  wrong.stalls = true;
  wrong.folder += "/nowhere";
  EXPECT_FALSE(start_recording(wrong).ok());
  EXPECT_TRUE(start_recording_and_warn().empty());
  EXPECT_FALSE(stop().witnessed);
}

}  // namespace
}  // namespace takt_trace
