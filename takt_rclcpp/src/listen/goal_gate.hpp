// Delays requests for a goal's result or end until the server knows the goal.
//
// rclcpp_action first answers a client that its goal is accepted, and then records the goal. In
// between a client on the same machine may ask for the result; if the server's callbacks may run
// side by side, the server then answers that it has no such goal. On a busy machine this happened
// to 38 of 1,440 goals under takt's threads, and to 3 under rclcpp's own executors. So each server
// delays its other requests between the answer and the record. No code of the program runs in this
// time.
#ifndef LISTEN__GOAL_GATE_HPP_
#define LISTEN__GOAL_GATE_HPP_

#include <atomic>
#include <cstdint>

namespace takt_rclcpp
{

/// The gate of one action server.
class GoalGate
{
public:
  GoalGate() = default;
  GoalGate(const GoalGate &) = delete;
  GoalGate & operator=(const GoalGate &) = delete;

  /// Lives while the calling thread runs a callback of the server. If the callback began an answer
  /// and the server does not know the goal, the destructor opens the gate again.
  class Run
  {
  public:
    explicit Run(GoalGate & gate) noexcept;
    ~Run();
    Run(const Run &) = delete;
    Run & operator=(const Run &) = delete;

  private:
    friend class GoalGate;
    GoalGate & gate_;
    Run * const outer_;
    bool answers_ = false;
  };

  /// The run of the calling thread begins to answer a request for a goal. Real-time safe.
  static void answer_begins() noexcept;
  /// The server knows the goal. Real-time safe.
  static void goal_known() noexcept;

  /// Waits until the server knows all goals that were answered. May block for the time of a few
  /// functions of rcl on other threads.
  void wait() noexcept;

private:
  std::atomic<std::uint32_t> answering_{0};  // a futex
};

}  // namespace takt_rclcpp

#endif  // LISTEN__GOAL_GATE_HPP_
