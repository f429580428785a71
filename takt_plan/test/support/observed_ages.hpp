// Responses, reaction times and data ages of a simulated run, from the messages that each run had
// read.
#ifndef TAKT_PLAN__TEST__SUPPORT__OBSERVED_AGES_HPP_
#define TAKT_PLAN__TEST__SUPPORT__OBSERVED_AGES_HPP_

#include <optional>
#include <vector>

#include "takt_plan/simulation_observer.hpp"

namespace takt_plan::test
{

/// The longest observed times; -1: none.
struct Ages
{
  Ns response = -1;
  Ns reaction_time = -1;  ///< for an event just after the begin of each run of the root
  Ns data_age = -1;
  Ns at_output = -1;
};

/// Records the runs of all tasks.
class RunRecord final : public SimulationObserver
{
public:
  explicit RunRecord(const Model & model) : model_(model), jobs_(model.tasks.size()) {}

  void on_end(Index thread, Index task, Ns release, Ns start, Ns end) override;

  /// Empty for chains whose runs do not show which message they had read: if several callbacks
  /// start a callback, if others replace the read message, or if the read message was under way for
  /// an unknown time (without `exact`). `exact`: messages were under way for the model's time. If a
  /// message arrives just when a run begins, the run counts as having read it.
  std::optional<Ages> ages(Index chain, bool exact) const;

private:
  struct Job
  {
    Ns release = 0, start = 0, end = 0;
  };
  // per run: the run of the root that caused it; -1: none
  using Origins = std::vector<std::ptrdiff_t>;

  bool can_be_told(const std::vector<Index> & path, bool exact) const;
  Origins by_reading(Index reader, Index from, const Origins & origins) const;

  const Model & model_;
  std::vector<std::vector<Job>> jobs_;  // per task
};

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__OBSERVED_AGES_HPP_
