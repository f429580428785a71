// A request for a goal's result, or for its end, waits until the server knows the goal.
//
// rclcpp_action answers a client that its goal is accepted, and notes the goal afterwards. A client of the same machine
// may ask for the result in between, and where the server's callbacks may run side by side, the server answers that it has
// no such goal. rclcpp's own executors seldom come to a request that soon; takt's threads do (of 1,440 goals of a busy
// machine 38, rclcpp's 3). So in each server the time from the answer to the note keeps its other requests waiting. No
// code of the program runs in it.
#ifndef LISTEN__GOAL_GATE_HPP_
#define LISTEN__GOAL_GATE_HPP_

#include <atomic>
#include <cstdint>

namespace takt_rclcpp
{

/// Of one action server.
class GoalGate
{
public:
  GoalGate() = default;
  GoalGate(const GoalGate &) = delete;
  GoalGate & operator=(const GoalGate &) = delete;

  /// While it lives, the calling thread runs a callback of the server. Its end ends what `answer_begins` began.
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

  /// Until all goals that are answered are known. May block: for what other threads need for a few functions of rcl.
  void wait() noexcept;

private:
  std::atomic<std::uint32_t> answering_{0};  // a futex
};

}  // namespace takt_rclcpp

#endif  // LISTEN__GOAL_GATE_HPP_
