// Whom rcl tells of a message, a request or a response that has arrived.
//
// rclcpp's own setters keep the function that rcl calls inside the subscription, service or client, and destroy the
// function with that object. rcl's handle may live on, because others hold it (a handler of QoS events does), and rcl
// would call what is gone. So rcl gets a number from here. No number is given twice: a late call finds nothing.
#ifndef ADOPT__ARRIVALS_HPP_
#define ADOPT__ARRIVALS_HPP_

#include <cstddef>
#include <memory>

namespace takt_rclcpp
{

class ArrivalListener
{
public:
  virtual ~ArrivalListener() = default;
  /// `count` have arrived. On the middleware's thread or inside a publish; real-time safe.
  virtual void arrived(std::size_t count) noexcept = 0;
};

/// Registers `listener`, and keeps it until `forget_listener`. Returns the user data for `tell_of_arrival`. Any
/// thread; allocates.
const void * register_listener(std::shared_ptr<ArrivalListener> listener);
/// Calls that began before may still run. Any thread.
void forget_listener(const void * number) noexcept;
/// An `rcl_event_callback_t`: the user data is a number of `register_listener`. Does nothing after
/// `forget_listener`. Any thread; holds a mutex with priority inheritance while it looks the number up.
void tell_of_arrival(const void * number, std::size_t count);

}  // namespace takt_rclcpp

#endif  // ADOPT__ARRIVALS_HPP_
