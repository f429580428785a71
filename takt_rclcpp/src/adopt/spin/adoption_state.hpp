// The states of an adoption, and the allowed transitions.
#ifndef ADOPT__SPIN__ADOPTION_STATE_HPP_
#define ADOPT__SPIN__ADOPTION_STATE_HPP_

#include <atomic>
#include <cassert>
#include <cstdint>

namespace takt_rclcpp
{

enum class AdoptionState : std::uint8_t
{
  made,      ///< its entities are in takt's executor; no spin has begun
  ready,     ///< the housekeeping is added, too; no spin is in progress
  spinning,  ///< a spin is in progress
  leaving,   ///< the spin is over, its entities are removed; the executor goes on for others
  gone       ///< its entities are removed for good
};

/// True if an adoption may go from `from` to `to`.
constexpr bool may_follow(AdoptionState from, AdoptionState to) noexcept
{
  using State = AdoptionState;
  switch (from) {
    case State::made:
      return to == State::ready || to == State::gone;
    case State::ready:
      return to == State::spinning || to == State::gone;
    case State::spinning:
      return to == State::ready || to == State::leaving;
    case State::leaving:
      return to == State::gone;
    case State::gone:
      return false;
  }
  return false;
}

/// Any thread may read it. The thread that spins or destroys the adoption changes it.
class CurrentState
{
public:
  AdoptionState get() const noexcept { return state_.load(); }
  bool is(AdoptionState state) const noexcept { return get() == state; }
  void go(AdoptionState to) noexcept
  {
    assert(may_follow(get(), to));
    state_.store(to);
  }

private:
  std::atomic<AdoptionState> state_{AdoptionState::made};
};

}  // namespace takt_rclcpp

#endif  // ADOPT__SPIN__ADOPTION_STATE_HPP_
