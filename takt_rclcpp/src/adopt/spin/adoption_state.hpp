// What an adoption does now, and what may come after it.
#ifndef ADOPT__SPIN__ADOPTION_STATE_HPP_
#define ADOPT__SPIN__ADOPTION_STATE_HPP_

#include <atomic>
#include <cassert>
#include <cstdint>

namespace takt_rclcpp
{

enum class AdoptionState : std::uint8_t
{
  made,      ///< its entities are in takt's executor, and no spin has begun
  ready,     ///< the housekeeping is there as well; no spin is under way
  spinning,  ///< the program is in a spin
  leaving,  ///< the program is in a spin that is over: its entities are out of the executor, which goes on for others
  gone      ///< its entities are out of the executor for good
};

/// Whether an adoption may go from one state to another one.
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

/// Read by any thread; changed by the thread that spins or destroys the adoption.
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
