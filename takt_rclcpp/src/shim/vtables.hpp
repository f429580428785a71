// Virtual calls of `spin` where librclcpp binds its own symbols inside.
#ifndef SHIM__VTABLES_HPP_
#define SHIM__VTABLES_HPP_

namespace takt_preload
{

/// Puts the shim's functions into the tables of virtual functions of rclcpp's executors where librclcpp's own
/// are in them. Does nothing where the loader has put the shim's there already. Once, before the program's
/// main: nobody calls meanwhile.
void patch_vtables();

}  // namespace takt_preload

#endif  // SHIM__VTABLES_HPP_
