#include <bit>

#include "takt_workload/analysis.hpp"

namespace takt_workload
{

using takt_core::Time;

ChainFigures analyse_chain(
  const Chain & chain, const CallbackTable & table, const Causality & causality,
  const StallIndex & stalls, Time from, Time to)
{
  ChainFigures figures;
  std::vector<std::uint32_t> path;
  for (const std::string & id : chain.path) {
    path.push_back(table.find(id));
  }
  std::uint64_t seen = 0;  // processes as bits
  for (RunIndex root = 0; root < causality.runs().size(); ++root) {
    const RunRecord & first = causality.runs()[root];
    if (first.callback != path.front() || first.release < from || first.release >= to) {
      continue;
    }
    ++figures.released;
    RunIndex run = root;
    for (std::size_t hop = 0;; ++hop) {
      seen |= std::uint64_t{1} << (causality.runs()[run].process & 63);
      if (hop + 1 == path.size()) {
        const RunRecord & last = causality.runs()[run];
        const auto response = last.end - first.release;
        ++figures.completed;
        figures.missed_deadlines += response > chain.deadline ? 1 : 0;
        figures.responses.add(response, first.release, stalls.overlaps(first.release, last.end));
        break;
      }
      const RunIndex carrier = causality.carrier(run);
      if (carrier == kNoRun) {
        ++(causality.superseded(run) ? figures.superseded : figures.unfinished);
        break;
      }
      const RunIndex next = causality.taker(path[hop + 1], carrier);
      if (next == kNoRun) {
        ++(causality.overtaken(path[hop + 1], carrier) ? figures.lost : figures.unfinished);
        break;
      }
      run = next;
    }
  }
  figures.processes = std::popcount(seen);
  return figures;
}

}  // namespace takt_workload
