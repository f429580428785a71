// Responses, reaction times and data ages as a simulated run shows them, by what each run had read.
#ifndef TAKT_PLAN__TEST__SUPPORT__OBSERVED_AGES_HPP_
#define TAKT_PLAN__TEST__SUPPORT__OBSERVED_AGES_HPP_

#include <optional>
#include <vector>

#include "takt_plan/simulation_observer.hpp"

namespace takt_plan::test
{

/// The longest seen; -1: none.
struct Ages
{
  Ns response = -1;
  Ns reaction_time = -1;  ///< events: right behind the beginning of each run of the root
  Ns data_age = -1;
  Ns at_output = -1;
};

/// Notes the runs of all tasks.
class RunRecord final : public SimulationObserver
{
public:
  explicit RunRecord(const Model & model) : model_(model), jobs_(model.tasks.size()) {}

  void on_end(Index thread, Index task, Ns release, Ns start, Ns end) override;

  /// None of chains for which it cannot be told what a run had read: where a callback is started by
  /// several others, where others replace what is read, and, unless messages were under way for as long
  /// as the model says (`exact`), where such a message is read. Where a message arrives just when a run
  /// begins, the run is taken to have read it.
  std::optional<Ages> ages(Index chain, bool exact) const;

private:
  struct Job
  {
    Ns release = 0, start = 0, end = 0;
  };
  using Origins =
    std::vector<std::ptrdiff_t>;  // per run: that of the root it comes of; -1: of none

  bool can_be_told(const std::vector<Index> & path, bool exact) const;
  Origins by_reading(Index reader, Index from, const Origins & origins) const;

  const Model & model_;
  std::vector<std::vector<Job>> jobs_;  // per task
};

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__OBSERVED_AGES_HPP_
