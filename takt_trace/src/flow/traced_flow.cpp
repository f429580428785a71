#include "flow/traced_flow.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "callback_ids.hpp"
#include "run_pairs.hpp"

namespace takt_trace::detail
{

struct TracedFlow::Made
{
  /// A run, with the number of periods that its timer skipped.
  struct Run
  {
    FlowingRun run{};
    std::int64_t skipped = 0;
  };
  struct Published
  {
    std::size_t run = 0;  // in the order of reading
    FlowPublish publish{};
  };

  explicit Made(const RunIndex & index) : index_(index)
  {
    for (std::size_t process = 0; process < index.processes().size(); ++process) {
      add_callbacks(process);
    }
    for (std::size_t process = 0; process < index.processes().size(); ++process) {
      for (std::size_t thread = 0; thread < index.processes()[process].threads.size(); ++thread) {
        read(process, thread);
      }
    }
    put_in_order();
    for (auto & [id, one] : callbacks) {
      std::uint32_t & topic = flow_callbacks[one.number].topic;
      if (const std::string_view named = topic_in(id); topic == kNoTopic && !named.empty()) {
        topic = topic_number(named);
      }
    }
  }

  std::map<std::string, FlowingCallback> callbacks;
  std::vector<FlowCallback> flow_callbacks;
  FlowRuns flow_runs;
  LongVector<std::int64_t> skipped;  // by run
  std::set<std::uint32_t> unnamed;

private:
  using Number = std::uint32_t;

  void add_callbacks(std::size_t process)
  {
    for (const TracedCallback & one : index_.processes()[process].callbacks) {
      auto [known, is_new] = callbacks.try_emplace(one.id);
      FlowingCallback & callback = known->second;
      if (is_new) {
        callback.number = static_cast<Number>(flow_callbacks.size());
        callback.id = one.id;
        const std::pair node{process, std::string(node_in(one.id))};
        const auto next = static_cast<Number>(nodes_.size());
        flow_callbacks.push_back({nodes_.try_emplace(node, next).first->second, kNoTopic, true});
      }
      callback.timer = callback.timer || one.kind == "timer";
      callback.processes.insert(process);
    }
  }

  /// Sorts runs by their starts. Each run keeps its publishes.
  void put_in_order()
  {
    published_.sort([](const Published & a, const Published & b) { return a.run < b.run; });
    for (std::size_t i = 0; i < published_.size();) {
      const std::size_t number = published_[i].run;
      Run one = runs_[number];
      one.run.first_published = i;
      for (; i < published_.size() && published_[i].run == number; ++i) {
        flow_runs.published.push_back(published_[i].publish);
      }
      one.run.published = i - one.run.first_published;
      runs_.set(number, one);
    }
    published_.clear();
    runs_.sort([](const Run & a, const Run & b) { return a.run.start < b.run.start; });
    for (const Run one : runs_) {
      flow_runs.runs.push_back(one.run);
      skipped.push_back(one.skipped);
    }
    runs_.clear();
  }

  Number topic_number(std::string_view name)
  {
    const auto next = static_cast<Number>(topics_.size());
    return topics_.try_emplace(std::string(name), next).first->second;
  }

  Record at(const RecordPlace & place) const { return index_.at(place); }

  Number topic_of(const RecordPlace & publish)
  {
    const auto & topics = index_.processes()[publish.process].topics;
    const std::uint32_t id = at(publish).id;
    return id < topics.size() ? topic_number(topics[id]) : kNoTopic;
  }

  /// The message's key; nothing: no take can be joined with the publish.
  std::optional<FlowMessage> name_of(const RecordPlace & publish)
  {
    const Record record = at(publish);
    const std::int64_t sequence = record.b != 0 ? record.b : record.c;
    if (sequence == 0) {
      return std::nullopt;
    }
    auto publisher = static_cast<std::uint64_t>(record.a);
    if (publisher == 0) {
      publisher = std::uint64_t{publish.process} << 32U | topic_of(publish);
    }
    return FlowMessage{publisher, static_cast<std::uint64_t>(sequence)};
  }

