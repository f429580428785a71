// Traces of a chain of two callbacks, small enough to follow by eye.
#ifndef SUPPORT__CHAIN_TRACES_HPP_
#define SUPPORT__CHAIN_TRACES_HPP_

#include <string>
#include <utility>
#include <vector>

#include "traces.hpp"

namespace takt_trace::test
{

constexpr std::uint32_t kRoot = 0, kLast = 1, kSibling = 2, kNoise = 3;  // callbacks

/// A process of the host "here" with a thread for each list. The chain "hot" goes from callback 0
/// to callback 1, with a deadline of 90 ns. Callback 2 is in the group and the node of callback 1,
/// callback 3 in neither.
inline ProcessTrace chain_process(std::vector<std::vector<Record>> threads)
{
  ProcessTrace trace = process_of(std::move(threads));
  trace.callbacks = {
    {"/a:timer(1s)", "timer", "/a:g", "main"},
    {"/b:sub(/points)", "subscription", "/b:g", "main"},
    {"/b:sub(/obstacles)", "subscription", "/b:g", "main"},
    {"/n:timer(1s)", "timer", "/n:g", "main"}};
  trace.chains = {{"hot", 1, 90, {"/a:timer(1s)", "/b:sub(/points)"}}};
  return trace;
}

/// The root's run: it is released at 100 and picked at 110. It starts at 112, publishes at 130 and
/// ends at 140.
inline std::vector<Record> root_run(int core = -1)
{
  return {
    run_start(112, kRoot, 100, 0, 0, core), publish(130, 0, {7, 1}), run_end(140, kRoot, 110)};
}

/// The last callback's run: its message arrives at 150. It starts 5 ns after its pick, and ends 30
/// ns after its pick.
inline std::vector<Record> last_run(
  std::int64_t picked, int core = -1, std::vector<Record> measured = {}, std::int64_t cpu = 0,
  std::int64_t take_cpu = 0)
{
  const std::int64_t end = picked + 30;
  std::vector<Record> records{
    take(picked + 1, kLast, {7, 1}), run_start(picked + 5, kLast, 150, 0, 0, core),
    chain_end(end, 0, 100)};
  records.insert(records.end(), measured.begin(), measured.end());
  records.push_back(run_end(end, kLast, picked, cpu, take_cpu));
  return records;
}

/// Another run, from pick to end.
inline std::vector<Record> other_run(
  std::uint32_t callback, std::int64_t picked, std::int64_t end, int core = -1)
{
  return {run_start(picked, callback, 1, 0, 0, core), run_end(end, callback, picked)};
}

inline std::vector<Record> operator+(std::vector<Record> one, const std::vector<Record> & other)
{
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

}  // namespace takt_trace::test

#endif  // SUPPORT__CHAIN_TRACES_HPP_
