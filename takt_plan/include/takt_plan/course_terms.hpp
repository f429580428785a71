// The terms of courses: all orders in which jobs may begin
// (takt_plan/src/analysis/jobs/job_courses.hpp). All are needed: a test of soundness notices each
// omitted term.
//
// Plain data.
#ifndef TAKT_PLAN__COURSE_TERMS_HPP_
#define TAKT_PLAN__COURSE_TERMS_HPP_

namespace takt_plan
{

struct CourseTerms
{
  bool shorter = true;    ///< runs may be shorter than their longest time
  bool preempted = true;  ///< more urgent jobs that begin later delay a run
  bool again = true;      ///< courses go on into the next hyperperiod
  bool starts = true;     ///< sets may begin with any of the first messages after a start
  bool pick = true;       ///< a thread that wakes picks a callback only when it is on its core
};

}  // namespace takt_plan

#endif  // TAKT_PLAN__COURSE_TERMS_HPP_
