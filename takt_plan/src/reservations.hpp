// Whether the reservations of deadline threads hold: the test that deadline_bounds.hpp names.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__RESERVATIONS_HPP_
#define TAKT_PLAN__SRC__RESERVATIONS_HPP_

#include <string>

#include "takt_plan/model.hpp"

namespace takt_plan::detail
{

/// Why it is not known that a thread of policy deadline gets what it reserves; the sentence goes on
/// from its name. Empty: it does.
std::string refuse_reservation(const Model & model, Index thread);

/// Whether two threads have a core in common.
bool share_a_core(const Thread & a, const Thread & b);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__RESERVATIONS_HPP_
