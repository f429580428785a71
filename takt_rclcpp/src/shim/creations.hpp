// Records the order in which the nodes of this process get their timers, subscriptions, services,
// clients and waitables. Equal ids are numbered in this order, and rclcpp keeps the order only
// within a callback group.
#ifndef SHIM__CREATIONS_HPP_
#define SHIM__CREATIONS_HPP_

namespace takt_preload
{

/// Call it when a node gets an object. `shared_pointer`: pointer to the std::shared_ptr of the
/// object. Any thread; may block and allocate.
void note_made(const void * shared_pointer);

}  // namespace takt_preload

#endif  // SHIM__CREATIONS_HPP_
