// The order in which the nodes of this process get their timers, subscriptions, services, clients and waitables:
// rclcpp keeps it within a callback group only, and equal ids are numbered by it.
#ifndef SHIM__CREATIONS_HPP_
#define SHIM__CREATIONS_HPP_

namespace takt_preload
{

/// A node gets the object of a std::shared_ptr, to which this is a pointer. Any thread; may block and allocate.
void note_made(const void * shared_pointer);

}  // namespace takt_preload

#endif  // SHIM__CREATIONS_HPP_
