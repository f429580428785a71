// The case study of the PiCAS paper (section VII-B). No core is overloaded, but some nearly are.
//
// The times are those of the authors' task set: twelve chains in 18 executors on four cores, with
// priorities by the paper's rules. Chains 1 and 2 begin with the same timer. The authors' programs
// have it twice, with the same priority.
#ifndef TAKT_PLAN__TEST__SUPPORT__PICAS_CASE_STUDY_HPP_
#define TAKT_PLAN__TEST__SUPPORT__PICAS_CASE_STUDY_HPP_

#include "takt_plan/model.hpp"

namespace takt_plan::test
{

/// `timer_twice`: as in the authors' programs. Otherwise one timer starts both chains.
Model picas_case_study(bool timer_twice);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__PICAS_CASE_STUDY_HPP_
