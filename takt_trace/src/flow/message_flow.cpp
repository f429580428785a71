#include "flow/message_flow.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "callback_ids.hpp"
#include "saturating.hpp"

namespace takt_trace
{
namespace
{

using detail::saturating_add;

/// Longest time of a publish. A publish that was in progress when its process began or ended its
/// recording may be missing in the trace.
constexpr std::int64_t kUnderWay = 50'000'000;  // ns

constexpr std::int64_t kUnknownTopic = -1;  ///< the callback's id does not contain it
constexpr std::int64_t kOtherTopic = -2;    ///< no process of the traces has it

bool contradict(std::int64_t one, std::int64_t other)
{
  return one != 0 && other != 0 && one != other;
}

std::tuple<std::size_t, std::size_t, std::size_t> key_of(const RecordPlace & place)
{
  return {place.process, place.thread, place.record};
}

/// A publish or a take, with two numbers that identify both. It copies all needed fields of its
/// record, because records with the same numbers may be far apart in a long trace.
struct Named
{
  std::int64_t first = 0;
  std::int64_t second = 0;
  RecordPlace place{};
  std::uint32_t id = 0;
  std::int64_t publisher = 0;
  std::int64_t sequence = 0;
  std::int64_t source_time = 0;

  Named() = default;
  Named(std::int64_t one, std::int64_t other, const RecordPlace & where, const Record & record)
  : first(one),
    second(other),
    place(where),
    id(record.id),
    publisher(record.a),
    sequence(record.b),
    source_time(record.c)
  {
  }

  auto name() const { return std::tie(first, second); }
  friend bool operator<(const Named & a, const Named & b)
  {
    return a.name() != b.name() ? a.name() < b.name() : key_of(a.place) < key_of(b.place);
  }
};

/// Sorts publishes and takes by these numbers, and joins those with equal numbers.
class Joiner
{
public:
  explicit Joiner(const std::vector<LongTrace> & processes) : processes_(processes) {}

  MessageFlows join()
  {
    for_each(RecordKind::publish, [this](const RecordPlace & place, const Record & publish) {
      add_publish(place, publish);
    });
    for (const LongTrace & process : processes_) {
      add_callbacks(process);
    }
    for_each(RecordKind::take, [this](const RecordPlace & place, const Record & take) {
      add_take(place, take);
    });
    // A take that is not joined by sequence number is tried by source time.
    join(by_sequence_, [this](const Named & take, const Named * publish, bool) {
      if (publish != nullptr) {
        flows_.joined.push_back({publish->place, take.place});
      } else {
        add_take_by_time(
          take.place,
          {0, RecordKind::take, take.id, take.publisher, take.sequence, take.source_time});
      }
    });
    const auto join_unless = [this](bool only_one) {
      return [this, only_one](const Named & take, const Named * publish, bool is_only_one) {
        if (
          publish != nullptr && (is_only_one || !only_one) &&
          !contradict(take.publisher, publish->publisher) &&
          !contradict(take.sequence, publish->sequence)) {
          flows_.joined.push_back({publish->place, take.place});
        }
      };
    };
    join(by_topic_, join_unless(false));
    join(by_time_, join_unless(true));
    flows_.joined.sort(
      [](const MessageFlow & a, const MessageFlow & b) { return key_of(a.take) < key_of(b.take); });
    return std::move(flows_);
  }

private:
  struct Sides
  {
    LongVector<Named> publishes{};
    LongVector<Named> takes{};
  };

  template <typename Function>
  void for_each(RecordKind kind, const Function & function) const
  {
    for (std::size_t process = 0; process < processes_.size(); ++process) {
      const auto & threads = processes_[process].threads;
      for (std::size_t thread = 0; thread < threads.size(); ++thread) {
        const auto & records = threads[thread].records;
        for (std::size_t i = 0; i < records.size(); ++i) {
          if (const Record record = records[i]; record.kind == kind) {
            function(RecordPlace{process, thread, i}, record);
          }
        }
      }
    }
  }

