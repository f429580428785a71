// Defines rcl's functions that set the listener of an object, for programs that link takt_rclcpp
// (takt_rclcpp::Executor). So a function that the program sets does not replace takt's listener.
//
// Such a program links takt_rclcpp before rcl, so calls of rclcpp and rclcpp_action come here. For
// adopted programs the preloaded shim does the same; there only takt's own calls come here, because
// this library is opened with RTLD_LOCAL. If a program that links takt_rclcpp is adopted, a call
// passes through the shim's function and then through this one.
#include "listen/rcl_functions.hpp"

#include <dlfcn.h>
#include <rcl/client.h>
#include <rcl/error_handling.h>
#include <rcl/event.h>
#include <rcl/service.h>
#include <rcl/subscription.h>
#include <rcl/timer.h>

#include <atomic>
#include <cstdint>

#include "adopt/recorder.hpp"
#include "listen/goal_gate.hpp"
#include "listen/own_listeners.hpp"
#include "shim/hooked_symbols.h"

namespace takt_rclcpp
{
namespace
{

constinit std::atomic<bool> g_shim_tells{false};

}  // namespace

void leave_requests_to_the_shim() noexcept
{
  g_shim_tells.store(true, std::memory_order_relaxed);
}

bool shim_tells_requests() noexcept
{
  return g_shim_tells.load(std::memory_order_relaxed);
}

}  // namespace takt_rclcpp

#define TAKT_RCL_LISTENER(Handle, function)                                               \
  extern "C" __attribute__((visibility("default"))) rcl_ret_t function(                   \
    const Handle * handle, rcl_event_callback_t callback, const void * data)              \
  {                                                                                       \
    using Function = rcl_ret_t (*)(const Handle *, rcl_event_callback_t, const void *);   \
    static const auto g_next = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, #function)); \
    if (takt_rclcpp::program_sets(handle, callback, data)) {                              \
      return RCL_RET_OK;                                                                  \
    }                                                                                     \
    if (g_next == nullptr) {                                                              \
      RCL_SET_ERROR_MSG("takt does not find " #function "; link takt_rclcpp before rcl"); \
      return RCL_RET_ERROR;                                                               \
    }                                                                                     \
    return g_next(handle, callback, data);                                                \
  }

// Records requests, so that takt finds callbacks that wait for each other's answers.
extern "C" __attribute__((visibility("default"))) rcl_ret_t rcl_send_request(
  const rcl_client_t * client, const void * request, std::int64_t * number)
{
  using Function = rcl_ret_t (*)(const rcl_client_t *, const void *, std::int64_t *);
  static const auto g_next = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "rcl_send_request"));
  if (g_next == nullptr) {
    RCL_SET_ERROR_MSG("takt does not find rcl_send_request; link takt_rclcpp before rcl");
    return RCL_RET_ERROR;
  }
  const rcl_ret_t result = g_next(client, request, number);
  if (result == RCL_RET_OK && number != nullptr && !takt_rclcpp::shim_tells_requests()) {
    takt_rclcpp::Recorder::note_request(client, *number);
  }
  return result;
}

// From this answer until the server records the goal, the client knows a goal that the server does
// not. The parameters are void pointers, because this library does not need rcl_action.
extern "C" __attribute__((visibility("default"))) rcl_ret_t rcl_action_send_goal_response(
  const void * server, void * header, void * response)
{
  using Function = rcl_ret_t (*)(const void *, void *, void *);
  static const auto g_next =
    reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "rcl_action_send_goal_response"));
  if (g_next == nullptr) {
    RCL_SET_ERROR_MSG(
      "takt does not find rcl_action_send_goal_response; link takt_rclcpp before rcl_action");
    return RCL_RET_ERROR;
  }
  takt_rclcpp::GoalGate::answer_begins();
  return g_next(server, header, response);
}

extern "C" __attribute__((visibility("default"))) void * rcl_action_accept_new_goal(
  void * server, const void * goal)
{
  using Function = void * (*)(void *, const void *);
  static const auto g_next =
    reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "rcl_action_accept_new_goal"));
  if (g_next == nullptr) {
    RCL_SET_ERROR_MSG(
      "takt does not find rcl_action_accept_new_goal; link takt_rclcpp before rcl_action");
    return nullptr;
  }
  void * const handle = g_next(server, goal);
  takt_rclcpp::GoalGate::goal_known();
  return handle;
}

TAKT_RCL_LISTENERS(TAKT_RCL_LISTENER)
