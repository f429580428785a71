#include "control_loop/report.hpp"

#include <algorithm>

#include "takt_rt/fault.hpp"
#include "takt_trace/stall_index.hpp"

namespace takt_bench::control_loop
{

using nlohmann::ordered_json;

namespace
{

constexpr int kVersion = 1;

ordered_json histogram_json(const takt_rt::LogHistogram & all)
{
  ordered_json buckets = ordered_json::array();
  all.for_each_bucket([&](std::int64_t lower, std::int64_t upper, std::uint64_t count) {
    buckets.push_back({lower, std::min(upper, all.max()), count});  // the last has no upper edge
  });
  return {
    {"count", all.count()},
    {"min_ns", all.min()},
    {"max_ns", all.max()},
    {"buckets", std::move(buckets)}};
}

}  // namespace

ordered_json loop_json(const LoopSetting & setting, const Found & found)
{
  const Account & account = found.account;
  ordered_json late = ordered_json::array();
  for (const Late & one : account.late) {
    late.push_back(
      {{"begin_ns", takt_rt::to_ns(one.begin)},
       {"began_ns", takt_rt::to_ns(one.began)},
       {"end_ns", takt_rt::to_ns(one.end)},
       {"waited_ns", one.thread.waited.count()},
       {"switches", one.thread.switches},
       {"misses", one.misses}});
  }
  const std::int64_t releases = account.wake_ups.count() == 0
                                  ? 0
                                  : (account.last_release - account.first_release) / kPeriod + 1;
  return {
    {"version", kVersion},
    {"period_ns", kPeriod.count()},
    {"work_ns", setting.work.count()},
    {"expected", setting.duration / kPeriod},
    {"releases", releases},
    {"skipped", account.skipped},
    {"misses", account.misses},
    {"unrecorded", account.unrecorded},
    {"late", std::move(late)},
    {"wake_ups", histogram_json(account.wake_ups)},
    {"responses", histogram_json(account.responses)},
    {"policy", takt_rt::format_policy(found.attributes)},
    {"cores", found.attributes.cores},
    {"minor_faults", found.page_faults.minor},
    {"major_faults", found.page_faults.major},
    {"notes", takt_rt::sentences(found.notes)}};
}

ordered_json stalls_json(
  int core, const takt_trace::StallWitness & witness, const std::vector<takt_trace::Stall> & stalls)
{
  ordered_json spans = ordered_json::array();
  for (const takt_trace::TimeSpan & span : takt_trace::host_spans(stalls)) {
    spans.push_back({takt_rt::to_ns(span.begin), takt_rt::to_ns(span.end)});
  }
  return {
    {"version", kVersion},
    {"core", core},
    {"blind", witness.blind() ? takt_rt::to_string(*witness.blind()) : std::string()},
    {"unrecorded", witness.unrecorded()},
    {"spans_ns", std::move(spans)}};
}

}  // namespace takt_bench::control_loop
