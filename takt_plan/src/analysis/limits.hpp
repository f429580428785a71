// How long analyses try before they give up, so that no model can make them hang.
//
// Counted, not timed: the same model has the same answer on every machine. Whoever runs out of steps
// has no bound; what depends on it has none either. Nothing here allocates or blocks.
#ifndef TAKT_PLAN__SRC__LIMITS_HPP_
#define TAKT_PLAN__SRC__LIMITS_HPP_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "takt_plan/model.hpp"

namespace takt_plan::detail
{

/// Evaluations of a task's equations, over all activations and all rounds of one analysis. Real
/// systems need thousands. More are wanted by cores that are full to the last millionth, and by bursts
/// of as many releases.
inline constexpr std::int64_t kMostSteps = 1'000'000;

/// Terms of these equations, over all tasks that share them: in large systems each evaluation looks at
/// thousands. Within a minute or so.
inline constexpr std::int64_t kMostLooks = 10'000'000'000;

/// Bounds that still grow after so many rounds over all tasks are taken to grow without end.
inline constexpr int kMostRounds = 1000;

/// Beyond which a bound counts as none: as it was asked for; 0: a hundred times the longest period of
/// the model. Below kUnbounded.
Ns horizon(const Model & model, Ns asked);

/// What is left of the evaluations, for as many tasks as share them; `terms`: of each evaluation.
class Steps
{
public:
  explicit Steps(std::size_t tasks = 1, std::size_t terms = 1)
  : left_(std::min(
      static_cast<std::int64_t>(tasks) * kMostSteps,
      kMostLooks / static_cast<std::int64_t>(std::max<std::size_t>(terms, 1))))
  {
  }

  /// One step; false if none was left.
  bool take() noexcept { return left_ > 0 && left_-- > 0; }
  bool none() const noexcept { return left_ == 0; }
  std::int64_t left() const noexcept { return left_; }
  void give_up() noexcept { left_ = 0; }

private:
  std::int64_t left_;
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__LIMITS_HPP_
