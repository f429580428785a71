#include "takt_rt/log/logger.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <latch>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "takt_rt/allocation_guard.hpp"

namespace takt_rt
{
namespace
{

using namespace std::chrono_literals;

struct Line
{
  LogLevel level;
  std::string thread;
  std::string text;
  std::uint64_t suppressed;
  Time time;
  std::int64_t unix_ns;
};

/// Keeps what the background thread writes; read it after a flush.
struct Kept
{
  LoggerOptions options(std::size_t records = 256)
  {
    LoggerOptions all;
    all.records = records;
    all.sink = [this](const LogLine & line) {
      const std::lock_guard lock(mutex);
      lines.push_back(
        {line.level, std::string(line.thread), std::string(line.text), line.suppressed, line.time,
         line.unix_ns});
    };
    return all;
  }
  std::vector<std::string> texts()
  {
    const std::lock_guard lock(mutex);
    std::vector<std::string> all;
    for (const Line & line : lines) {
      all.push_back(line.text);
    }
    return all;
  }
  std::mutex mutex;
  std::vector<Line> lines;
};

// A sink that logs to its own logger keeps the ring from ever being empty.
TEST(Logger, FlushEndsAlthoughLinesComeFasterThanTheSinkWrites)
{
  std::unique_ptr<Logger> logger;
  std::atomic<bool> busy{true};
  LoggerOptions options;
  options.records = 16;
  options.sink = [&](const LogLine &) {
    if (busy.load()) {
      TAKT_RT_LOG(*logger, info, "again");
    }
  };
  logger = std::make_unique<Logger>(options);
  TAKT_RT_LOG(*logger, info, "first");
  logger->flush();
  EXPECT_GE(logger->written(), 1u);
  busy.store(false);
  logger->flush();
}

TEST(LogLimit, APeriodWithoutEndAllowsOneLine)
{
  LogLimit limit;
  std::uint64_t suppressed = 0;
  EXPECT_TRUE(limit.is_due(now(), kForever, suppressed));
  EXPECT_FALSE(limit.is_due(now(), kForever, suppressed));
}

TEST(Logger, WritesNumbersAndStringsAsPrintf)
{
  Kept kept;
  Logger logger(kept.options());
  enum Valve
  {
    inlet = 2
  };
  {
    std::string gone = "short-lived";
    TAKT_RT_LOG(logger, info, "no arguments, 100%%");
    TAKT_RT_LOG(logger, warn, "%d %u %.2f %c %s", -1, 2U, 2.5F, 'x', gone.c_str());
    TAKT_RT_LOG(logger, error, "%s and %s: %lld", "one", gone.c_str(), 1LL << 40);
    TAKT_RT_LOG(logger, error, "%d %hhd", inlet, static_cast<signed char>(-3));
    const char * const none = nullptr;
    TAKT_RT_LOG(logger, error, "%s|", none);
    gone.assign(gone.size(), '#');
  }
  logger.flush();
  EXPECT_EQ(
    kept.texts(), (std::vector<std::string>{
                    "no arguments, 100%", "-1 2 2.50 x short-lived",
                    "one and short-lived: 1099511627776", "2 -3", "(null)|"}));
  EXPECT_EQ(logger.written(), 5U);
  EXPECT_EQ(logger.dropped(), 0U);
}

// The string ends where a page ends that nobody may read behind.
TEST(Logger, ReadsNoFurtherThanThePrecisionSays)
{
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void * const memory =
    ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  ASSERT_EQ(::mprotect(static_cast<char *>(memory) + page, page, PROT_NONE), 0);
  char * const text = static_cast<char *>(memory) + page - 4;
  std::memcpy(text, "abcd", 4);
  Kept kept;
  Logger logger(kept.options());
  TAKT_RT_LOG(logger, info, "%.*s|", 4, text);
  TAKT_RT_LOG(logger, info, "%.4s|", text);
  TAKT_RT_LOG(logger, info, "%d%% %-*s %.*s %+.2f %.2s", 7, 3, "x", 2, text, 1.5, text);
  TAKT_RT_LOG(logger, info, "%.s|%.*s", text, -1, "whole");
  logger.flush();
  EXPECT_EQ(
    kept.texts(), (std::vector<std::string>{"abcd|", "abcd|", "7% x   ab +1.50 ab", "|whole"}));
  ::munmap(memory, 2 * page);
}

TEST(Logger, FindsThePrecisionsOfAFormat)
{
  constexpr int kNone = LogPrecisions::kNone;
  constexpr auto found = log_precisions("%5.3s %*.*s %lld%% %.2f %s");
  static_assert(found.at[0] == 3);
  static_assert(found.at[3] == LogPrecisions::kFromPlace - 2, "the width and the precision");
  static_assert(found.at[4] == kNone && found.at[5] == kNone && found.at[6] == kNone);
  static_assert(log_precisions("%1$.2s").at[0] == kNone);
  static_assert(log_precisions("%").at[0] == kNone);
}

TEST(Logger, CutsStringsThatDoNotFit)
{
  Kept kept;
  Logger logger(kept.options());
  const std::string longer(200, 'x');
  TAKT_RT_LOG(logger, info, "%s%s%d", longer.c_str(), "second", 7);
  logger.flush();
  ASSERT_EQ(kept.texts().size(), 1U);
  const std::string text = kept.texts()[0];
  EXPECT_EQ(text, std::string(text.size() - 1, 'x') + "7") << "the second string has no room";
  EXPECT_GE(text.size(), 50U);
}

TEST(Logger, SaysWhenAndOnWhichThread)
{
  Kept kept;
  Logger logger(kept.options());
  const Time before = now();
  std::latch written(1);
  std::thread thread([&] {
    apply({.name = "speaker"});
    TAKT_RT_LOG(logger, warn, "hello");
    written.wait();  // the name is looked up when the line is written
  });
  while (logger.written() == 0) {
    std::this_thread::yield();
  }
  written.count_down();
  thread.join();
  const std::lock_guard lock(kept.mutex);
  ASSERT_EQ(kept.lines.size(), 1U);
  EXPECT_EQ(kept.lines[0].thread, "speaker");
  EXPECT_EQ(kept.lines[0].level, LogLevel::warn);
  EXPECT_GE(kept.lines[0].time, before);
  EXPECT_LE(kept.lines[0].time, now());
  EXPECT_GT(kept.lines[0].unix_ns, 1'600'000'000'000'000'000);
}

TEST(Logger, OmitsLevelsBelowItsOwn)
{
  Kept kept;
  Logger logger(kept.options());
  int calls = 0;
  const auto counted = [&] { return ++calls; };
  TAKT_RT_LOG(logger, debug, "%d", counted());
  EXPECT_EQ(calls, 0) << "arguments of an omitted line are not computed";
  logger.set_level(LogLevel::debug);
  TAKT_RT_LOG(logger, debug, "%d", counted());
  logger.set_level(LogLevel::error);
  TAKT_RT_LOG(logger, warn, "%d", counted());
  logger.flush();
  EXPECT_EQ(kept.texts(), (std::vector<std::string>{"1"}));
}

/// A sink that waits in its first line until the test lets it go.
struct Held
{
  LoggerOptions options(std::size_t records)
  {
    LoggerOptions all = kept.options(records);
    all.sink = [this, next = all.sink](const LogLine & line) {
      in_sink.count_down();
      go_on.wait();
      next(line);
    };
    return all;
  }
  Kept kept;
  std::latch in_sink{1};
  std::latch go_on{1};
};

TEST(Logger, DropsWhatDoesNotFitAndSaysHowManyItDropped)
{
  Held held;
  LoggerOptions options = held.options(4);
  auto sink = options.sink;
  bool first = true;
  options.sink = [&, sink](const LogLine & line) {
    if (std::exchange(first, false)) {
      sink(line);
      return;
    }
    held.kept.lines.push_back(
      {line.level, "", std::string(line.text), line.suppressed, line.time, line.unix_ns});
  };
  {
    Logger logger(options);
    TAKT_RT_LOG(logger, info, "held");
    held.in_sink.wait();  // the queue is empty, and the background thread is busy
    for (int i = 0; i < 7; ++i) {
      TAKT_RT_LOG(logger, info, "%d", i);
    }
    EXPECT_EQ(logger.dropped(), 3U);
    held.go_on.count_down();
  }  // writes what waits
  EXPECT_EQ(
    held.kept.texts(),
    (std::vector<std::string>{"held", "0", "1", "2", "3", "3 log lines were dropped"}));
}

TEST(Logger, GoesOnAfterAnExceptionOfTheSink)
{
  LoggerOptions options;
  int calls = 0;
  options.sink = [&calls](const LogLine &) {
    if (++calls == 1) {
      throw std::runtime_error("disk full");
    }
  };
  Logger logger(options);
  TAKT_RT_LOG(logger, info, "one");
  TAKT_RT_LOG(logger, info, "two");
  logger.flush();
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(logger.sink_failures(), 1U);
}

TEST(Logger, KeepsTheOrderOfEachThread)
{
  constexpr int kThreads = 4;
  constexpr int kLines = 5000;
  Kept kept;
  Logger logger(kept.options(1024));
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&logger, i] {
      for (int line = 0; line < kLines; ++line) {
        TAKT_RT_LOG(logger, info, "%d %d %s", i, line, "a text that must come whole");
      }
    });
  }
  for (std::thread & thread : threads) {
    thread.join();
  }
  logger.flush();
  std::map<int, int> last;
  std::uint64_t lines = 0;
  for (const std::string & text : kept.texts()) {
    int thread = 0;
    int line = 0;
    char rest[64] = "";
    if (std::sscanf(text.c_str(), "%d %d %63[^\n]", &thread, &line, rest) != 3) {
      continue;  // the count of dropped lines
    }
    EXPECT_STREQ(rest, "a text that must come whole");
    EXPECT_GE(line, last[thread]);
    last[thread] = line;
    ++lines;
  }
  EXPECT_EQ(lines + logger.dropped(), static_cast<std::uint64_t>(kThreads * kLines));
}

