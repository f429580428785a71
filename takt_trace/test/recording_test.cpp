// Records of real executors and of other threads of the program, read back from the files.
#include "takt_trace/recording.hpp"
#include "support/of_kind.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <bit>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <thread>

#include "takt_core/executor.hpp"
#include "takt_trace/trace_file.hpp"
#include "takt_trace/tracer.hpp"

namespace
{
thread_local std::uint64_t t_allocations = 0;
}

// NOLINTBEGIN: they replace the library's
void * operator new(std::size_t size)
{
  ++t_allocations;
  if (void * const memory = std::malloc(size)) {
    return memory;
  }
  throw std::bad_alloc();
}
void operator delete(void * memory) noexcept
{
  std::free(memory);
}
void operator delete(void * memory, std::size_t) noexcept
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
using takt_core::Run;

const Tracer tracer;

/// Counts calls, and wakes waiting threads when the count is high enough.
class Counter
{
public:
  void tell()
  {
    const std::lock_guard lock(mutex_);
    ++count_;
    told_.notify_all();
  }
  void wait_for(int count)
  {
    std::unique_lock lock(mutex_);
    wait_until(lock, count);
  }
  void wait_for_more(int count)
  {
    std::unique_lock lock(mutex_);
    wait_until(lock, count_ + count);
  }

private:
  void wait_until(std::unique_lock<std::mutex> & lock, int count)
  {
    EXPECT_TRUE(told_.wait_for(lock, std::chrono::minutes(2), [&] { return count_ >= count; }))
      << "after two minutes " << count_ << " of " << count << " runs are told";
  }

  std::mutex mutex_;
  std::condition_variable told_;
  int count_ = 0;
};

class Work : public takt_core::Callback
{
public:
  Work(takt_core::CallbackOptions options, std::function<void()> function)
  : Callback(std::move(options)),
    function_(std::move(function))
  {
  }
  void run(const Run &) override { function_(); }

private:
  const std::function<void()> function_;
};

/// A timer that makes a subscription ready, which ends a chain.
class Pair
{
public:
  explicit Pair(const std::string & name)
  {
    takt_core::ExecutorOptions options;
    options.name = name;
    options.threads.resize(2);
    options.threads[0].attributes.name = "first";
    options.threads[1].attributes.name = "second";
    executor = std::move(*Executor::create(std::move(options)));
    EXPECT_TRUE(executor->add_observer(run_recorder(name)).ok());
    takt_core::CallbackOptions sub;
    sub.id = "/b:sub(/x)";
    sub.kind = Kind::subscription;
    subscription = std::make_shared<Work>(sub, [this] {
      record_take({{77}, sequence, 5});
      ended.tell();
    });
    takt_core::CallbackOptions timer;
    timer.id = "/a:timer(1ms)";
    timer.kind = Kind::timer;
    timer.timer = takt_core::TimerOptions{milliseconds(1), {}, {}, true};
    root = std::make_shared<Work>(timer, [this] {
      const auto span = tracer.span("work");
      record_publish(topic_id("/x"), {{77}, ++sequence, 0});
      executor->ready(*subscription, 1);
    });
    takt_core::Binding first;
    first.threads = 1;
    takt_core::Binding second;
    second.threads = 2;
    EXPECT_TRUE(executor->add(subscription, second).ok());
    EXPECT_TRUE(executor->add(root, first).ok());
    takt_core::ChainOptions chain;
    chain.name = "hot";
    chain.path = {"/a:timer(1ms)", "/b:sub(/x)"};
    chain.deadline = std::chrono::seconds(10);
    EXPECT_TRUE(executor->reconfigure({.more_chains = {chain}}).ok());
  }
  ~Pair() { stop(); }
  Pair(const Pair &) = delete;
  Pair & operator=(const Pair &) = delete;

  void start() { ASSERT_TRUE(executor->start().ok()); }
  void stop()
  {
    executor->cancel();
    executor->wait();
  }

