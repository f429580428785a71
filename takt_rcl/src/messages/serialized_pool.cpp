#include "takt_rcl/serialized_handler.hpp"

namespace takt_rcl::detail
{

SerializedPool::SerializedPool(std::uint32_t messages, const SerializedBuffers & buffers)
: buffers_(buffers),
  pool_(new Pool(messages))
{
  std::vector<Pool::Slot *> slots(messages);
  for (auto & slot : slots) {
    slot = pool_->acquire();
    prepare(slot->message);
  }
  for (auto * const slot : slots) {
    Pool::release(slot);
  }
}

SerializedPool::Pool::Slot * SerializedPool::acquire()
{
  auto * const slot = pool_->acquire();
  if (!slot->pooled()) {
    prepare(slot->message);
  }
  return slot;
}

void SerializedPool::prepare(SerializedMessage & message) const
{
  message.reserve(buffers_.capacity);
  if (buffers_.larger == SerializedBuffers::Larger::drop) {
    message.limit(buffers_.capacity);
  }
}

}  // namespace takt_rcl::detail
