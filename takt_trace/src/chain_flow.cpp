#include "takt_trace/chain_flow.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "flow/run_index.hpp"

namespace takt_trace
{
namespace
{

using detail::SharedClock;
using detail::TracedRun;

class ChainFlow
{
public:
  explicit ChainFlow(const std::vector<ProcessTrace> & processes)
  : processes_(processes),
    index_(processes)
  {
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
    const auto * const last = index_.runs_of(process, path.back());
    if (last == nullptr) {
      return;
    }
    std::set<std::size_t> ended;  // roots
    for (const std::size_t index : *last) {
      const auto root = root_of(path, index);
      if (!root || !ended.insert(*root).second) {
        continue;
      }
      const TracedRun & run = index_.runs()[index];
      const TracedRun & first = index_.runs()[*root];
      const std::int64_t release = index_.start_of(first).a;
      if (release == 0) {
        continue;
      }
      const SharedClock & clock = index_.clock();
      const std::int64_t here = clock.to(process, clock.from(first.process, release));
      added[{run.process, run.thread}].emplace(
        run.end, Record{index_.end_of(run).time, RecordKind::chain_end, chain, here, 0, 0});
    }
  }

  /// The run of the chain's root that the run of its last callback worked for.
  std::optional<std::size_t> root_of(const std::vector<std::string> & path, std::size_t index) const
  {
    for (std::size_t place = path.size() - 1; place > 0; --place) {
      const auto before = index_.before(path[place - 1], index);
      if (!before) {
        return std::nullopt;
      }
      index = before->run;
    }
    return index;
  }

  const std::vector<ProcessTrace> & processes_;
  const detail::RunIndex index_;
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
