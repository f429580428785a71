// A message object of a type that the program knows by name only, at run time.
#ifndef TAKT_RCL__NAMED_TYPE_HPP_
#define TAKT_RCL__NAMED_TYPE_HPP_

#include <rosidl_runtime_c/message_type_support_struct.h>

#include <cstddef>
#include <memory>
#include <rosidl_runtime_cpp/message_initialization.hpp>
#include <string>

#include "takt_rcl/serialized_message.hpp"

namespace takt_rcl::detail
{

/// Makes objects of one type, and converts them to bytes and back. Any thread.
class NamedType
{
public:
  /// `name` as of `message_type_support`. Set-up only: allocates, and reads the type's libraries.
  /// Throws `Error` as `message_type_support`, and if the package has no description of the type
  /// (rosidl_typesupport_introspection_cpp).
  explicit NamedType(const std::string & name);

  /// The name that the constructor got. Real-time safe.
  const std::string & name() const noexcept { return name_; }

  struct Free
  {
    void (*finish)(void *);
    void operator()(void * object) const noexcept;
  };
  using Object = std::unique_ptr<void, Free>;
  /// An object with the type's default values. Allocates.
  Object make() const;

  /// Allocates. Throws `Error` if the middleware refuses the object.
  void serialize(const void * object, SerializedMessage & bytes) const;
  /// Allocates as the type needs. False: these are not the bytes of such a message.
  bool deserialize(const SerializedMessage & bytes, void * object) const noexcept;

private:
  std::string name_;
  SerializationBase serialization_;
  std::size_t size_;
  void (*begin_)(void * object, rosidl_runtime_cpp::MessageInitialization how);
  void (*finish_)(void * object);
};

}  // namespace takt_rcl::detail

#endif  // TAKT_RCL__NAMED_TYPE_HPP_
