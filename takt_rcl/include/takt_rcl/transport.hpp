// How messages of a topic travel between processes.
#ifndef TAKT_RCL__TRANSPORT_HPP_
#define TAKT_RCL__TRANSPORT_HPP_

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace takt_rcl
{

/// Of a publisher and of a subscription; see "Messages between processes without a copy" in
/// docs/own_node.md.
enum class Transport : std::uint8_t
{
  middleware,
  /// Through a channel in shared memory, if the type is plain: no copy, and no thread between the
  /// publisher and the thread that runs the callback. Both sides need the option. Other types stay
  /// with the middleware, which a warning says.
  shared_memory
};

class ChannelOutbox;

/// Ends a publisher's side of a channel.
struct EndOutbox
{
  void operator()(ChannelOutbox * outbox) const noexcept;
};

namespace detail
{

/// How a message type lies in memory.
struct MessageLayout
{
  std::size_t size = 0;
  /// Its bytes are the whole message: no string or sequence without a fixed size.
  bool plain = false;
};

template <typename Msg>
constexpr MessageLayout layout_of() noexcept
{
  return {sizeof(Msg), std::is_trivially_copyable_v<Msg> && alignof(Msg) <= 64};
}

}  // namespace detail

}  // namespace takt_rcl

#endif  // TAKT_RCL__TRANSPORT_HPP_
