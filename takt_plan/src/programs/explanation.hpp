// What bounds say to people: a table of chains, and one chain's bound as a sum that can be followed.
#ifndef TAKT_PLAN__SRC__PROGRAMS__EXPLANATION_HPP_
#define TAKT_PLAN__SRC__PROGRAMS__EXPLANATION_HPP_

#include <string>
#include <vector>

#include "takt_plan/bounds.hpp"

namespace takt_plan::program
{

/// One line for each of `chains`, most important first; why there is no bound on a line of its own.
std::string chain_table(
  const Model & model, const Bounds & bounds, const std::vector<Index> & chains);

/// One line for each callback.
std::string callback_table(const Model & model, const Bounds & bounds);

/// The bound of one chain, which has one, term by term.
std::string explanation(const Model & model, Index chain, const ChainAnswer & answer);

}  // namespace takt_plan::program

#endif  // TAKT_PLAN__SRC__PROGRAMS__EXPLANATION_HPP_