  std::unique_ptr<Executor> executor;
  std::shared_ptr<Work> root, subscription;
  std::atomic<std::uint64_t> sequence{0};
  Counter ended;
};

/// The time for which the calling thread was ready without a core; empty: the kernel does not count
/// it.
std::optional<std::int64_t> waited_ns()
{
  std::ifstream file("/proc/thread-self/schedstat");
  std::int64_t on_core = 0, waited = 0, times = 0;
  file >> on_core >> waited >> times;
  return times > 0 ? std::optional(waited) : std::nullopt;
}

class Recording : public testing::Test
{
protected:
  Recording()
  {
    std::string folder = testing::TempDir() + "recording.XXXXXX";
    options.folder = ::mkdtemp(folder.data());
  }
  ~Recording() override { std::filesystem::remove_all(options.folder); }

  void start()
  {
    const auto started = start_recording(options);
    ASSERT_TRUE(started.ok()) << started.faults().front();
  }
  ProcessTrace stop()
  {
    file = *stop_recording();
    return read_traces(file.path)->front();
  }

  RecordingOptions options;
  RecordingFile file;
};

const TracedThread * thread_of(const ProcessTrace & trace, const std::string & name)
{
  for (const TracedThread & thread : trace.threads) {
    if (thread.name == name) {
      return &thread;
    }
  }
  return nullptr;
}

std::size_t count(const TracedThread & thread, RecordKind kind)
{
  std::size_t sum = 0;
  for (const Record & record : thread.records) {
    sum += record.kind == kind ? 1 : 0;
  }
  return sum;
}

