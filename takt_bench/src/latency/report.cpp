#include "latency/report.hpp"

#include <algorithm>

#include "takt_rt/fault.hpp"

namespace takt_bench::latency
{

namespace
{

using nlohmann::ordered_json;

constexpr int kVersion = 1;

ordered_json attributes_json(const takt_rt::ThreadAttributes & attributes)
{
  return {
    {"policy", to_string(attributes.policy)},
    {"priority", attributes.priority},
    {"words", takt_rt::format_policy(attributes)},
    {"cores", attributes.cores}};
}

ordered_json cycles_json(const Cycles & cycles)
{
  const takt_rt::LogHistogram & latencies = cycles.latencies;
  ordered_json buckets = ordered_json::array();
  latencies.for_each_bucket([&](std::int64_t lower, std::int64_t upper, std::uint64_t count) {
    // The last bucket has no upper edge.
    buckets.push_back({lower, std::min(upper, latencies.max()), count});
  });
  return {{"count", latencies.count()},          {"min_ns", latencies.min()},
          {"max_ns", latencies.max()},           {"sum_ns", cycles.sum_ns.value()},
          {"overruns", cycles.overruns.value()}, {"buckets", std::move(buckets)}};
}

ordered_json thread_json(const CyclicThread & thread, std::optional<int> core)
{
  const takt_rt::AttributeReport & attributes = thread.report();
  const CycleStatistics & statistics = thread.statistics();
  return {
    {"core", core ? ordered_json(*core) : ordered_json()},
    {"asked", attributes_json(attributes.asked)},
    {"granted", attributes_json(attributes.granted)},
    {"at_end", attributes_json(thread.at_end())},
    {"refused", sentences(attributes.faults)},
    {"accounted", statistics.accounted},
    {"early_wake_ups", statistics.early_wake_ups.value()},
    {"minor_faults", thread.page_faults().minor},
    {"major_faults", thread.page_faults().major},
    {"ordinary", cycles_json(statistics.ordinary)},
    {"held_up", cycles_json(statistics.held_up)}};
}

}  // namespace

nlohmann::ordered_json report(const Measurement & all)
{
  const Setting & setting = all.setting;
  ordered_json threads = ordered_json::array();
  for (std::size_t number = 0; number < all.threads.size(); ++number) {
    const bool bound = setting.policy != takt_rt::Policy::deadline;
    threads.push_back(thread_json(
      *all.threads[number], bound ? std::optional(setting.cores[number]) : std::nullopt));
  }
  return {
    {"version", kVersion},
    {"policy", to_string(setting.policy)},
    {"interval_ns", setting.interval.count()},
    {"duration_ns", setting.duration.count()},
    {"measured_ns", all.elapsed.count()},
    {"ended_early", all.ended_early},
    {"load", setting.load},
    {"memory_locked", all.memory_locked},
    {"refused", refusals(all)},
    {"threads", std::move(threads)}};
}

std::string progress_line(const Progress & progress, const Setting & setting)
{
  return ordered_json{
           {"elapsed_s", std::chrono::duration<double>(progress.elapsed).count()},
           {"of_s", std::chrono::duration<double>(setting.duration).count()},
           {"cycles", progress.cycles},
           {"worst_ns", progress.worst_ns},
           {"overruns", progress.overruns}}
           .dump() +
         "\n";
}

std::vector<std::string> refusals(const Measurement & all)
{
  takt_rt::Faults faults;
  for (const auto & thread : all.threads) {
    faults.insert(faults.end(), thread->report().faults.begin(), thread->report().faults.end());
  }
  faults.insert(faults.end(), all.load_faults.begin(), all.load_faults.end());
  faults.insert(faults.end(), all.memory_faults.begin(), all.memory_faults.end());
  std::vector<std::string> each;
  for (std::string & sentence : sentences(faults)) {
    if (std::find(each.begin(), each.end(), sentence) == each.end()) {
      each.push_back(std::move(sentence));
    }
  }
  return each;
}

}  // namespace takt_bench::latency
