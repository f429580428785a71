// Finds the librclcpp of this process, and its functions behind the shim's functions of the same
// names.
#ifndef SHIM__LIBRCLCPP_HPP_
#define SHIM__LIBRCLCPP_HPP_

namespace takt_preload
{

/// A handle of the loaded librclcpp, or nullptr while none is loaded. Any thread; may block in the
/// loader.
void * librclcpp();

/// The function `symbol` that follows the shim's function of this name. Finds it even if its
/// library was opened with RTLD_LOCAL for one other library, as Python opens librcl. nullptr: not
/// found.
void * stock_symbol(const char * symbol);

/// True if librclcpp's calls of its own functions bypass the dynamic symbols
/// (-Bsymbolic-functions), so that no hook is reached from inside it.
bool calls_are_bound_inside();

}  // namespace takt_preload

#endif  // SHIM__LIBRCLCPP_HPP_
