// The end of a context of rclcpp (Ctrl-C, rclcpp::shutdown).
//
// As under rclcpp's own loop, `rclcpp::ok()` becomes false first: a callback that checks it can
// return, and the end does not wait for a callback in progress. The end waits for a spin that runs
// no callback: the thread that ends the context may destroy the executor next, and takt needs
// longer than rclcpp's loop to leave the executor.
//
// During a shutdown rclcpp calls the registered functions with a mutex of the context held. If a
// spin registered or removed a function, it would need this mutex, and would wait for ever if the
// program's own function joins the thread of this spin. So takt registers one function for each
// context, and adoptions enter and leave a table of takt's.
#ifndef ADOPT__SPIN__END_OF_CONTEXT_HPP_
#define ADOPT__SPIN__END_OF_CONTEXT_HPP_

#include <memory>

#include "rclcpp/context.hpp"

namespace takt_rclcpp
{

/// A spin in a context.
class ContextUser
{
public:
  virtual ~ContextUser() = default;
  /// Called when the context has ended: start no further callback. Runs on the thread that ended
  /// the context, with the table locked, so it must not call `UsesContext`. May not block.
  virtual void context_ended() noexcept = 0;
  /// True while a callback of the program runs. Called as `context_ended` is.
  virtual bool runs_callback() const noexcept = 0;
};

/// While it lives, `user` hears of the end of `context`. Any thread; may block, but never for a
/// shutdown in progress.
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

/// Lives from the begin to the end of a spin, longer than a `UsesContext`. The end of `context`
/// waits until this object is destroyed, for up to two seconds, but does not wait while the spin
/// runs a callback. Threads and blocking as `UsesContext`.
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