  void read(std::size_t process, std::size_t thread)
  {
    const auto & records = index_.processes()[process].threads[thread].records;
    const LongVector<std::size_t> others = pair_runs(records);
    std::vector<std::pair<std::size_t, std::size_t>> open;  // start, and place in `runs_`
    LongVector<std::size_t> takes;                          // records
    for (std::size_t i = 0; i < records.size(); ++i) {
      const RecordPlace here{process, thread, i};
      switch (records[i].kind) {
        case RecordKind::take:
          takes.push_back(i);
          break;
        case RecordKind::run_start:
          if (start(here, others[i], takes)) {
            open.emplace_back(i, runs_.size() - 1);
          }
          takes.clear();
          break;
        case RecordKind::publish:
          if (!open.empty()) {
            publish(here, open.back().second);
          }
          break;
        case RecordKind::run_end:
          if (!open.empty() && others[i] == open.back().first) {
            open.pop_back();
          }
          break;
        default:
          break;
      }
    }
  }

  /// False: the trace has no name for the callback.
  bool start(const RecordPlace & place, std::size_t end, const LongVector<std::size_t> & takes)
  {
    const LongTrace & process = index_.processes()[place.process];
    const Record begin = at(place);
    if (begin.id >= process.callbacks.size()) {
      return false;
    }
    FlowingCallback & callback = callbacks.at(process.callbacks[begin.id].id);
    const auto shared = [&](std::int64_t time) { return index_.shared(place.process, time); };
    Run one;
    one.skipped = skipped_periods(begin);
    one.run.callback = callback.number;
    one.run.process = static_cast<std::uint32_t>(place.process);
    one.run.release = shared(begin.a != 0 ? begin.a : begin.time);
    one.run.start = shared(begin.time);
    std::int64_t picked = begin.a;
    if (end != kNoRecord) {
      const Record ended = process.threads[place.thread].records[end];
      one.run.end = one.run.kept = shared(ended.time);
      ++callback.ended_runs;
      picked = ended.a;
    }
    callback.without_message += takes.empty() && picked >= process.began ? 1 : 0;
    one.run.first_taken = flow_runs.taken.size();
    for (const std::size_t take : takes) {
      add_take({place.process, place.thread, take}, callback);
    }
    one.run.taken = flow_runs.taken.size() - one.run.first_taken;
    runs_.push_back(one);
    return true;
  }

  void add_take(const RecordPlace & take, FlowingCallback & callback)
  {
    const Record record = at(take);
    std::optional<FlowMessage> message;
    if (const auto publish = index_.publish_of(take)) {
      message = name_of(*publish);
      flow_callbacks[callback.number].topic = topic_of(*publish);
    } else if (record.a != 0 && record.b != 0) {
      // The publisher is not in the traces, or it published before they began.
      message =
        FlowMessage{static_cast<std::uint64_t>(record.a), static_cast<std::uint64_t>(record.b)};
    }
    if (message) {
      flow_runs.taken.push_back(*message);
    } else {
      ++callback.unnamed_takes;
    }
  }

  void publish(const RecordPlace & place, std::size_t run)
  {
    const Number topic = topic_of(place);
    if (const auto message = name_of(place)) {
      published_.push_back({run, {topic, *message, index_.shared(place.process, at(place).time)}});
    } else {
      unnamed.insert(topic);
    }
  }

  const RunIndex & index_;
  std::map<std::pair<std::size_t, std::string>, Number> nodes_;
  std::map<std::string, Number> topics_;
  LongVector<Run> runs_;  // in the order of reading
  LongVector<Published> published_;
};

TracedFlow::TracedFlow(const RunIndex & index) : TracedFlow(Made(index))
{
}

TracedFlow::TracedFlow(Made && made)
: flow_(std::move(made.flow_callbacks), std::move(made.flow_runs)),
  callbacks_(std::move(made.callbacks)),
  unnamed_(std::move(made.unnamed)),
  skipped_(std::move(made.skipped))
{
}

const FlowingCallback * TracedFlow::find(const std::string & id) const
{
  const auto found = callbacks_.find(id);
  return found == callbacks_.end() ? nullptr : &found->second;
}

}  // namespace takt_trace::detail
