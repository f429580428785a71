// Traces that tests give.
#ifndef SUPPORT__TRACES_HPP_
#define SUPPORT__TRACES_HPP_

#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "takt_trace/trace.hpp"

namespace takt_trace::test
{

inline Record run_start(
  std::int64_t time, std::uint32_t callback, std::int64_t release = 0, std::int64_t deadline = 0,
  std::uint32_t skipped = 0, int core = -1)
{
  return {time, RecordKind::run_start, callback, release, deadline, start_facts(skipped, core)};
}

inline Record run_end(
  std::int64_t time, std::uint32_t callback, std::int64_t picked, std::int64_t cpu = 0,
  std::int64_t take_cpu = 0)
{
  return {time, RecordKind::run_end, callback, picked, cpu, take_cpu};
}

inline Record kernel_wait(
  std::int64_t time, std::uint32_t callback, std::int64_t before, std::int64_t inside,
  std::int64_t switches = 0)
{
  return {time, RecordKind::kernel_wait, callback, before, inside, switches};
}

struct Message
{
  std::int64_t publisher = 0;
  std::int64_t sequence = 0;
  std::int64_t source_time = 0;
};

inline Record take(std::int64_t time, std::uint32_t callback, const Message & message)
{
  return {
    time, RecordKind::take, callback, message.publisher, message.sequence, message.source_time};
}

inline Record publish(std::int64_t time, std::uint32_t topic, const Message & message)
{
  return {
    time, RecordKind::publish, topic, message.publisher, message.sequence, message.source_time};
}

inline Record chain_end(std::int64_t time, std::uint32_t chain, std::int64_t release)
{
  return {time, RecordKind::chain_end, chain, release, 0, 0};
}

inline Record span_begin(std::int64_t time, std::uint32_t name)
{
  return {time, RecordKind::span_begin, name, 0, 0, 0};
}

inline Record span_end(std::int64_t time)
{
  return {time, RecordKind::span_end, 0, 0, 0, 0};
}

inline Record instant(std::int64_t time, std::uint32_t name)
{
  return {time, RecordKind::instant, name, 0, 0, 0};
}

inline Record counter(std::int64_t time, std::uint32_t name, double value)
{
  return {time, RecordKind::counter, name, std::bit_cast<std::int64_t>(value), 0, 0};
}

inline Record slice(std::int64_t time, std::uint32_t name, std::int64_t begin, std::int64_t end)
{
  return {time, RecordKind::slice, name, begin, end, 0};
}

inline Record of_callback(std::int64_t time, RecordKind kind, std::uint32_t callback)
{
  return {time, kind, callback, 0, 0, 0};
}

inline Record callback_state(
  std::int64_t time, std::uint32_t callback, std::int64_t waiting, std::int64_t priority,
  std::int64_t overwritten)
{
  return {time, RecordKind::callback_state, callback, waiting, priority, overwritten};
}

inline Record host_stall(
  std::uint32_t core, std::int64_t begin, std::int64_t end, bool by_kernel = false)
{
  return {end, RecordKind::host_stall, core, begin, end, by_kernel ? 1 : 0};
}

/// A process of the host "here" with these threads, and with names:
/// callbacks 0 "/lidar:timer(100ms)", 1 "/filter:sub(/points)", 2 "/brake:sub(/obstacles)", 3
/// "/brake:sub(stop)"; chain 0 "see" without a deadline, 1 "brake" with one of 10 ms; topics 0
/// "/points", 1 "/obstacles"; names 0 "load", 1 "sort", 2 "level".
inline ProcessTrace process_of(std::vector<std::vector<Record>> threads)
{
  ProcessTrace trace;
  trace.pid = 100;
  trace.program = "/opt/robot/lib/pipeline";
  trace.host = "here";
  trace.callbacks = {
    {"/lidar:timer(100ms)", "timer", "g", "main"},
    {"/filter:sub(/points)", "subscription", "g", "main"},
    {"/brake:sub(/obstacles)", "subscription", "g", "main"},
    {"/brake:sub(stop)", "subscription", "g", "main"}};
  trace.chains = {{"see", 1, 0, {}}, {"brake", 2, 10'000'000, {}}};
  trace.topics = {"/points", "/obstacles"};
  trace.names = {"load", "sort", "level"};
  for (std::vector<Record> & records : threads) {
    const auto number = static_cast<std::int64_t>(trace.threads.size());
    trace.threads.push_back(
      {100 + number, "worker" + std::to_string(number), "main", 0, std::move(records)});
  }
  return trace;
}

}  // namespace takt_trace::test

#endif  // SUPPORT__TRACES_HPP_
