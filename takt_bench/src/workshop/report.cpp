#include "workshop/report.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "takt_rt/json_values.hpp"

namespace takt_bench::workshop
{

using nlohmann::ordered_json;
using takt_rt::or_null;

namespace
{

constexpr int kVersion = 1;

/// A stall that ended longer ago than this did not make a timer's callback late.
constexpr takt_rt::Duration kNear = std::chrono::microseconds(300);

/// Whether the host made a start of the timer late at one of the period's ends. Nothing between
/// them changes its length.
bool period_held_up(const takt_trace::StallIndex & stalls_when_due, const Sample & sample)
{
  return stalls_when_due.overlaps(sample.begin - kNear, sample.begin) ||
         stalls_when_due.overlaps(sample.end - kNear, sample.end);
}

struct Figures
{
  ordered_json begins = ordered_json::array();
  ordered_json durations = ordered_json::array();
  ordered_json held_up = ordered_json::array();
};

/// The slices of all logs by owner and name, in the order of names.
ordered_json slices_json(const Found & found)
{
  const takt_trace::StallIndex when_due(found.stalls_when_due);
  ordered_json all = ordered_json::array();
  for (const SliceLog & log : found.logs) {
    const takt_trace::StallIndex stalls = found.stalls_of(log);
    std::map<Slice, Figures> by_slice;
    for (const Sample & sample : log.samples()) {
      if (sample.begin < found.from || sample.begin >= found.to) {
        continue;
      }
      Figures & figures = by_slice[sample.slice];
      figures.begins.push_back((sample.begin - found.from).count());
      figures.durations.push_back((sample.end - sample.begin).count());
      figures.held_up.push_back(
        sample.slice == Slice::period ? period_held_up(when_due, sample)
                                      : stalls.overlaps(sample.begin, sample.end));
    }
    for (auto & [slice, figures] : by_slice) {
      all.push_back(
        {{"name", name_of(slice)},
         {"owner", log.owner()},
         {"begins_ns", std::move(figures.begins)},
         {"durations_ns", std::move(figures.durations)},
         {"held_up", std::move(figures.held_up)}});
    }
  }
  return all;
}

std::vector<std::string> each_once(const takt_rt::Faults & faults)
{
  std::vector<std::string> each;
  for (std::string & sentence : sentences(faults)) {
    if (std::find(each.begin(), each.end(), sentence) == each.end()) {
      each.push_back(std::move(sentence));
    }
  }
  return each;
}

}  // namespace

ordered_json report(const Setting & setting, const Found & found, const std::string & trace)
{
  std::uint64_t without_room = 0;
  for (const SliceLog & log : found.logs) {
    without_room += log.without_room();
  }
  return {
    {"version", kVersion},
    {"exercise", setting.exercise},
    {"variant", setting.variant},
    {"duration_ns", setting.duration.count()},
    {"cores", setting.cores},
    {"stress", setting.stress},
    {"refused", each_once(found.refused)},
    {"stalls_seen", found.stalls_seen},
    {"stalls_without_room", found.stalls_without_room},
    {"overruns", found.overruns},
    {"overruns_in_stalls", found.overruns_in_stalls},
    {"dropped", or_null<ordered_json>(found.dropped)},
    {"allocations", or_null<ordered_json>(found.allocations)},
    {"without_room", without_room},
    {"slices", slices_json(found)},
    {"trace", trace}};
}

}  // namespace takt_bench::workshop
