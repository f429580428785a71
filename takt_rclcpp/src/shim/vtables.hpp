// Redirects virtual calls of `spin` if librclcpp binds its own symbols inside.
#ifndef SHIM__VTABLES_HPP_
#define SHIM__VTABLES_HPP_

namespace takt_preload
{

/// Replaces librclcpp's functions in the virtual tables of rclcpp's executors by the shim's. Does
/// nothing if the loader has put the shim's functions there already. Call it once, before the
/// program's main, while no other thread calls them.
void patch_vtables();

}  // namespace takt_preload

#endif  // SHIM__VTABLES_HPP_
