#include "simulation/hyperperiod_run.hpp"

#include <algorithm>
#include <tuple>

#include "takt_plan/simulate.hpp"
#include "takt_plan/simulation_observer.hpp"

namespace takt_plan
{
namespace
{

constexpr Ns kHyperperiodsUntilInStep = 2;  // after the latest first release

class RunRecorder final : public SimulationObserver
{
public:
  RunRecorder(const Model & model, Ns from, Ns to)
  : from_(from),
    to_(to),
    pieces_(model.threads.size())
  {
  }

  void on_work(
    Index /*core*/, Index thread, Activity activity, Index /*task*/, Ns from, Ns to) override
  {
    // A run that ends in the hyperperiod may have begun before it. When a run ends, it takes its
    // pieces.
    if (activity != Activity::job || from == to) {
      return;
    }
    auto & pieces = pieces_[thread];
    if (!pieces.empty() && pieces.back().second == from - from_) {
      pieces.back().second = to - from_;
    } else {
      pieces.emplace_back(from - from_, to - from_);
    }
  }

  void on_end(Index thread, Index task, Ns release, Ns /*start*/, Ns end) override
  {
    auto pieces = std::exchange(pieces_[thread], {});
    if (end >= from_ && release < to_) {
      runs.push_back({task, release - from_, end - from_, std::move(pieces)});
    }
  }

  std::vector<PhasedRun> runs;

private:
  const Ns from_, to_;
  std::vector<std::vector<std::pair<Ns, Ns>>> pieces_;  // per thread: pieces of the current run
};

}  // namespace

takt_rt::Result<std::vector<PhasedRun>> simulate_hyperperiod(
  const SimulationModel & model, const Hyperperiod & hyperperiod)
{
  Ns first = 0;
  for (const Task & task : model.model.tasks) {
    first = std::max(first, task.release ? task.release->offset.value_or(task.release->period) : 0);
  }
  const Ns length = hyperperiod.length;
  const Ns from = (first / length + 1 + kHyperperiodsUntilInStep) * length;
  SimulationOptions options;
  options.duration = from + 2 * length;
  RunRecorder recorder(model.model, from, from + length);
  if (const auto status = watch(model, options, 0, recorder); !status) {
    return status.faults();
  }
  std::stable_sort(
    recorder.runs.begin(), recorder.runs.end(), [](const PhasedRun & a, const PhasedRun & b) {
      return std::tie(a.task, a.release) < std::tie(b.task, b.release);
    });
  return std::move(recorder.runs);
}

}  // namespace takt_plan
