// The listeners that rcl calls when a message, a request or a response arrives.
//
// rclcpp's own setters store the function in the subscription, service or client, and destroy the
// function with this object. rcl's handle may live longer, because other objects hold it (a handler
// of QoS events does), and rcl would then call a destroyed function. So rcl gets a number instead.
// Numbers are never reused, so a late call finds no listener.
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
  /// `count` messages have arrived. Called on the middleware's thread or inside a publish;
  /// real-time safe.
  virtual void arrived(std::size_t count) noexcept = 0;
};

/// Registers `listener`, and keeps it until `forget_listener`. Returns the user data for
/// `tell_of_arrival`. Any thread; allocates.
const void * register_listener(std::shared_ptr<ArrivalListener> listener);
/// Unregisters a listener. Calls of the listener that began before may still run. Any thread.
void forget_listener(const void * number) noexcept;
/// An `rcl_event_callback_t` whose user data is a number of `register_listener`. Does nothing after
/// `forget_listener`. Any thread; holds a mutex with priority inheritance during the look-up.
void tell_of_arrival(const void * number, std::size_t count);

}  // namespace takt_rclcpp

#endif  // ADOPT__ARRIVALS_HPP_