  void add_publish(const RecordPlace & place, const Record & publish)
  {
    ++flows_.publishes;
    if (publish.a != 0 && publish.b != 0) {
      by_sequence_.publishes.push_back({publish.a, publish.b, place, publish});
    }
    if (publish.c != 0) {
      const auto & topics = processes_[place.process].topics;
      if (publish.id < topics.size()) {
        const auto number = static_cast<std::int64_t>(topics_.size());
        const auto topic = topics_.emplace(topics[publish.id], number).first->second;
        by_topic_.publishes.push_back({topic, publish.c, place, publish});
      }
      by_time_.publishes.push_back({publish.c, 0, place, publish});
    }
  }

  /// The topics of publishes must be known.
  void add_callbacks(const LongTrace & process)
  {
    auto & topics = topics_of_callbacks_.emplace_back();
    for (const TracedCallback & callback : process.callbacks) {
      const std::string_view topic = detail::topic_in(callback.id);
      const auto known = topics_.find(std::string(topic));
      topics.push_back(
        topic.empty() ? kUnknownTopic : (known == topics_.end() ? kOtherTopic : known->second));
    }
  }

  void add_take(const RecordPlace & place, const Record & take)
  {
    ++flows_.takes;
    if (take.a != 0 && take.b != 0) {
      by_sequence_.takes.push_back({take.a, take.b, place, take});
    } else {
      add_take_by_time(place, take);
    }
  }

  void add_take_by_time(const RecordPlace & place, const Record & take)
  {
    if (take.c == 0) {
      return;
    }
    const auto & topics = topics_of_callbacks_[place.process];
    const std::int64_t topic = take.id < topics.size() ? topics[take.id] : kUnknownTopic;
    if (topic == kUnknownTopic) {
      by_time_.takes.push_back({take.c, 0, place, take});
    } else {
      by_topic_.takes.push_back({topic, take.c, place, take});
    }
  }

  /// Calls `visit` with each take, the first publish with the same numbers or null, and whether it
  /// is the only one.
  template <typename Visit>
  static void join(Sides & sides, const Visit & visit)
  {
    const auto less = [](const Named & a, const Named & b) { return a < b; };
    sides.publishes.sort(less);
    sides.takes.sort(less);
    const LongVector<Named> & publishes = sides.publishes;
    std::size_t next = 0;
    for (const Named take : sides.takes) {
      while (next < publishes.size() && publishes[next].name() < take.name()) {
        ++next;
      }
      if (next == publishes.size()) {
        visit(take, nullptr, false);
        continue;
      }
      const Named publish = publishes[next];
      const bool is_it = publish.name() == take.name();
      const bool is_only_one =
        next + 1 == publishes.size() || publishes[next + 1].name() != publish.name();
      visit(take, is_it ? &publish : nullptr, is_only_one);
    }
    sides = Sides();
  }

  const std::vector<LongTrace> & processes_;
  MessageFlows flows_;
  std::unordered_map<std::string, std::int64_t> topics_;
  std::vector<std::vector<std::int64_t>> topics_of_callbacks_;  // of each process
  Sides by_sequence_;                                           // publisher, sequence number
  Sides by_topic_;                                              // topic, source time
  Sides by_time_;                                               // source time
};

/// The time in which all processes recorded, in CLOCK_REALTIME, less a margin at both ends.
struct RecordedByAll
{
  explicit RecordedByAll(const std::vector<LongTrace> & processes)
  {
    for (const LongTrace & trace : processes) {
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

MessageFlows message_flows(const std::vector<LongTrace> & processes)
{
  return Joiner(processes).join();
}

MessageFlows message_flows(const std::vector<ProcessTrace> & processes)
{
  return message_flows(borrowed(processes));
}

Joinable joinable(const std::vector<LongTrace> & processes, const MessageFlows & flows)
{
  const RecordedByAll whole(processes);
  std::unordered_set<std::int64_t> publishers;
  const auto each_record = [&](const auto & visit) {
    for (const LongTrace & trace : processes) {
      for (const LongThread & thread : trace.threads) {
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

Joinable joinable(const std::vector<ProcessTrace> & processes, const MessageFlows & flows)
{
  return joinable(borrowed(processes), flows);
}

}  // namespace takt_trace
