#include "figures/figures.hpp"
#include "takt_trace/activation_account.hpp"

namespace takt_workload
{

using takt_rt::Time;

ChainFigures analyse_chain(
  const Chain & chain, const CallbackTable & table, const Causality & causality,
  const StallIndex & stalls, const StallIndex & after,
  const std::vector<takt_trace::UnstartedReleases> & unstarted, Time from, Time to,
  Time observed_to)
{
  takt_trace::AccountedChain asked;
  for (const std::string & id : chain.path) {
    asked.path.push_back(table.find(id));
  }
  if (chain.deadline != takt_rt::kForever) {
    asked.deadline = chain.deadline.count();
  }
  const takt_trace::ActivationAccount account = takt_trace::account_activations(
    causality.flow(), asked, unstarted[asked.path.front()],
    {takt_rt::to_ns(from), takt_rt::to_ns(to), takt_rt::to_ns(observed_to)});
  ChainFigures figures;
  for (const takt_trace::AccountedActivation & one : account.activations) {
    if (one.fate == takt_trace::Fate::completed) {
      const Time release = takt_rt::from_ns(one.release);
      const Time end = causality.runs()[one.last].end;
      figures.responses.add(end - release, release, stalls.overlaps(release, end));
      figures.catching_up.push_back(after.overlaps(release, end) ? 1 : 0);
    }
  }
  figures.released = account.released;
  figures.completed = account.completed;
  figures.superseded = account.superseded;
  figures.lost = account.lost;
  figures.unfinished = account.unfinished;
  figures.skipped = account.skipped;
  figures.late = account.late;
  figures.overdue = account.overdue;
  figures.missed_deadlines = account.missed;
  figures.processes = static_cast<int>(account.processes);
  return figures;
}

}  // namespace takt_workload
