#include "data_path/plain_type.hpp"

#include <rosidl_runtime_c/type_description/type_description__struct.h>
#include <rosidl_runtime_c/type_description/type_source__struct.h>

#include <rosidl_typesupport_fastrtps_cpp/message_type_support.h>
#include <cstdint>
#include <rosidl_typesupport_fastrtps_cpp/identifier.hpp>
#include <stdexcept>
#include <string>

namespace takt_bench::data_path
{

namespace
{

std::size_t g_size = 0;

bool serialize(const void * message, eprosima::fastcdr::Cdr & cdr)
{
  cdr.serialize_array(static_cast<const std::uint8_t *>(message), g_size);
  return true;
}

bool deserialize(eprosima::fastcdr::Cdr & cdr, void * message)
{
  cdr.deserialize_array(static_cast<std::uint8_t *>(message), g_size);
  return true;
}

std::uint32_t serialized_size(const void *)
{
  return static_cast<std::uint32_t>(g_size);
}

std::size_t largest_size(char & bounds)
{
  bounds = ROSIDL_TYPESUPPORT_FASTRTPS_PLAIN_TYPE;
  return g_size;
}

const rosidl_type_hash_t * hash(const rosidl_message_type_support_t *)
{
  static rosidl_type_hash_t own = rosidl_get_zero_initialized_type_hash();
  own.version = 1;
  for (std::size_t i = 0; i < sizeof g_size; ++i) {
    own.value[i] = static_cast<std::uint8_t>(g_size >> (8 * i));
  }
  return &own;
}

std::string & type_name()
{
  static std::string name;
  return name;
}

const rosidl_runtime_c__type_description__TypeDescription * description(
  const rosidl_message_type_support_t *)
{
  static rosidl_runtime_c__type_description__TypeDescription own{};
  std::string & name = type_name();
  own.type_description.type_name = {name.data(), name.size(), name.size() + 1};
  return &own;
}

const rosidl_runtime_c__type_description__TypeSource__Sequence * sources(
  const rosidl_message_type_support_t *)
{
  static const rosidl_runtime_c__type_description__TypeSource__Sequence none{};
  return &none;
}

}  // namespace

const rosidl_message_type_support_t & plain_type(std::size_t size)
{
  if (g_size != 0 && g_size != size) {
    throw std::runtime_error("a process has one size of plain messages");
  }
  g_size = size;
  static const std::string short_name = "Plain" + std::to_string(size);
  type_name() = "takt_bench/msg/" + short_name;
  static const message_type_support_callbacks_t callbacks = [] {
    message_type_support_callbacks_t all{};  // its last members differ by distribution
    all.message_namespace_ = "takt_bench::msg";
    all.message_name_ = short_name.c_str();
    all.cdr_serialize = serialize;
    all.cdr_deserialize = deserialize;
    all.get_serialized_size = serialized_size;
    all.max_serialized_size = largest_size;
    return all;
  }();
  static const rosidl_message_type_support_t own{
    rosidl_typesupport_fastrtps_cpp::typesupport_identifier,
    &callbacks,
    get_message_typesupport_handle_function,
    hash,
    description,
    sources};
  return own;
}

}  // namespace takt_bench::data_path
