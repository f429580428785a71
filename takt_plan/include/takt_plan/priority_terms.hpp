// The terms of the analysis of priority_bounds.hpp.
#ifndef TAKT_PLAN__PRIORITY_TERMS_HPP_
#define TAKT_PLAN__PRIORITY_TERMS_HPP_

namespace takt_plan
{

/// The terms of the equations. A test of soundness notices each omitted term but `ways`.
struct PriorityTerms
{
  bool blocking = true;
  bool ceiling = true;
  bool once = true;          ///< less urgent work of the core may have started work
  bool jitter = true;        ///< releases may be late, also after another core
  bool queued = true;        ///< earlier activations in the same window
  bool overtaking = true;    ///< later activations may overtake the segment's least urgent task
  bool equals = true;        ///< tasks of equal priority, threads of equal OS priority
  bool reservations = true;  ///< threads of policy deadline
  bool sets = true;          ///< messages wait until their set of newest messages is complete
  bool orders = true;        ///< any message of a set may complete it
  bool under_way = true;     ///< messages may be under way within a segment, and less urgent work
                             ///< begins meanwhile
  bool begun = true;         ///< more urgent threads take the core from a task that has begun
  /// The lateness of activations of the segment's own source that count beside it.
  bool related = true;
  /// Ways over several cores have a bound as a whole, too. Takes time; false: bounds are larger.
  bool ways = true;
};

}  // namespace takt_plan

#endif  // TAKT_PLAN__PRIORITY_TERMS_HPP_
