#include "report/host_stalls_json.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "saturating.hpp"
#include "stalls/host_stalls.hpp"
#include "takt_trace/stall_index.hpp"

namespace takt_trace::detail
{
namespace
{

using nlohmann::ordered_json;

constexpr std::size_t kMostStalls = 2000;

struct SeenStall
{
  std::string host;
  std::uint32_t core = 0;
  std::int64_t begin = 0;  ///< in the shared clock
  std::int64_t end = 0;
  bool throttled = false;

  std::int64_t length() const { return saturating_subtract(end, begin); }
};

class HostStalls
{
public:
  HostStalls(const RunIndex & index, std::int64_t began) : began_(began)
  {
    for (std::size_t process = 0; process < index.processes().size(); ++process) {
      const LongTrace & own = index.processes()[process];
      hosts_of_[own.pid].insert(own.host);
      if (own.witnessed) {
        spans_[own.host];
      }
      for (const LongThread & thread : own.threads) {
        for (const Record & record : thread.records) {
          if (record.kind == RecordKind::host_stall && record.a <= record.b) {
            add(index, process, record);
          }
        }
      }
    }
    for (auto & [host, spans] : spans_) {
      spans = merged(std::move(spans));
    }
  }

  bool witnessed() const { return !spans_.empty(); }

  /// All stalls; if there are too many, the longest.
  ordered_json list()
  {
    std::stable_sort(stalls_.begin(), stalls_.end(), [](const SeenStall & a, const SeenStall & b) {
      return a.length() > b.length();
    });
    stalls_.resize(std::min(stalls_.size(), kMostStalls));
    std::stable_sort(stalls_.begin(), stalls_.end(), [](const SeenStall & a, const SeenStall & b) {
      return std::tie(a.begin, a.host, a.core) < std::tie(b.begin, b.host, b.core);
    });
    ordered_json all = ordered_json::array();
    for (const SeenStall & stall : stalls_) {
      all.push_back(
        {{"host", stall.host},
         {"core", stall.core},
         {"begin_ns", saturating_subtract(stall.begin, began_)},
         {"end_ns", saturating_subtract(stall.end, began_)},
         {"by_kernel", stall.throttled}});
    }
    return all;
  }

  /// The stall time of an activation in the document.
  ordered_json time_in(const ordered_json & activation) const
  {
    std::set<std::string> hosts;
    for (const ordered_json & step : activation["steps"]) {
      const auto found = hosts_of_.find(step["pid"].get<std::int64_t>());
      if (found != hosts_of_.end()) {
        hosts.insert(found->second.begin(), found->second.end());
      }
    }
    const auto from =
      takt_rt::from_ns(saturating_add(activation["release_ns"].get<std::int64_t>(), began_));
    const auto to =
      takt_rt::from_ns(saturating_add(activation["end_ns"].get<std::int64_t>(), began_));
    bool known = false;
    std::int64_t sum = 0;
    for (const std::string & host : hosts) {
      const auto spans = spans_.find(host);
      if (spans == spans_.end()) {
        continue;
      }
      known = true;
      for (const TimeSpan & span : spans->second) {
        const std::int64_t begin = takt_rt::to_ns(std::max(span.begin, from));
        const std::int64_t end = takt_rt::to_ns(std::min(span.end, to));
        sum = begin < end ? saturating_add(sum, saturating_subtract(end, begin)) : sum;
      }
    }
    return known ? ordered_json(sum) : ordered_json(nullptr);
  }

private:
  void add(const RunIndex & index, std::size_t process, const Record & record)
  {
    const std::string & host = index.processes()[process].host;
    const SeenStall stall{
      host, record.id, index.shared(process, record.a), index.shared(process, record.b),
      is_throttled(record)};
    auto & spans = spans_[host];
    if (!stall.throttled) {
      spans.push_back({takt_rt::from_ns(stall.begin), takt_rt::from_ns(stall.end)});
    }
    stalls_.push_back(stall);
  }

  const std::int64_t began_;
  std::vector<SeenStall> stalls_;
  std::map<std::string, std::vector<TimeSpan>> spans_;      // by host, for hosts that were watched
  std::map<std::int64_t, std::set<std::string>> hosts_of_;  // by the process's number
};

}  // namespace

void add_host_stalls(const RunIndex & index, std::int64_t began, ordered_json & document)
{
  HostStalls stalls(index, began);
  document["host_stalls"] = stalls.witnessed() ? stalls.list() : ordered_json(nullptr);
  for (ordered_json & chain : document["chains"]) {
    for (ordered_json & activation : chain["worst"]) {
      activation["host_stall_ns"] = stalls.time_in(activation);
    }
  }
}

}  // namespace takt_trace::detail