TEST_F(Recording, HasEveryRunMessageAndActivationOfAnExecutorThatRunsAlready)
{
  Pair pair("main");
  pair.start();
  pair.ended.wait_for(3);
  start();
  pair.ended.wait_for_more(60);
  pair.stop();
  const ProcessTrace trace = stop();
  EXPECT_EQ(trace.pid, ::getpid());
  EXPECT_GT(trace.ended, trace.began);
  EXPECT_EQ(file.dropped, 0U);
  const TracedThread * const first = thread_of(trace, "first");
  const TracedThread * const second = thread_of(trace, "second");
  ASSERT_TRUE(first != nullptr && second != nullptr);
  EXPECT_EQ(first->executor, "main");
  EXPECT_GE(count(*first, RecordKind::run_end), 50U);
  // A trace may begin within a run.
  EXPECT_LE(count(*first, RecordKind::span_begin), count(*first, RecordKind::publish));
  EXPECT_GE(count(*first, RecordKind::span_begin) + 1, count(*first, RecordKind::publish));
  EXPECT_LE(count(*second, RecordKind::run_start), count(*second, RecordKind::run_end));
  EXPECT_GE(count(*second, RecordKind::run_start) + 1, count(*second, RecordKind::run_end));
  EXPECT_EQ(count(*second, RecordKind::chain_end), count(*second, RecordKind::run_end));
  ASSERT_EQ(trace.chains.size(), 1U);
  EXPECT_EQ(trace.chains[0].deadline, 10'000'000'000);
  std::int64_t before = 0;
  for (const Record & record : second->records) {
    EXPECT_GE(record.time, before);
    before = record.time;
    if (record.kind == RecordKind::run_start || record.kind == RecordKind::run_end) {
      ASSERT_LT(record.id, trace.callbacks.size());
      EXPECT_EQ(trace.callbacks[record.id].id, "/b:sub(/x)");
      EXPECT_EQ(trace.callbacks[record.id].kind, "subscription");
    }
    if (record.kind == RecordKind::chain_end) {
      EXPECT_GE(record.time - record.a, 0);
      EXPECT_LT(record.time - record.a, 10'000'000'000);
    }
  }
  for (const Record & record : first->records) {
    if (record.kind == RecordKind::publish) {
      EXPECT_EQ(trace.topics.at(record.id), "/x");
    } else if (record.kind == RecordKind::span_begin) {
      EXPECT_EQ(trace.names.at(record.id), "work");
    }
  }
}

TEST_F(Recording, MeasuresCpuTimesWhereThatIsAsked)
{
  for (const bool asked : {false, true}) {
    options.cpu_times = asked;
    Pair pair("main");
    pair.start();
    start();
    pair.ended.wait_for_more(30);
    pair.stop();
    const ProcessTrace trace = stop();
    std::size_t measured = 0, ended = 0;
    for (const TracedThread & thread : trace.threads) {
      for (const Record & record : thread.records) {
        if (record.kind == RecordKind::run_end) {
          ++ended;
          measured += record.b > 0 ? 1 : 0;
          EXPECT_EQ(record.c > 0, record.b > 0);
          EXPECT_LE(record.c, record.b) << "the take is a part of the run";
          EXPECT_GT(record.a, 0);
          EXPECT_LE(record.b, record.time - record.a + 1'000'000);
        }
      }
    }
    EXPECT_GT(ended, 20U);
    // Runs that were in progress when the recording began have no CPU time.
    EXPECT_GE(measured, asked ? ended - 2 : 0);
    EXPECT_LE(measured, asked ? ended : 0);
  }
}

TEST_F(Recording, RunsTellTheCoreOnWhichTheyStart)
{
  Pair pair("main");
  pair.start();
  start();
  pair.ended.wait_for_more(10);
  pair.stop();
  for (const Record & record : of_kind(stop(), RecordKind::run_start)) {
    EXPECT_GE(core_of(record), 0);
    EXPECT_LT(core_of(record), ::sysconf(_SC_NPROCESSORS_CONF));
  }
}

TEST_F(Recording, AsksTheKernelWhereThatIsWantedAndOnlyThere)
{
  if (!waited_ns()) {
    GTEST_SKIP() << "the kernel does not count";
  }
  for (const bool asked : {true, false, true}) {
    options.kernel = asked;
    Pair pair("main");
    pair.start();
    start();
    pair.ended.wait_for_more(30);
    pair.stop();
    const ProcessTrace trace = stop();
    for (const TracedThread & thread : trace.threads) {
      std::size_t ended = 0, told = 0, first = 0;
      for (std::size_t i = 0; i < thread.records.size(); ++i) {
        const Record & record = thread.records[i];
        ended += record.kind == RecordKind::run_end ? 1 : 0;
        if (record.kind == RecordKind::kernel_wait) {
          ++told;
          ASSERT_LT(i + 1, thread.records.size());
          const Record & end = thread.records[i + 1];
          EXPECT_EQ(end.kind, RecordKind::run_end);
          EXPECT_EQ(end.id, record.id);
          EXPECT_GE(record.b, 0);
          EXPECT_GE(record.a, -1);
          first += record.a < 0 ? 1 : 0;
        }
      }
      // A run that was in progress when the recording began has no kernel figures.
      EXPECT_GE(told + 1, asked ? ended : 0);
      EXPECT_LE(told, asked ? ended : 0);
      EXPECT_LE(first, asked ? 1U : 0U) << "only of the first one nothing tells the run before";
    }
  }
}

TEST_F(Recording, TheKernelCountsTheWaitForACoreAndTheSleepsOfARun)
{
  if (!waited_ns()) {
    GTEST_SKIP() << "the kernel does not count";
  }
  const std::vector<int> one_core{takt_rt::usable_cores().front()};
  options.kernel = true;
  takt_core::ExecutorOptions with_core;
  with_core.threads.resize(1);
  with_core.threads[0].attributes.cores = one_core;
  auto executor = std::move(*Executor::create(std::move(with_core)));
  ASSERT_TRUE(executor->add_observer(run_recorder("main")).ok());
  Counter ran;
  takt_core::CallbackOptions sleeps;
  sleeps.id = "/sleeps:waitable(w)";
  const auto sleeper = std::make_shared<Work>(sleeps, [&] {
    std::this_thread::sleep_for(milliseconds(1));
    ran.tell();
  });
  takt_core::CallbackOptions shares;
  shares.id = "/shares:waitable(w)";
  std::atomic<bool> running{true};
  // Works until the other thread of its core has run.
  const auto sharer = std::make_shared<Work>(shares, [&] {
    const std::int64_t before = *waited_ns();
    while (*waited_ns() - before < 1'000'000) {
    }
    ran.tell();
  });
  ASSERT_TRUE(executor->add(sleeper).ok());
  ASSERT_TRUE(executor->add(sharer).ok());
  std::thread other([&] {
    takt_rt::ThreadAttributes same;
    same.cores = one_core;
    EXPECT_TRUE(takt_rt::apply(same).granted.cores == same.cores);
    while (running) {
    }
  });
  ASSERT_TRUE(executor->start().ok());
  start();
  executor->ready(*sleeper, 1);
  executor->ready(*sharer, 1);
  ran.wait_for(2);
  executor->cancel();
  executor->wait();
  running = false;
  other.join();
  const ProcessTrace trace = stop();
  const auto waits = of_kind(trace, RecordKind::kernel_wait);
  ASSERT_EQ(waits.size(), 2U);
  EXPECT_GE(waits[0].c >> 32, 1) << "it slept";
  EXPECT_GE(waits[1].b, 1'000'000) << "the core was another thread's meanwhile";
}

TEST_F(Recording, SaysHowWellTheRealtimeClockIsKept)
{
  start();
  const auto clock = stop().realtime_clock;
  ASSERT_TRUE(clock);
  EXPECT_GE(clock->max_error, clock->estimated_error);
  EXPECT_GE(clock->estimated_error, 0);
}

TEST_F(Recording, IsOneAtATimeAndSaysSo)
{
  EXPECT_FALSE(recording());
  EXPECT_FALSE(stop_recording().ok());
  EXPECT_FALSE(snapshot_recording().ok());
  start();
  EXPECT_TRUE(recording());
  EXPECT_FALSE(start_recording(options).ok());
  stop();
  EXPECT_FALSE(recording());
  options.records = 1000;
  EXPECT_FALSE(start_recording(options).ok());
  options.records = 16384;
  options.folder = "/nowhere";
  const auto refused = start_recording(options);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(to_string(refused.faults().front()).find("/nowhere/"), std::string::npos);
  EXPECT_FALSE(recording());
}

TEST_F(Recording, HasWhatTheProgramToldOnAThreadOfItsOwn)
{
  start();
  std::thread([] {
    const takt_rt::Time begin = takt_rt::now();
    {
      const auto outer = tracer.span("outer");
      const auto inner = tracer.span("inner");
      tracer.counter("clusters", 2.5);
    }
    tracer.instant("done");
    tracer.slice("all of it", begin, takt_rt::now());
  }).join();
  const ProcessTrace trace = stop();
  ASSERT_EQ(trace.threads.size(), 1U);
  const auto & records = trace.threads[0].records;
  std::vector<RecordKind> kinds;
  for (const Record & record : records) {
    kinds.push_back(record.kind);
  }
  using enum RecordKind;
  ASSERT_EQ(
    kinds, (std::vector{span_begin, span_begin, counter, span_end, span_end, instant, slice}));
  EXPECT_EQ(trace.names.at(records[1].id), "inner");
  EXPECT_EQ(std::bit_cast<double>(records[2].a), 2.5);
  EXPECT_LE(records[6].a, records[0].time);
  EXPECT_GE(records[6].b, records[4].time);
}

TEST_F(Recording, CountsWhatAFullRingLosesAndNeverWaits)
{
  options.records = RecordingOptions::kLeastRecords;
  start();
  constexpr std::uint64_t kMany = 200'000;
  std::thread([] {
    for (std::uint64_t i = 0; i < kMany; ++i) {
      tracer.instant("often");
    }
  }).join();
  const ProcessTrace trace = stop();
  ASSERT_EQ(trace.threads.size(), 1U);
  EXPECT_GT(file.dropped, 0U);
  EXPECT_EQ(file.records + file.dropped, kMany);
  EXPECT_EQ(trace.threads[0].records.size(), file.records);
}

TEST_F(Recording, AFlightRecorderKeepsTheLastOnesAndGoesOnAfterASnapshot)
{
  options.last = std::chrono::hours(1);
  options.records = RecordingOptions::kLeastRecords;
  start();
  Counter told, more, end;
  std::thread thread([&] {
    for (int i = 0; i < 5000; ++i) {
      tracer.counter("number", i);
    }
    told.tell();
    more.wait_for(1);
    tracer.instant("after the snapshot");
    told.tell();
    end.wait_for(1);
  });
  told.wait_for(1);
  const auto snapshot = snapshot_recording();
  ASSERT_TRUE(snapshot.ok()) << snapshot.faults().front();
  const ProcessTrace first = read_traces(snapshot->path)->front();
  ASSERT_EQ(first.threads.size(), 1U);
  const auto & records = first.threads[0].records;
  ASSERT_EQ(records.size(), RecordingOptions::kLeastRecords);
  EXPECT_EQ(std::bit_cast<double>(records.back().a), 4999);
  EXPECT_EQ(std::bit_cast<double>(records.front().a), 5000 - 1024);
  EXPECT_EQ(first.began, records.front().time) << "of earlier times something is lost";
  EXPECT_EQ(first.ended, 0);
  more.tell();
  told.wait_for(2);
  const ProcessTrace second = stop();
  end.tell();
  thread.join();
  ASSERT_EQ(second.threads.size(), 1U);
  EXPECT_EQ(second.names.at(second.threads[0].records.back().id), "after the snapshot");
  EXPECT_NE(second.ended, 0);
}

TEST_F(Recording, AFlightRecorderDropsWhatIsTooOld)
{
  options.last = std::chrono::nanoseconds(1);
  start();
  std::thread([] { tracer.instant("long ago"); }).join();
  EXPECT_TRUE(stop().threads.empty());
}

TEST_F(Recording, BeginsAnewEachTimeAndFollowsThreadsThatComeAndGo)
{
  for (int round = 0; round < 20; ++round) {
    start();
    for (int i = 0; i < 5; ++i) {
      std::thread([] { tracer.instant("here"); }).join();
    }
    const ProcessTrace trace = stop();
    EXPECT_EQ(trace.threads.size(), 5U) << round;
    EXPECT_EQ(file.records, 5U);
    EXPECT_EQ(std::set<std::string>(trace.names.begin(), trace.names.end()).count("here"), 1U);
  }
}

TEST_F(Recording, AllocatesNothingOnAPreparedThread)
{
  start();
  std::uint64_t allocated = 1;
  std::thread([&] {
    tracer.instant("prepares the thread");
    static_cast<void>(topic_id("/known"));
    const std::uint64_t before = t_allocations;
    for (std::uint32_t i = 0; i < 1000; ++i) {
      const auto span = tracer.span("a");
      tracer.counter("b", static_cast<std::int64_t>(i));
      record_publish(topic_id("/known"), {{1}, i, 0});
      record_take({{1}, i, 0});
    }
    allocated = t_allocations - before;
  }).join();
  stop();
  EXPECT_EQ(allocated, 0U);
}

TEST_F(Recording, KnowsOneTopicByOneNumberFromAnyThread)
{
  std::map<std::uint32_t, int> seen;
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        const std::uint32_t id = topic_id("/many/" + std::to_string(i));
        const std::lock_guard lock(mutex);
        ++seen[id];
      }
    });
  }
  for (std::thread & thread : threads) {
    thread.join();
  }
  EXPECT_EQ(seen.size(), 500U);
  for (const auto & [id, times] : seen) {
    EXPECT_EQ(times, 4) << id;
  }
}

}  // namespace
}  // namespace takt_trace
