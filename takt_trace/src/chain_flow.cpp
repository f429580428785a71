#include "takt_trace/chain_flow.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
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
  explicit ChainFlow(const std::vector<LongTrace> & processes)
  : processes_(processes),
    index_(processes)
  {
  }

  /// A record to insert before a record of a thread.
  struct Added
  {
    std::size_t process = 0;
    std::size_t thread = 0;
    std::size_t before = 0;
    Record record{};
  };

  /// By process, thread and record.
  LongVector<Added> ends() const
  {
    LongVector<Added> added;
    for (std::size_t process = 0; process < processes_.size(); ++process) {
      const auto & chains = processes_[process].chains;
      for (std::uint32_t chain = 0; chain < chains.size(); ++chain) {
        if (crosses(processes_[process], chains[chain].path)) {
          add_ends(process, chain, added);
        }
      }
    }
    added.sort([](const Added & a, const Added & b) {
      return std::tie(a.process, a.thread, a.before) < std::tie(b.process, b.thread, b.before);
    });
    return added;
  }

  /// True if the path ends in the process and has callbacks outside of the executor in which it
  /// ends.
  static bool crosses(const LongTrace & process, const std::vector<std::string> & path)
  {
    const std::string * const last = path.size() > 1 ? executor_of(process, path.back()) : nullptr;
    return last != nullptr && std::any_of(path.begin(), path.end(), [&](const std::string & id) {
             const std::string * const executor = executor_of(process, id);
             return executor == nullptr || *executor != *last;
           });
  }

private:
  /// The executor of a callback of the process; null: the process has no such callback.
  static const std::string * executor_of(const LongTrace & process, const std::string & id)
  {
    const auto & callbacks = process.callbacks;
    const auto found = std::find_if(
      callbacks.begin(), callbacks.end(), [&](const TracedCallback & one) { return one.id == id; });
    return found == callbacks.end() ? nullptr : &found->executor;
  }

  /// If several runs worked for one run of the root, the first to end counts.
  void add_ends(std::size_t process, std::uint32_t chain, LongVector<Added> & added) const
  {
    struct Ended
    {
      std::size_t root = 0;
      std::size_t number = 0;  // in the order of the ends
      std::size_t run = 0;
    };
    const auto & path = processes_[process].chains[chain].path;
    const auto * const last = index_.runs_of(process, path.back());
    if (last == nullptr) {
      return;
    }
    LongVector<Ended> all;
    for (std::size_t i = 0; i < last->size(); ++i) {
      const std::size_t run = (*last)[i].run;
      if (const auto root = root_of(path, run)) {
        all.push_back({*root, i, run});
      }
    }
    all.sort([](const Ended & a, const Ended & b) {
      return std::tie(a.root, a.number) < std::tie(b.root, b.number);
    });
    LongVector<Ended> first;
    for (const Ended one : all) {
      if (first.empty() || first.back().root != one.root) {
        first.push_back(one);
      }
    }
    first.sort([](const Ended & a, const Ended & b) { return a.number < b.number; });
    for (const Ended one : first) {
      add_end(process, chain, one.root, one.run, added);
    }
  }

  void add_end(
    std::size_t process, std::uint32_t chain, std::size_t root, std::size_t last,
    LongVector<Added> & added) const
  {
    const TracedRun run = index_.runs()[last];
    const TracedRun first = index_.runs()[root];
    const std::int64_t release = index_.start_of(first).a;
    if (release == 0) {
      return;
    }
    const SharedClock & clock = index_.clock();
    const std::int64_t here = clock.to(process, clock.from(first.process, release));
    added.push_back(
      {run.process, run.thread, run.end,
       Record{index_.end_of(run).time, RecordKind::chain_end, chain, here, 0, 0}});
  }

  /// The run of the chain's root for which the run of its last callback worked.
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

  const std::vector<LongTrace> & processes_;
  const detail::RunIndex index_;
};

}  // namespace

void keep_first_ends(LongTrace & trace)
{
  struct End
  {
    std::uint32_t chain = 0;
    std::int64_t release = 0;
    std::int64_t time = 0;
    std::size_t thread = 0;
    std::size_t record = 0;

    auto key() const { return std::tie(chain, release, time, thread, record); }
  };
  LongVector<End> ends;
  for (std::size_t thread = 0; thread < trace.threads.size(); ++thread) {
    const auto & records = trace.threads[thread].records;
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (const Record record = records[i]; record.kind == RecordKind::chain_end) {
        ends.push_back({record.id, record.a, record.time, thread, i});
      }
    }
  }
  ends.sort([](const End & a, const End & b) { return a.key() < b.key(); });
  LongVector<End> removed;
  for (std::size_t i = 1; i < ends.size(); ++i) {
    const End one = ends[i], before = ends[i - 1];
    if (one.chain == before.chain && one.release == before.release) {
      removed.push_back(one);
    }
  }
  removed.sort([](const End & a, const End & b) {
    return std::tie(a.thread, a.record) < std::tie(b.thread, b.record);
  });
  auto next = removed.begin();
  while (next != removed.end()) {
    const std::size_t thread = (*next).thread;
    LongVector<Record> kept;
    const LongVector<Record> & records = trace.threads[thread].records;
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (next != removed.end() && (*next).thread == thread && (*next).record == i) {
        ++next;
      } else {
        kept.push_back(records[i]);
      }
    }
    trace.threads[thread].records = std::move(kept);
  }
}

void add_chains_across_processes(std::vector<LongTrace> & processes)
{
  const bool any = std::any_of(processes.begin(), processes.end(), [](const LongTrace & process) {
    return std::any_of(
      process.chains.begin(), process.chains.end(),
      [&](const TracedChain & chain) { return ChainFlow::crosses(process, chain.path); });
  });
  const LongVector<ChainFlow::Added> added =
    any ? ChainFlow(processes).ends() : LongVector<ChainFlow::Added>();
  auto next = added.begin();
  while (next != added.end()) {
    const ChainFlow::Added first = *next;
    auto & records = processes[first.process].threads[first.thread].records;
    const auto is_here = [&] {
      return next != added.end() && (*next).process == first.process &&
             (*next).thread == first.thread;
    };
    LongVector<Record> all;
    for (std::size_t i = 0; i < records.size(); ++i) {
      for (; is_here() && (*next).before == i; ++next) {
        all.push_back((*next).record);
      }
      all.push_back(records[i]);
    }
    records = std::move(all);
  }
  // If a chain leaves the process and comes back, its executor may have recorded an end of a
  // shorter path.
  std::for_each(processes.begin(), processes.end(), keep_first_ends);
}

void add_chains_across_processes(std::vector<ProcessTrace> & processes)
{
  std::vector<LongTrace> all = borrowed(processes);
  add_chains_across_processes(all);
  processes = in_memory(all);
}

}  // namespace takt_trace
