#include "takt_trace/message_flow.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "callback_ids.hpp"
#include "saturating.hpp"

namespace takt_trace
{
namespace
{

using detail::saturating_add;
using Pair = std::pair<std::int64_t, std::int64_t>;

struct PairHash
{
  std::size_t operator()(const Pair & pair) const noexcept
  {
    const auto mixed = static_cast<std::uint64_t>(pair.first) * 0x9e3779b97f4a7c15ULL ^
                       static_cast<std::uint64_t>(pair.second);
    return std::hash<std::uint64_t>()(mixed * 0xbf58476d1ce4e5b9ULL);
  }
};

/// So long a message may be under way: a publish that was under way when its process began or ended its recording may
/// not be in the trace.
constexpr std::int64_t kUnderWay = 50'000'000;  // ns

constexpr std::int64_t kUnknownTopic = -1;  ///< the callback's id does not tell it
constexpr std::int64_t kOtherTopic = -2;    ///< no process of the traces has it

bool contradict(std::int64_t one, std::int64_t other)
{
  return one != 0 && other != 0 && one != other;
}

class Joiner
{
public:
  explicit Joiner(const std::vector<ProcessTrace> & processes) : processes_(processes) {}

  MessageFlows join()
  {
    for_each(RecordKind::publish, [this](const RecordPlace & place) { add_publish(place); });
    for (const ProcessTrace & process : processes_) {
      add_callbacks(process);
    }
    for_each(RecordKind::take, [this](const RecordPlace & place) {
      ++flows_.takes;
      if (const RecordPlace * const publish = publish_of(place)) {
        flows_.joined.push_back({*publish, place});
      }
    });
    return std::move(flows_);
  }

private:
  template <typename Function>
  void for_each(RecordKind kind, const Function & function) const
  {
    for (std::size_t process = 0; process < processes_.size(); ++process) {
      const auto & threads = processes_[process].threads;
      for (std::size_t thread = 0; thread < threads.size(); ++thread) {
        const auto & records = threads[thread].records;
        for (std::size_t record = 0; record < records.size(); ++record) {
          if (records[record].kind == kind) {
            function(RecordPlace{process, thread, record});
          }
        }
      }
    }
  }

  const Record & at(const RecordPlace & place) const
  {
    return processes_[place.process].threads[place.thread].records[place.record];
  }

  void add_publish(const RecordPlace & place)
  {
    ++flows_.publishes;
    const Record & publish = at(place);
    if (publish.a != 0 && publish.b != 0) {
      by_sequence_.emplace(Pair{publish.a, publish.b}, place);
    }
    if (publish.c != 0) {
      const auto & topics = processes_[place.process].topics;
      if (publish.id < topics.size()) {
        const auto number = static_cast<std::int64_t>(topics_.size());
        const auto topic = topics_.emplace(topics[publish.id], number).first->second;
        by_topic_.emplace(Pair{topic, publish.c}, place);
      }
      const auto [entry, is_new] = by_time_.emplace(publish.c, place);
      if (!is_new) {
        entry->second.reset();  // two publishes of the same nanosecond
      }
    }
  }

  /// Topics of the publishes are known by now.
  void add_callbacks(const ProcessTrace & process)
  {
    auto & topics = topics_of_callbacks_.emplace_back();
    for (const TracedCallback & callback : process.callbacks) {
      const std::string_view topic = detail::topic_in(callback.id);
      const auto known = topics_.find(std::string(topic));
      topics.push_back(
        topic.empty() ? kUnknownTopic : (known == topics_.end() ? kOtherTopic : known->second));
    }
  }

  const RecordPlace * publish_of(const RecordPlace & place) const
  {
    const Record & take = at(place);
    if (take.a != 0 && take.b != 0) {
      if (const auto found = by_sequence_.find({take.a, take.b}); found != by_sequence_.end()) {
        return &found->second;
      }
    }
    const RecordPlace * const publish = take.c != 0 ? publish_by_time(place, take) : nullptr;
    if (
      publish != nullptr &&
      (contradict(take.a, at(*publish).a) || contradict(take.b, at(*publish).b))) {
      return nullptr;
    }
    return publish;
  }

  const RecordPlace * publish_by_time(const RecordPlace & place, const Record & take) const
  {
    const auto & topics = topics_of_callbacks_[place.process];
    const std::int64_t topic = take.id < topics.size() ? topics[take.id] : kUnknownTopic;
    if (topic != kUnknownTopic) {
      const auto found = by_topic_.find({topic, take.c});
      return found != by_topic_.end() ? &found->second : nullptr;
    }
    const auto found = by_time_.find(take.c);
    return found != by_time_.end() && found->second ? &*found->second : nullptr;
  }

  const std::vector<ProcessTrace> & processes_;
  MessageFlows flows_;
  std::unordered_map<std::string, std::int64_t> topics_;
  std::vector<std::vector<std::int64_t>> topics_of_callbacks_;   // of each process
  std::unordered_map<Pair, RecordPlace, PairHash> by_sequence_;  // publisher, sequence number
  std::unordered_map<Pair, RecordPlace, PairHash> by_topic_;     // topic, source time
  std::unordered_map<std::int64_t, std::optional<RecordPlace>> by_time_;
};

/// The time in which all processes recorded, in CLOCK_REALTIME, with a margin at both ends.
struct RecordedByAll
{
  explicit RecordedByAll(const std::vector<ProcessTrace> & processes)
  {
    for (const ProcessTrace & trace : processes) {
      const auto realtime = [&](std::int64_t time, std::int64_t margin) {
        return saturating_add(saturating_add(time, trace.to_realtime), margin);
      };
      from = std::max(from, realtime(trace.began, kUnderWay));
      if (trace.ended != 0) {
        until = std::min(until, realtime(trace.ended, -kUnderWay));
      }
    }
  }
  bool contains(std::int64_t realtime) const { return from < realtime && realtime < until; }

  std::int64_t from = 0;
  std::int64_t until = std::numeric_limits<std::int64_t>::max();
};

}  // namespace

MessageFlows message_flows(const std::vector<ProcessTrace> & processes)
{
  return Joiner(processes).join();
}

Joinable joinable(const std::vector<ProcessTrace> & processes, const MessageFlows & flows)
{
  const RecordedByAll whole(processes);
  std::unordered_set<std::int64_t> publishers;
  const auto each_record = [&](const auto & visit) {
    for (const ProcessTrace & trace : processes) {
      for (const TracedThread & thread : trace.threads) {
        std::for_each(thread.records.begin(), thread.records.end(), visit);
      }
    }
  };
  each_record([&](const Record & record) {
    if (record.kind == RecordKind::publish) {
      publishers.insert(record.a);
    }
  });
  const auto counts = [&](const Record & take) {
    return whole.contains(take.c) && publishers.contains(take.a);
  };
  Joinable result;
  each_record([&](const Record & record) {
    result.takes += record.kind == RecordKind::take && counts(record) ? 1 : 0;
  });
  for (const MessageFlow & flow : flows.joined) {
    const auto & thread = processes[flow.take.process].threads[flow.take.thread];
    result.joined += counts(thread.records[flow.take.record]) ? 1 : 0;
  }
  return result;
}

}  // namespace takt_trace
