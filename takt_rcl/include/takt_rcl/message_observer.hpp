// A hook that sees every publish and every take of a context: joins chains across processes.
#ifndef TAKT_RCL__MESSAGE_OBSERVER_HPP_
#define TAKT_RCL__MESSAGE_OBSERVER_HPP_

#include <cstdint>
#include <string_view>

#include "takt_core/activation.hpp"
#include "takt_rcl/message_info.hpp"

namespace takt_rcl
{

/// Set with `Context::add_message_observer`. Functions are called on the publishing or taking
/// thread, possibly on several at once, and must be real-time safe.
class MessageObserver
{
public:
  virtual ~MessageObserver() = default;

  /// Right before a message goes to the middleware, so it precedes every take of it. If the publish
  /// then fails, the next one is announced with the same `sequence`. `topic` is the fully qualified
  /// name. `activations`: what the message carries; nullptr outside of callbacks.
  virtual void on_publish(
    const Gid & /*publisher*/, std::uint64_t /*sequence*/, std::string_view /*topic*/,
    const takt_core::ActivationSet * /*activations*/) noexcept
  {
  }

  /// After a take, before the user's function. `callback` is the taker's Callback::number().
  virtual void on_take(
    std::uint32_t /*callback*/, const Gid & /*publisher*/, std::uint64_t /*sequence*/) noexcept
  {
  }
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__MESSAGE_OBSERVER_HPP_
