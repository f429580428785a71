// Limits of the analyses' effort, so that no model can make them hang.
//
// Limits count steps, not time: the same model has the same answer on every machine. A task that
// runs out of steps has no bound, and so have tasks that depend on it. These functions do not
// allocate or block.
#ifndef TAKT_PLAN__SRC__LIMITS_HPP_
#define TAKT_PLAN__SRC__LIMITS_HPP_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "takt_plan/model.hpp"

namespace takt_plan::detail
{

/// Evaluations of a task's equations, over all activations and all rounds of one analysis. Real
/// systems need thousands. Only nearly full cores (to the last millionth) and very long bursts of
/// releases need more.
inline constexpr std::int64_t kMostSteps = 1'000'000;

/// Terms of these equations, over all tasks that share them: each evaluation of a large system has
/// thousands of terms. About a minute.
inline constexpr std::int64_t kMostLooks = 10'000'000'000;

/// A bound that still grows after so many rounds over all tasks counts as unbounded.
inline constexpr int kMostRounds = 1000;

/// The largest bound that counts: `asked`, or for 0 a hundred times the longest period of the
/// model. Below kUnbounded.
Ns horizon(const Model & model, Ns asked);

/// The remaining evaluations for tasks that share them. `terms`: of each evaluation.
class Steps
{
public:
  explicit Steps(std::size_t tasks = 1, std::size_t terms = 1)
  : left_(std::min(
      static_cast<std::int64_t>(tasks) * kMostSteps,
      kMostLooks / static_cast<std::int64_t>(std::max<std::size_t>(terms, 1))))
  {
  }

  /// Takes one step; false if none is left.
  bool take() noexcept { return left_ > 0 && left_-- > 0; }
  bool none() const noexcept { return left_ == 0; }
  std::int64_t left() const noexcept { return left_; }
  void give_up() noexcept { left_ = 0; }

private:
  std::int64_t left_;
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__LIMITS_HPP_
