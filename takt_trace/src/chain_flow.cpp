#include "takt_trace/chain_flow.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "callback_ids.hpp"
#include "run_pairs.hpp"
#include "takt_trace/message_flow.hpp"

namespace takt_trace
{
namespace
{

using Key = std::tuple<std::size_t, std::size_t, std::size_t>;  // process, thread, record

Key key_of(const RecordPlace & place)
{
  return {place.process, place.thread, place.record};
}

/// A run with start and end.
struct Run
{
  std::size_t process = 0;
  std::size_t thread = 0;
  std::size_t start = 0;
  std::size_t end = 0;
  std::vector<std::size_t> takes{};  ///< records of its thread
};

class ChainFlow
{
public:
  explicit ChainFlow(const std::vector<ProcessTrace> & processes) : processes_(processes)
  {
    for (std::size_t process = 0; process < processes.size(); ++process) {
      for (std::size_t thread = 0; thread < processes[process].threads.size(); ++thread) {
        read(process, thread);
      }
    }
    for (auto & [id, runs] : runs_of_) {
      std::sort(runs.begin(), runs.end(), [this](std::size_t a, std::size_t b) {
        return end_time(runs_[a]) < end_time(runs_[b]);
      });
    }
    for (const MessageFlow & flow : message_flows(processes).joined) {
      publish_of_.emplace(key_of(flow.take), flow.publish);
    }
  }

  /// What to add, by process and thread: before which record.
  using Added = std::map<std::pair<std::size_t, std::size_t>, std::multimap<std::size_t, Record>>;

  Added ends() const
  {
    Added added;
    for (std::size_t process = 0; process < processes_.size(); ++process) {
      const auto & chains = processes_[process].chains;
      for (std::uint32_t chain = 0; chain < chains.size(); ++chain) {
        if (crosses(process, chains[chain].path)) {
          add_ends(process, chain, added);
        }
      }
    }
    return added;
  }

private:
  const Record & record(const Run & run, std::size_t index) const
  {
    return processes_[run.process].threads[run.thread].records[index];
  }
  std::int64_t end_time(const Run & run) const { return record(run, run.end).time; }
  /// In the clock that all hosts share.
  std::int64_t shared(std::size_t process, std::int64_t time) const
  {
    return time + processes_[process].to_realtime;
  }

  const std::string * id_of(const Run & run) const
  {
    const auto & callbacks = processes_[run.process].callbacks;
    const std::uint32_t id = record(run, run.start).id;
    return id < callbacks.size() ? &callbacks[id].id : nullptr;
  }

  // Runs with their takes, and the runs that publishes are in.
  void read(std::size_t process, std::size_t thread)
  {
    const auto & records = processes_[process].threads[thread].records;
    const std::vector<std::size_t> others = detail::pair_runs(records);
    std::vector<std::size_t> open;   // runs
    std::vector<std::size_t> taken;  // takes for the run that starts next
    for (std::size_t i = 0; i < records.size(); ++i) {
      switch (records[i].kind) {
        case RecordKind::take:
          taken.push_back(i);
          break;
        case RecordKind::run_start:
          if (others[i] != detail::kNoRecord) {
            open.push_back(runs_.size());
            runs_.push_back({process, thread, i, others[i], std::exchange(taken, {})});
            if (const std::string * const id = id_of(runs_.back())) {
              runs_of_[{process, *id}].push_back(open.back());
            }
          }
          taken.clear();
          break;
        case RecordKind::run_end:
          if (!open.empty() && runs_[open.back()].end == i) {
            open.pop_back();
          }
          break;
        case RecordKind::publish:
          if (!open.empty()) {
            publisher_.emplace(Key{process, thread, i}, open.back());
          }
          break;
        default:
          break;
      }
    }
  }

  /// The executor of a callback of the process; null: it has no such callback.
  const std::string * executor_of(std::size_t process, const std::string & id) const
  {
    const auto & callbacks = processes_[process].callbacks;
    const auto found = std::find_if(
      callbacks.begin(), callbacks.end(), [&](const TracedCallback & one) { return one.id == id; });
    return found == callbacks.end() ? nullptr : &found->executor;
  }

  /// Whether the path ends in the process and has callbacks that are not of the executor in which it ends.
  bool crosses(std::size_t process, const std::vector<std::string> & path) const
  {
    const std::string * const last = path.size() > 1 ? executor_of(process, path.back()) : nullptr;
    return last != nullptr && std::any_of(path.begin(), path.end(), [&](const std::string & id) {
             const std::string * const executor = executor_of(process, id);
             return executor == nullptr || *executor != *last;
           });
  }

