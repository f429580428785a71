// The end of a context of rclcpp (Ctrl-C, rclcpp::shutdown).
//
// As under rclcpp's own loop, `rclcpp::ok()` is false first: a callback that asks it ends by itself, and nobody waits
// for one that does not. A spin that runs no callback any more is waited for: the thread that ends the context may
// destroy the executor next, and takt needs longer than rclcpp's loop until it has left that alone.
//
// rclcpp runs the functions that are registered for a shutdown with a mutex of the context held. A spin that
// takes this mutex to come or go waits for ever for a shutdown in which the program's own function joins that
// spin's thread. So one function is registered for each context, once and for all, and adoptions come and go in a
// table of takt's.
#ifndef ADOPT__SPIN__END_OF_CONTEXT_HPP_
#define ADOPT__SPIN__END_OF_CONTEXT_HPP_

#include <memory>

#include "rclcpp/context.hpp"

namespace takt_rclcpp
{

/// Something that spins in a context.
class ContextUser
{
public:
  virtual ~ContextUser() = default;
  /// The context has ended: starts no further callback. On the thread that ended it, with the table locked:
  /// must not call `UsesContext`. May not block.
  virtual void context_ended() noexcept = 0;
  /// A callback of the program is under way. As `context_ended`.
  virtual bool runs_callback() const noexcept = 0;
};

/// From its construction to its destruction `user` is told of the end of `context`. Any thread; may block, but never
/// for a shutdown in progress.
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

/// A spin from its begin to its end, also beyond a `UsesContext`: the end of `context` waits for up to two seconds for
/// the destruction, but not while the spin runs a callback. As `UsesContext`.
class HoldsTheEnd
{
public:
  explicit HoldsTheEnd(const std::shared_ptr<rclcpp::Context> & context);
  ~HoldsTheEnd();
  HoldsTheEnd(const HoldsTheEnd &) = delete;
  HoldsTheEnd & operator=(const HoldsTheEnd &) = delete;

private:
  const rclcpp::Context * const context_;
};

}  // namespace takt_rclcpp

#endif  // ADOPT__SPIN__END_OF_CONTEXT_HPP_
