#include <bit>

#include "figures/missing_releases.hpp"
#include "takt_workload/figures.hpp"

namespace takt_workload
{

using takt_core::Time;

ChainFigures analyse_chain(
  const Chain & chain, const CallbackTable & table, const Causality & causality,
  const StallIndex & stalls, const StallIndex & after, const std::vector<MissingReleases> & missing,
  Time from, Time to, Time observed_to)
{
  ChainFigures figures;
  std::vector<std::uint32_t> path;
  for (const std::string & id : chain.path) {
    path.push_back(table.find(id));
  }
  const auto add_unfinished = [&](Time release) {
    ++figures.unfinished;
    figures.overdue += takt_core::add_saturated(release, chain.deadline) < observed_to ? 1 : 0;
  };
  std::uint64_t seen = 0;  // processes as bits
  for (RunIndex root = 0; root < causality.runs().size(); ++root) {
    const RunRecord & first = causality.runs()[root];
    if (first.callback != path.front() || first.release < from || first.release >= to) {
      continue;
    }
    ++figures.released;
    const auto unfinished = [&] { add_unfinished(first.release); };
    RunIndex run = root;
    for (std::size_t hop = 0;; ++hop) {
      seen |= std::uint64_t{1} << (causality.runs()[run].process & 63);
      if (hop + 1 == path.size()) {
        const RunRecord & last = causality.runs()[run];
        const auto response = last.end - first.release;
        ++figures.completed;
        figures.late += response > chain.deadline ? 1 : 0;
        figures.responses.add(response, first.release, stalls.overlaps(first.release, last.end));
        figures.catching_up.push_back(after.overlaps(first.release, last.end) ? 1 : 0);
        break;
      }
      const RunIndex carrier = causality.carrier(run);
      if (carrier == kNoRun) {
        if (causality.superseded(run)) {
          ++figures.superseded;
        } else {
          unfinished();
        }
        break;
      }
      const RunIndex next = causality.taker(path[hop + 1], carrier);
      if (next == kNoRun) {
        if (causality.overtaken(path[hop + 1], carrier)) {
          ++figures.lost;
        } else {
          unfinished();
        }
        break;
      }
      run = next;
    }
  }
  const MissingReleases & root = missing[path.front()];
  figures.skipped = root.skipped.size();
  figures.released += figures.skipped;
  if (root.waiting) {
    ++figures.released;
    add_unfinished(*root.waiting);
  }
  if (chain.deadline != takt_core::kForever) {
    // Newer data that replaces older data does its work. Data that never arrives, or that was never
    // made because the root's timer skipped a period, is not in time.
    figures.missed_deadlines = figures.late + figures.lost + figures.overdue + figures.skipped;
  }
  figures.processes = std::popcount(seen);
  return figures;
}

}  // namespace takt_workload
