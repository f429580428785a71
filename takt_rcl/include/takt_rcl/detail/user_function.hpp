// The call of a user's function, in a function of its own.
//
// The guard (takt exec --guard) tells by the functions of a stack whether an event is of the user's
// code or of takt_rcl. A compiler that optimises puts a lambda into the function that calls it, and
// drops the caller of a call at a function's end from the stack. So nothing but the user's code is
// in this function, and its frame stays.
#ifndef TAKT_RCL__DETAIL__USER_FUNCTION_HPP_
#define TAKT_RCL__DETAIL__USER_FUNCTION_HPP_

#include <functional>
#include <type_traits>
#include <utility>

namespace takt_rcl::detail
{

/// Work after the user's function, which the compiler must not move before it.
struct StaysOnStack
{
  ~StaysOnStack() { asm volatile(""); }
};

/// Calls the user's function. Real-time safe if the function is.
template <typename F, typename... Arguments>
[[gnu::noinline]] std::invoke_result_t<F &, Arguments...> call_user(
  F & function, Arguments &&... arguments)
{
  [[maybe_unused]] const StaysOnStack stays;
  return std::invoke(function, std::forward<Arguments>(arguments)...);
}

}  // namespace takt_rcl::detail

#endif  // TAKT_RCL__DETAIL__USER_FUNCTION_HPP_
