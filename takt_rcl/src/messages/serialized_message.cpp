#include "takt_rcl/serialized_message.hpp"

#include <rcutils/error_handling.h>
#include <rmw/rmw.h>

#include <cstdlib>
#include <cstring>
#include <new>

namespace takt_rcl
{

// The object keeps its memory itself: rcutils frees a buffer that it could not enlarge.
SerializedMessage::SerializedMessage(std::size_t capacity)
{
  view_.allocator = {&allocate, &deallocate, &reallocate, &allocate_zeros, this};
  reserve(capacity);
}

SerializedMessage::SerializedMessage(const SerializedMessage & other)
: SerializedMessage(other.size())
{
  assign(other.bytes());
}

SerializedMessage & SerializedMessage::operator=(const SerializedMessage & other)
{
  if (this != &other) {
    assign(other.bytes());
  }
  return *this;
}

void SerializedMessage::Free::operator()(std::uint8_t * memory) const noexcept
{
  std::free(memory);
}

void SerializedMessage::clear() noexcept
{
  view_.buffer = memory_.get();
  view_.buffer_capacity = room_;
  view_.buffer_length = 0;
  refused_ = false;
}

bool SerializedMessage::grow(std::size_t size) noexcept
{
  if (size <= room_) {
    return true;
  }
  if (size > most_) {
    refused_ = true;
    return false;
  }
  auto * const larger = static_cast<std::uint8_t *>(std::realloc(memory_.get(), size));
  if (larger == nullptr) {
    return false;
  }
  static_cast<void>(memory_.release());
  memory_.reset(larger);
  room_ = size;
  grew_ = true;
  return true;
}

void SerializedMessage::reserve(std::size_t capacity)
{
  if (!grow(capacity)) {
    throw std::bad_alloc();
  }
  view_.buffer = memory_.get();
  view_.buffer_capacity = room_;
  grew_ = false;
}

void SerializedMessage::assign(std::span<const std::uint8_t> bytes)
{
  reserve(bytes.size());
  if (!bytes.empty()) {
    std::memcpy(memory_.get(), bytes.data(), bytes.size());
  }
  view_.buffer_length = bytes.size();
}

void * SerializedMessage::allocate(std::size_t size, void * self)
{
  return reallocate(nullptr, size, self);
}

void * SerializedMessage::reallocate(void *, std::size_t size, void * self)
{
  auto * const here = static_cast<SerializedMessage *>(self);
  return here->grow(size) ? here->memory_.get() : nullptr;
}

void * SerializedMessage::allocate_zeros(std::size_t number, std::size_t size, void * self)
{
  void * const memory =
    size != 0 && number > SIZE_MAX / size ? nullptr : allocate(number * size, self);
  if (memory != nullptr) {
    std::memset(memory, 0, number * size);
  }
  return memory;
}

bool SerializationBase::serialize_message(
  const void * message, SerializedMessage * serialized) const noexcept
{
  serialized->clear();
  if (rmw_serialize(message, type_, &serialized->get_rcl_serialized_message()) == RMW_RET_OK) {
    return true;
  }
  rcutils_reset_error();
  serialized->clear();
  return false;
}

bool SerializationBase::deserialize_message(
  const SerializedMessage * serialized, void * message) const noexcept
{
  if (rmw_deserialize(&serialized->get_rcl_serialized_message(), type_, message) == RMW_RET_OK) {
    return true;
  }
  rcutils_reset_error();
  return false;
}

}  // namespace takt_rcl
