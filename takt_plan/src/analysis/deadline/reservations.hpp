// Reservations of deadline threads: whether they hold, by the test that deadline_bounds.hpp names,
// and what they take from others at most.
//
// What a thread takes. Between a replenishment and the deadline D after it, it runs for at most Q.
// If replenishments are P apart or more, those whose budget may be used in an interval of length t
// begin in one of length t + D: ceil((t + D) / P) of them. With D = P they may follow faster, when
// a wake-up finds more budget than the bandwidth allows. Then what was used of each before the last
// is no more than the bandwidth times the time to the next; from the first to the last they are
// less than t + P apart, so the sum is less than Q (t + P) / P + Q, and at most Q ceil((t + 2P) /
// P).
//
// Switches from it. Whenever it comes on a core, it may displace somebody who has to come back. It
// comes when it is replenished or woken, or back from a preemption, of which there are no more than
// replenishments and wake-ups of all: two for each of these events, and one for each thread that
// was preempted before.
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

struct Taken
{
  Ns period = 0;
  Ns jitter = 0;
  Ns cost = 0;
};

/// What a thread takes by itself from those it goes before: ceil((t + jitter) / period) of `cost`.
Taken taken_by(const Reservation & reservation);

/// Of a core whose switches cost so much, for each of its replenishments and wake-ups.
Ns switches_by(const Reservation & reservation);

/// Whether two threads have a core in common.
bool share_a_core(const Thread & a, const Thread & b);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__RESERVATIONS_HPP_
