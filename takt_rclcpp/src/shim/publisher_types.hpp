// Records the message type of each publisher of this process. rcl does not give it back, and takt
// needs it to hold a message back.
#ifndef SHIM__PUBLISHER_TYPES_HPP_
#define SHIM__PUBLISHER_TYPES_HPP_

namespace takt_preload
{

/// Call it when rcl has made a publisher: an rcl_publisher_t and its rosidl_message_type_support_t.
/// Copies of an rcl_publisher_t are the same publisher: rcl publishes log lines through a copy. Any
/// thread; may block and allocate.
void note_publisher(const void * publisher, const void * type);
/// Call it before rcl ends the publisher. Any thread; may block.
void forget_publisher(const void * publisher);

}  // namespace takt_preload

#endif  // SHIM__PUBLISHER_TYPES_HPP_
