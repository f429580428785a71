// The librclcpp of this process, and its functions behind the shim's own of the same names.
#ifndef SHIM__LIBRCLCPP_HPP_
#define SHIM__LIBRCLCPP_HPP_

namespace takt_preload
{

/// A handle, or nullptr while none is loaded. Any thread; may block in the loader.
void * librclcpp();

/// The function that `symbol` names after the shim's, also where the library that has it was opened for one other
/// library alone (RTLD_LOCAL), as Python does with librcl. nullptr: there is none.
void * stock_symbol(const char * symbol);

/// Whether calls between functions of librclcpp pass by the dynamic symbols (-Bsymbolic-functions), so that
/// no hook is reached from inside it.
bool calls_are_bound_inside();

}  // namespace takt_preload

#endif  // SHIM__LIBRCLCPP_HPP_