TEST(LogLimit, LetsOneLineThroughInEachPeriod)
{
  LogLimit limit;
  std::uint64_t suppressed = 99;
  const Time start{1h};
  EXPECT_TRUE(limit.is_due(start, 1s, suppressed));
  EXPECT_EQ(suppressed, 0U);
  for (int i = 1; i < 10; ++i) {
    EXPECT_FALSE(limit.is_due(start + i * 100ms, 1s, suppressed));
  }
  EXPECT_TRUE(limit.is_due(start + 1s, 1s, suppressed));
  EXPECT_EQ(suppressed, 9U);
  EXPECT_FALSE(limit.is_due(start + 1s, 1s, suppressed));
  EXPECT_TRUE(limit.is_due(start + 5s, 1s, suppressed));
  EXPECT_EQ(suppressed, 1U);
}

TEST(LogLimit, CountsEachCallOfSeveralThreadsOnce)
{
  constexpr int kThreads = 4;
  constexpr int kCalls = 20000;
  LogLimit limit;
  std::atomic<std::uint64_t> counted{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int call = 0; call < kCalls; ++call) {
        std::uint64_t suppressed = 0;
        if (limit.is_due(Time{1h} + call * 1us, 100us, suppressed)) {
          counted += 1 + suppressed;
        }
      }
    });
  }
  for (std::thread & thread : threads) {
    thread.join();
  }
  std::uint64_t suppressed = 0;
  ASSERT_TRUE(limit.is_due(Time{2h}, 1us, suppressed));
  EXPECT_EQ(counted + suppressed, static_cast<std::uint64_t>(kThreads * kCalls));
}

