// The end of a context of rclcpp (Ctrl-C, rclcpp::shutdown): no callback of an adopted executor may be inside rcl
// when rcl is torn down.
//
// rclcpp runs the functions that are registered for a shutdown with a mutex of the context held. A spin that
// takes this mutex to come or go waits for ever for a shutdown in which the program's own function joins that
// spin's thread. So one function is registered for each context, once and for all, and adoptions come and go in a
// table of takt's.
#ifndef ADOPT__END_OF_CONTEXT_HPP_
#define ADOPT__END_OF_CONTEXT_HPP_

#include <memory>

#include "rclcpp/context.hpp"

namespace takt_rclcpp
{

/// Something that spins in a context.
class ContextUser
{
public:
  virtual ~ContextUser() = default;
  /// The context ends: starts no further callback. On the thread that ends the context, with the table locked:
  /// must not call `UsesContext`. May not block.
  virtual void context_ends() noexcept = 0;
};

/// From its construction to its destruction `user` is told of the end of `context`, and the end waits for up to
/// two seconds for the destruction. Any thread; may block, but never for a shutdown in progress.
class UsesContext
{
public:
  UsesContext(const std::shared_ptr<rclcpp::Context> & context, ContextUser & user);
  ~UsesContext();
  UsesContext(const UsesContext &) = delete;
  UsesContext & operator=(const UsesContext &) = delete;

private:
  ContextUser & user_;
};

}  // namespace takt_rclcpp

#endif  // ADOPT__END_OF_CONTEXT_HPP_
