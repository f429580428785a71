// Trace files of any size, as programs record them: two processes, a chain across them and one
// within the first process, states, spans, counters, lost messages and skipped periods. The same
// number of periods gives the same file.
#ifndef SUPPORT__LARGE_TRACES_HPP_
#define SUPPORT__LARGE_TRACES_HPP_

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "takt_trace/trace_file.hpp"
#include "traces.hpp"

namespace takt_trace::test
{

/// Bytes of one period, in both processes.
inline constexpr std::size_t kBytesOfPeriod = 690;

class LargeTrace
{
public:
  explicit LargeTrace(std::int64_t periods) : periods_(periods) {}

  void write(std::ostream & out) const
  {
    out << TraceEncoder::header();
    write_process(out, sender(), {&LargeTrace::add_lidar, &LargeTrace::add_filter});
    out << TraceEncoder::next_process();
    write_process(out, taker(), {&LargeTrace::add_brake});
  }

private:
  using Add = void (LargeTrace::*)(std::int64_t period, std::vector<Record> & records) const;

  static constexpr std::int64_t kBegan = 1'000'000'000, kPeriod = 1'000'000;
  static constexpr std::int64_t kPeriodsOfChunk = 500;

  static ProcessTrace process(std::int64_t pid, const std::string & program)
  {
    ProcessTrace trace;
    trace.pid = pid;
    trace.program = "/opt/" + program;
    trace.host = "robot";
    trace.to_realtime = 1'700'000'000'000'000'000;
    trace.to_boottime = 5'000'000'000;
    trace.began = kBegan;
    return trace;
  }

  ProcessTrace sender() const
  {
    ProcessTrace trace = process(11, "sensors");
    trace.ended = at(periods_);
    trace.callbacks = {
      {"/lidar:timer(1ms)", "timer", "/lidar:group(1)", "front"},
      {"/filter:sub(/points)", "subscription", "/filter:group(1)", "front"}};
    trace.chains = {{"inside", 3, 700'000, {"/lidar:timer(1ms)", "/filter:sub(/points)"}}};
    trace.topics = {"/points", "/objects"};
    trace.names = {"segment", "points"};
    trace.threads = {{111, "front0", "front", 0, {}}, {112, "front1", "front", 0, {}}};
    return trace;
  }

  ProcessTrace taker() const
  {
    ProcessTrace trace = process(12, "control");
    trace.ended = at(periods_);
    trace.callbacks = {{"/brake:sub(/objects)", "subscription", "/brake:group(1)", "rear"}};
    trace.chains = {
      {"across",
       7,
       1'200'000,
       {"/lidar:timer(1ms)", "/filter:sub(/points)", "/brake:sub(/objects)"}}};
    trace.names = {"full"};
    trace.threads = {{121, "rear0", "rear", 0, {}}};
    return trace;
  }

  void write_process(
    std::ostream & out, const ProcessTrace & trace, const std::vector<Add> & threads) const
  {
    TraceEncoder encoder;
    out << encoder.names(trace);
    for (std::int64_t from = 0; from < periods_; from += kPeriodsOfChunk) {
      for (std::uint32_t thread = 0; thread < threads.size(); ++thread) {
        std::vector<Record> records;
        for (auto period = from; period < std::min(from + kPeriodsOfChunk, periods_); ++period) {
          (this->*threads[thread])(period, records);
        }
        out << TraceEncoder::records(thread, 0, records);
      }
    }
  }

  static std::int64_t at(std::int64_t period) { return kBegan + period * kPeriod; }
  /// A number from 0 to `most`, which differs by period and use.
  static std::int64_t any(std::int64_t period, std::uint64_t use, std::int64_t most)
  {
    std::uint64_t mixed = (static_cast<std::uint64_t>(period) * 16 + use) * 0x9e3779b97f4a7c15ULL;
    mixed = (mixed ^ mixed >> 29U) * 0xbf58476d1ce4e5b9ULL;
    return static_cast<std::int64_t>(mixed >> 20U) % (most + 1);
  }
  static bool is_skipped(std::int64_t period) { return period % 997 == 996; }
  static bool is_lost(std::int64_t period) { return is_skipped(period) || period % 499 == 3; }

  void add_lidar(std::int64_t period, std::vector<Record> & records) const
  {
    if (is_skipped(period)) {
      return;
    }
    const std::int64_t start = at(period) + 10'000 + any(period, 0, 40'000);
    const std::int64_t end = start + 100'000 + any(period, 1, 50'000);
    records.push_back(run_start(
      start, 0, at(period), at(period + 1), is_skipped(period + 1) ? 1 : 0,
      static_cast<int>(period % 2)));
    records.push_back(span_begin(start + 1000, 0));
    records.push_back(span_end(start + 60'000));
    if (period % 4 == 0) {
      records.push_back(counter(start + 70'000, 1, static_cast<double>(any(period, 2, 9000))));
    }
    records.push_back(publish(start + 80'000, 0, {7001, period + 1, 0}));
    records.push_back(kernel_wait(end, 0, any(period, 3, 4000), any(period, 4, 9000), 1LL << 32));
    records.push_back(run_end(end, 0, start - 2000, 90'000 + any(period, 5, 9000), 900));
  }

  void add_filter(std::int64_t period, std::vector<Record> & records) const
  {
    if (is_lost(period)) {
      return;
    }
    const std::int64_t start = at(period) + 220'000 + any(period, 6, 80'000);
    const std::int64_t end = start + 200'000 + any(period, 7, 150'000);
    const std::int64_t sent = at(period) + 90'000 + any(period, 0, 40'000);
    records.push_back({start - 1000, RecordKind::take, UINT32_MAX, 7001, period + 1, 0});
    records.push_back(run_start(start, 1, sent + 5000, 0, 0, static_cast<int>((period + 1) % 2)));
    records.push_back(publish(end - 5000, 1, {7002, period + 1, at(period) + 77}));
    records.push_back(chain_end(end, 0, at(period)));
    records.push_back(kernel_wait(end, 1, -1, any(period, 8, 20'000)));
    records.push_back(run_end(end, 1, start - 2000, 190'000 + any(period, 9, 9000), 900));
  }

  void add_brake(std::int64_t period, std::vector<Record> & records) const
  {
    if (is_lost(period) || period % 211 == 5) {
      return;
    }
    const std::int64_t start = at(period) + 680'000 + any(period, 10, 100'000);
    const std::int64_t end = start + 50'000 + any(period, 11, 50'000);
    if (period % 8 == 0) {
      records.push_back(
        {start, RecordKind::callback_state, 0, any(period, 12, 4), 7, period / 211});
    }
    records.push_back({start - 1000, RecordKind::take, UINT32_MAX, 0, 0, at(period) + 77});
    records.push_back(run_start(start, 0, start - 30'000, at(period) + 1'200'000));
    if (period % 4 == 0) {
      records.push_back(instant(start + 10'000, 0));
    }
    records.push_back(kernel_wait(end, 0, any(period, 13, 9000), any(period, 14, 9000)));
    records.push_back(run_end(end, 0, start - 2000, 45'000 + any(period, 15, 9000), 900));
  }

  const std::int64_t periods_;
};

}  // namespace takt_trace::test

#endif  // SUPPORT__LARGE_TRACES_HPP_