TEST(Logger, ARateLimitedPlaceWritesOneLineInItsPeriod)
{
  Kept kept;
  Logger logger(kept.options());
  for (int i = 0; i < 5; ++i) {
    TAKT_RT_LOG_EVERY(logger, warn, 1h, "line %d", i);
  }
  logger.flush();
  EXPECT_EQ(kept.texts(), (std::vector<std::string>{"line 0"}));
}

TEST(Logger, ACallDoesNotAllocate)
{
  if (!kWatches) {
    GTEST_SKIP() << "sanitizers bring an allocator of their own";
  }
  Kept kept;
  Logger logger(kept.options());
  std::uint64_t allocations = 0;
  {
    const AllocationGuard guard;
    TAKT_RT_LOG(logger, info, "%d %s %f", 1, "text", 2.0);
    TAKT_RT_LOG_EVERY(logger, info, 1s, "%d", 2);
    allocations = guard.allocations();
  }
  EXPECT_EQ(allocations, 0U);
  logger.flush();
  EXPECT_EQ(logger.written(), 2U);
}

TEST(WriteLogLine, HasTheFormOfRosLines)
{
  ::testing::internal::CaptureStderr();
  write_log_line(
    {Time{}, 1'764'422'719'000'000'042, LogLevel::warn, "control", "late by 3 us", "f.cpp", 7, 4});
  EXPECT_EQ(
    ::testing::internal::GetCapturedStderr(),
    "[WARN] [1764422719.000000042] [control]: late by 3 us (and 4 times before)\n");
}

}  // namespace
}  // namespace takt_rt
