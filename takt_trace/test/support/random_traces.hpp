// Random traces: any records, and threads as programs record them.
#ifndef SUPPORT__RANDOM_TRACES_HPP_
#define SUPPORT__RANDOM_TRACES_HPP_

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "seen.hpp"
#include "traces.hpp"

namespace takt_trace::test
{

inline std::uint64_t rounds(std::uint64_t slice)
{
  const char * const factor = std::getenv("TAKT_TEST_ROUNDS");
  return slice * (factor != nullptr ? std::strtoull(factor, nullptr, 10) : 1);
}

inline std::uint32_t seed()
{
  const char * const text = std::getenv("TAKT_TEST_SEED");
  return text != nullptr ? static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10)) : 1;
}

/// Random records, which fit together only by chance.
class AnyTraces
{
public:
  /// `any_times`: also times that no clock has.
  AnyTraces(std::mt19937 & random, bool any_times) : random_(random), any_times_(any_times) {}

  std::vector<ProcessTrace> next()
  {
    std::vector<ProcessTrace> processes(below(4));
    for (ProcessTrace & process : processes) {
      std::vector<std::vector<Record>> threads(below(4));
      for (std::vector<Record> & records : threads) {
        records = next_records();
      }
      process = process_of(std::move(threads));
      process.pid = pick({0, 1, 2, 7'000'000});
      process.host = below(4) == 0 ? "there" : "here";
      process.to_boottime = any_times_ ? time() : below(100);
      process.to_realtime = any_times_ ? time() : 1'700'000'000'000'000'000 + below(100);
      process.ended = below(2) == 0 ? 0 : time();
      process.names[1] = "so\xffrt \"\\\n\x01";
      process.callbacks[1].id += std::string("\0\xc3", 2);
      for (TracedThread & thread : process.threads) {
        thread.tid = pick({0, 1, 2, 3});
        thread.dropped = below(2);
      }
    }
    return processes;
  }

private:
  std::int64_t below(std::int64_t end)
  {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(end));
  }

  std::int64_t pick(const std::vector<std::int64_t> & from)
  {
    return from[static_cast<std::size_t>(below(static_cast<std::int64_t>(from.size())))];
  }

  std::int64_t time()
  {
    using Limits = std::numeric_limits<std::int64_t>;
    if (any_times_ && below(10) == 0) {
      return pick({Limits::min(), Limits::min() + 1, -1, 0, Limits::max() - 1, Limits::max()});
    }
    return below(200);
  }

  std::vector<Record> next_records()
  {
    std::vector<Record> records(static_cast<std::size_t>(below(60)));
    std::int64_t now = 1 + below(20);
    std::uint32_t id = 0;
    for (Record & record : records) {
      record.kind = static_cast<RecordKind>(below(kMostRecordKind + 2));
      if (below(2) == 0) {  // otherwise the time of the record before
        id = static_cast<std::uint32_t>(below(20) == 0 ? below(1LL << 32) : below(5));
      }
      record.id = id;
      now += below(6);
      record.time = below(20) == 0 ? time() : now;
      record.a = below(3) == 0 ? time() : pick({0, 1, 2, now, now - 5, now - 10});
      record.b = below(3) == 0 ? time() : pick({0, 1, 2, 3, now + 5});
      record.c = below(10) == 0 ? time() : below(3) << 32 | below(3);
      if (record.kind == RecordKind::take || record.kind == RecordKind::publish) {
        record.a = below(3);
        record.b = below(5);
        record.c = below(3);
      }
    }
    return records;
  }

  std::mt19937 & random_;
  const bool any_times_;
};

/// One thread of a program: nested runs with spans and publishes. Times grow.
class ProgramThread
{
public:
  explicit ProgramThread(std::mt19937 & random) : random_(random) {}

  void run_for(int steps)
  {
    for (int i = 0; i < steps; ++i) {
      random_() % 3 == 0 ? span(0) : run(0);
    }
  }

  std::vector<Record> records;
  std::vector<SeenSlice> runs, spans;  // those that a viewer must show

private:
  std::int64_t tick() { return now_ += 1 + static_cast<std::int64_t>(random_() % 5); }

  void inside(int depth)
  {
    for (auto parts = random_() % 4; parts > 0; --parts) {
      switch (random_() % (depth < 3 ? 5 : 3)) {
        case 0:
          records.push_back(publish(tick(), 0, {7, ++sequence_, 0}));
          break;
        case 1:
          records.push_back(instant(tick(), 0));
          break;
        case 2:
          records.push_back(counter(tick(), 2, 1));
          break;
        case 3:
          span(depth + 1);
          break;
        default:
          run(depth + 1);
      }
    }
  }

  void run(int depth)
  {
    const auto callback = static_cast<std::uint32_t>(random_() % 3);
    const std::int64_t picked = tick();  // recorders name a run by this time or by its start
    if (sequence_ > 0) {
      records.push_back(take(tick(), callback, {7, sequence_, 0}));
    }
    const std::int64_t start = tick();
    records.push_back(run_start(start, callback, picked));
    inside(depth);
    const std::int64_t end = tick();
    records.push_back(chain_end(end, 0, picked));
    records.push_back(run_end(end, callback, random_() % 2 == 0 ? picked : start));
    runs.push_back(seen(kCallbacks[callback], start, end));
  }

  void span(int depth)
  {
    const auto name = static_cast<std::uint32_t>(random_() % 2);
    const std::int64_t begin = tick();
    records.push_back(span_begin(begin, name));
    inside(depth);
    const std::int64_t end = tick();
    records.push_back(span_end(end));
    spans.push_back(seen(name == 0 ? "load" : "sort", begin, end));
  }

  static SeenSlice seen(const std::string & name, std::int64_t begin, std::int64_t end)
  {
    return {name, static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(end)};
  }

  static constexpr const char * kCallbacks[] = {
    "/lidar:timer(100ms)", "/filter:sub(/points)", "/brake:sub(/obstacles)"};

  std::mt19937 & random_;
  std::int64_t now_ = 1000;
  std::int64_t sequence_ = 0;
};

}  // namespace takt_trace::test

#endif  // SUPPORT__RANDOM_TRACES_HPP_