  void add_ends(std::size_t process, std::uint32_t chain, Added & added) const
  {
    const auto & path = processes_[process].chains[chain].path;
    const auto last = runs_of_.find({process, path.back()});
    if (last == runs_of_.end()) {
      return;
    }
    std::set<std::size_t> ended;  // roots
    for (const std::size_t index : last->second) {
      const auto root = root_of(path, path.size() - 1, index);
      if (!root || !ended.insert(*root).second) {
        continue;
      }
      const Run & run = runs_[index];
      const Run & first = runs_[*root];
      const std::int64_t release = record(first, first.start).a;
      if (release == 0) {
        continue;
      }
      const std::int64_t here = shared(first.process, release) - processes_[process].to_realtime;
      added[{run.process, run.thread}].emplace(
        run.end, Record{end_time(run), RecordKind::chain_end, chain, here, 0, 0});
    }
  }

  /// The run of the chain's root that the run of its callback `place` worked for.
  std::optional<std::size_t> root_of(
    const std::vector<std::string> & path, std::size_t place, std::size_t index) const
  {
    for (; place > 0; --place) {
      const auto before = before_of(path[place - 1], index);
      if (!before) {
        return std::nullopt;
      }
      index = *before;
    }
    return index;
  }

  /// The run of `callback` whose message the run took.
  std::optional<std::size_t> before_of(const std::string & callback, std::size_t index) const
  {
    const Run & run = runs_[index];
    for (const std::size_t take : run.takes) {
      const auto publish = publish_of_.find({run.process, run.thread, take});
      if (publish == publish_of_.end()) {
        continue;
      }
      const auto in = publisher_.find(key_of(publish->second));
      if (in == publisher_.end()) {
        continue;
      }
      const Run & publisher = runs_[in->second];
      const std::string * const id = id_of(publisher);
      if (id != nullptr && *id == callback) {
        return in->second;
      }
      if (id != nullptr && detail::node_in(*id) == detail::node_in(callback)) {
        return last_before(
          publisher.process, callback, record(publisher, publish->second.record).time);
      }
    }
    return std::nullopt;
  }

  std::optional<std::size_t> last_before(
    std::size_t process, const std::string & callback, std::int64_t time) const
  {
    const auto found = runs_of_.find({process, callback});
    if (found == runs_of_.end()) {
      return std::nullopt;
    }
    const auto & runs = found->second;
    const auto after = std::partition_point(
      runs.begin(), runs.end(), [&](std::size_t run) { return end_time(runs_[run]) <= time; });
    return after == runs.begin() ? std::nullopt : std::optional(*(after - 1));
  }

  const std::vector<ProcessTrace> & processes_;
  std::vector<Run> runs_;
  std::map<std::pair<std::size_t, std::string>, std::vector<std::size_t>> runs_of_;  // by end
  std::map<Key, std::size_t> publisher_;   // the innermost run that a publish is in
  std::map<Key, RecordPlace> publish_of_;  // by take
};

}  // namespace

void keep_first_ends(ProcessTrace & trace)
{
  using Activation = std::pair<std::uint32_t, std::int64_t>;  // chain, release
  std::map<Activation, std::int64_t> first;
  const auto is_end = [](const Record & record) { return record.kind == RecordKind::chain_end; };
  for (const TracedThread & thread : trace.threads) {
    for (const Record & record : thread.records) {
      if (is_end(record)) {
        const auto [known, is_new] = first.try_emplace({record.id, record.a}, record.time);
        known->second = std::min(known->second, record.time);
      }
    }
  }
  std::set<Activation> kept;
  for (TracedThread & thread : trace.threads) {
    std::erase_if(thread.records, [&](const Record & record) {
      const Activation activation{record.id, record.a};
      return is_end(record) &&
             (record.time != first[activation] || !kept.insert(activation).second);
    });
  }
}

void add_chains_across_processes(std::vector<ProcessTrace> & processes)
{
  const ChainFlow::Added added = ChainFlow(processes).ends();
  for (const auto & [place, ends] : added) {
    auto & records = processes[place.first].threads[place.second].records;
    std::vector<Record> all;
    all.reserve(records.size() + ends.size());
    auto next = ends.begin();
    for (std::size_t i = 0; i < records.size(); ++i) {
      for (; next != ends.end() && next->first == i; ++next) {
        all.push_back(next->second);
      }
      all.push_back(records[i]);
    }
    records = std::move(all);
  }
  // Where a chain leaves the process and comes back, its executor may have seen a shorter way to the same end.
  std::for_each(processes.begin(), processes.end(), keep_first_ends);
}

}  // namespace takt_trace
