#include "takt_rcl/named_type.hpp"

#include <exception>
#include <new>
#include <rosidl_typesupport_introspection_cpp/identifier.hpp>
#include <rosidl_typesupport_introspection_cpp/message_introspection.hpp>

#include "takt_rcl/error.hpp"
#include "takt_rcl/message_type.hpp"

namespace takt_rcl::detail
{
namespace
{

using Members = rosidl_typesupport_introspection_cpp::MessageMembers;

const Members & members_of(const std::string & name)
{
  const rosidl_message_type_support_t & type = message_type_support(name);
  const rosidl_message_type_support_t * described = nullptr;
  std::string why;
  try {
    described = type.func(&type, rosidl_typesupport_introspection_cpp::typesupport_identifier);
  } catch (const std::exception & error) {  // rosidl_typesupport_cpp cannot load the library
    why = std::string(" (") + error.what() + ")";
  }
  if (described == nullptr) {
    take_rcl_error();
    throw Error(
      "the package of '" + name +
      "' has no library rosidl_typesupport_introspection_cpp that can be loaded" + why +
      ", so takt cannot make such a message; install the package's introspection library");
  }
  return *static_cast<const Members *>(described->data);
}

}  // namespace

NamedType::NamedType(const std::string & name)
: name_(name),
  serialization_(message_type_support(name)),
  size_(members_of(name).size_of_),
  begin_(members_of(name).init_function),
  finish_(members_of(name).fini_function)
{
}

void NamedType::Free::operator()(void * object) const noexcept
{
  finish(object);
  ::operator delete(object);
}

NamedType::Object NamedType::make() const
{
  void * const memory = ::operator new(size_);
  try {
    begin_(memory, rosidl_runtime_cpp::MessageInitialization::ALL);
  } catch (...) {
    ::operator delete(memory);
    throw;
  }
  return {memory, Free{finish_}};
}

void NamedType::serialize(const void * object, SerializedMessage & bytes) const
{
  if (!serialization_.serialize_message(object, &bytes)) {
    throw Error("the middleware refuses to serialise a message of type '" + name_ + "'");
  }
}

bool NamedType::deserialize(const SerializedMessage & bytes, void * object) const noexcept
{
  return serialization_.deserialize_message(&bytes, object);
}

}  // namespace takt_rcl::detail
