// Reaches private members of rclcpp's classes. A derived class cannot name them, but an explicit
// instantiation can.
//
//     struct Queue : Revealed<Queue> {};
//     template struct Reveal<Queue, &Executor::queue_>;
//     … object.*member_of(Queue{}) …
#ifndef RCLCPP_API__REVEAL_HPP_
#define RCLCPP_API__REVEAL_HPP_

namespace takt_rclcpp
{

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-template-friend"  // each tag has its own function
/// Base class of a tag for a member.
template <typename Tag>
struct Revealed
{
  friend auto member_of(Tag);
};
#pragma GCC diagnostic pop

/// Makes `member_of(Tag{})` return the pointer to the member.
template <typename Tag, auto Member>
struct Reveal
{
  friend auto member_of(Tag) { return Member; }
};

}  // namespace takt_rclcpp

#endif  // RCLCPP_API__REVEAL_HPP_
