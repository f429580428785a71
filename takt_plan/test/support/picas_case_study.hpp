// The case study of the PiCAS paper (section VII-B), which overloads nothing but comes close.
//
// Times from the authors' task set: twelve chains in 18 executors on four cores, priorities by the
// paper's rules. Chains 1 and 2 begin with the same timer; the authors' programs hold it twice, with
// the same priority.
#ifndef TAKT_PLAN__TEST__SUPPORT__PICAS_CASE_STUDY_HPP_
#define TAKT_PLAN__TEST__SUPPORT__PICAS_CASE_STUDY_HPP_

#include "takt_plan/model.hpp"

namespace takt_plan::test
{

/// `timer_twice`: as the authors' programs have it. Otherwise one timer starts both chains.
Model picas_case_study(bool timer_twice);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__PICAS_CASE_STUDY_HPP_
