// Messages as the middleware sends them: bytes that a program records, forwards or compares without
// their type.
//
// A subscription whose callback takes a SerializedMessage has buffers of a bounded size from its
// start on; SerializedBuffers says what happens to a message that is larger.
#ifndef TAKT_RCL__SERIALIZED_MESSAGE_HPP_
#define TAKT_RCL__SERIALIZED_MESSAGE_HPP_

#include <rmw/serialized_message.h>
#include <rosidl_runtime_c/message_type_support_struct.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <rosidl_typesupport_cpp/message_type_support.hpp>
#include <span>
#include <utility>

namespace takt_rcl
{

/// The buffers of a subscription whose callback takes serialised messages.
struct SerializedBuffers
{
  enum class Larger : std::uint8_t
  {
    grow,  ///< the take enlarges its buffer for good: allocates, and `allocated_messages` counts it
    drop   ///< the message is dropped, and `oversized_messages` counts it
  };
  std::size_t capacity = 4096;  ///< bytes of each buffer from the start on
  Larger larger = Larger::grow;
};

/// A serialised message with its buffer. One thread at a time.
class SerializedMessage
{
public:
  /// Room for `capacity` bytes. Allocates.
  explicit SerializedMessage(std::size_t capacity = 0);
  /// Copies the bytes. Allocates where the buffer has no room for them; throws std::bad_alloc.
  SerializedMessage(const SerializedMessage & other);
  SerializedMessage & operator=(const SerializedMessage & other);
  ~SerializedMessage() = default;

  /// Of the message. Real-time safe.
  std::size_t size() const noexcept { return view_.buffer_length; }
  /// Bytes for which the buffer has room. Real-time safe.
  std::size_t capacity() const noexcept { return room_; }
  /// The message. Valid until the buffer changes. Real-time safe.
  std::span<const std::uint8_t> bytes() const noexcept { return {view_.buffer, size()}; }

  /// Copies `bytes`. Real-time safe if the buffer has room for them; else allocates and may throw
  /// std::bad_alloc.
  void assign(std::span<const std::uint8_t> bytes);
  /// Room for `capacity` bytes; never shrinks. Allocates, and may throw std::bad_alloc.
  void reserve(std::size_t capacity);
  /// A buffer never grows beyond `most` bytes: functions of rcl and rmw that need more fail.
  /// Real-time safe.
  void limit(std::size_t most) noexcept { most_ = most; }

  /// For functions of rcl and rmw, which may enlarge the buffer. It remains this object's. As
  /// rclcpp's. Real-time safe.
  rmw_serialized_message_t & get_rcl_serialized_message() noexcept { return view_; }
  const rmw_serialized_message_t & get_rcl_serialized_message() const noexcept { return view_; }

  // ---- for takes; real-time safe ----

  /// Empties the message, also after a function of rcl failed for lack of room.
  void clear() noexcept;
  /// The limit refused more room since `clear`.
  bool refused() const noexcept { return refused_; }
  /// The buffer has grown since the last call.
  bool take_growth() noexcept { return std::exchange(grew_, false); }

private:
  struct Free
  {
    void operator()(std::uint8_t * memory) const noexcept;
  };

  bool grow(std::size_t size) noexcept;
  static void * allocate(std::size_t size, void * self);
  static void deallocate(void *, void *) {}
  static void * reallocate(void * memory, std::size_t size, void * self);
  static void * allocate_zeros(std::size_t number, std::size_t size, void * self);

  rmw_serialized_message_t view_{};
  std::unique_ptr<std::uint8_t[], Free> memory_;
  std::size_t room_ = 0;
  std::size_t most_ = SIZE_MAX;
  bool refused_ = false;
  bool grew_ = false;
};

/// Converts messages of a type to bytes and back. As rclcpp's, but a failure is a value. Any
/// thread. The middleware's functions may allocate.
class SerializationBase
{
public:
  explicit SerializationBase(const rosidl_message_type_support_t & type) : type_(&type) {}

  /// False: the middleware refused the message, or the buffer's limit is too small.
  bool serialize_message(const void * message, SerializedMessage * serialized) const noexcept;
  /// False: these are not the bytes of such a message. `message` may have any content then.
  bool deserialize_message(const SerializedMessage * serialized, void * message) const noexcept;

private:
  const rosidl_message_type_support_t * type_;
};

/// For a type that the program knows.
template <typename Msg>
class Serialization : public SerializationBase
{
public:
  Serialization()
  : SerializationBase(*rosidl_typesupport_cpp::get_message_type_support_handle<Msg>())
  {
  }
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__SERIALIZED_MESSAGE_HPP_
