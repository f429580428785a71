// Reservations of threads of policy deadline (SCHED_DEADLINE): the theorem behind the bounds of
// their tasks, whether the reservations hold, and how much of a core they take from others at most.
//
// Theorem. A thread of policy deadline runs in a constant bandwidth server after Abeni and
// Buttazzo, "Integrating Multimedia Applications in Hard Real-Time Systems" (RTSS 1998): it may use
// its runtime Q between two replenishments, which are its period P apart or more, and is scheduled
// by the deadline D after the last one. If all such threads meet these deadlines, one that has work
// gets in any interval at least the supply of the periodic resource of Shin and Lee, "Periodic
// Resource Model for Compositional Real-Time Guarantees" (RTSS 2003), in the form for D <= P:
// nothing for P + D - 2Q, and then Q in each P. To see it, let the interval begin y after a
// replenishment:
//
// - If c <= min(y, Q) of the budget were used before, l = Q - c is left, and comes by D - y. With
//   D < P, a wake-up may have cut it to what the density allows, l = Q (D - y) / D >= Q - y.
// - So l >= Q - y as long as y < Q, and the following budgets come at their latest from kP + D -
//   Q - y on. At P + D - 2Q + s, then, at least s has come: all of l by then if s >= Q - y, and the
//   rest of s from the next budget; the same holds with each further period.
// - A wake-up that finds the budget larger than its bandwidth allows (D = P) begins anew with
//   y = 0. Its old budget was used more slowly than the bandwidth, so nothing was gained before.
//
// The thread's tasks run to their end on that supply, by the equations of executor_bounds.hpp: of
// order `window` by round robin; of order `priority` and `fifo` by the form for non-preemptive work
// (thread_analysis.hpp).
//
// Admission. The deadlines are met by scheduling by earliest deadline on m cores if
//
//     sum of Q / D  <=  m - (m - 1) max of Q / D
//
// over all threads of the policy on these cores: Goossens, Funk and Baruah, "Priority-Driven
// Scheduling of Periodic Task Systems on Multiprocessors" (Real-Time Systems, 2003), for D <= P
// after Bertogna, Cirinei and Lipari (ECRTS 2005). Its proof needs only that a processor of speed Q
// / D would serve each server in time. That also holds if replenishments come before the period is
// over.
//
// Switches. A task's `dispatch` has those of its wake-up. Further switches take from the budget:
// one for each replenishment of the thread, and one for each return from a preemption. The thread
// is preempted at most as often as other threads of the policy on these cores are replenished or
// woken (their periods and the releases of their tasks limit this), and once more by a thread that
// began before. These switches are subtracted from the supply.
//
// Assumptions. Those of priority_bounds.hpp. The kernel schedules these threads by earliest
// deadline over all their cores and ends a budget when it is used up: that needs its
// high-resolution tick for the policy; without it, a budget is overdrawn by up to a tick. Migration
// costs what a switch does.
//
// Refused with a sentence, per task and chain: reservations that are not 0 < Q <= D <= P; threads
// of the policy that share some of their cores but not all; threads that do not pass the test for
// admission; tasks on several threads; exclusive groups that span threads; orders other than those
// three; overload; and tasks that depend on a task without a bound.
//
// Limits: as in window_bounds.hpp.
//
// The time that a thread takes. Between a replenishment and the deadline D after it, it runs for at
// most Q. If replenishments are P apart or more, those whose budget may be used in an interval of
// length t begin in one of length t + D: ceil((t + D) / P) of them. With D = P they may follow
// faster, when a wake-up finds more budget than the bandwidth allows. Then the used part of each
// budget but the last is at most the bandwidth times the time to the next replenishment. The first
// and the last replenishment are less than t + P apart, so the sum is less than Q (t + P) / P + Q,
// and at most Q ceil((t + 2P) / P).
//
// Switches from it. Each time that it comes on a core, it may displace another thread, which then
// has to come back. It comes on a core when it is replenished or woken, or returns from a
// preemption. There are no more preemptions than replenishments and wake-ups of all threads: so two
// switches count for each of these events, and one for each thread that was preempted before.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__RESERVATIONS_HPP_
#define TAKT_PLAN__SRC__RESERVATIONS_HPP_

#include <string>

#include "takt_plan/model.hpp"

namespace takt_plan::detail
{

/// The reason why a thread of policy deadline may not get its reservation. The sentence goes on
/// from the thread's name. Empty: it gets the reservation.
std::string refuse_reservation(const Model & model, Index thread);

struct Taken
{
  Ns period = 0;
  Ns jitter = 0;
  Ns cost = 0;
};

/// The time that a thread takes from the threads below it: ceil((t + jitter) / period) times
/// `cost`.
Taken taken_by(const Reservation & reservation);

/// The context switches that a thread causes on a core for each of its replenishments and wake-ups.
Ns switches_by(const Reservation & reservation);

/// True if both threads may use the same core.
bool share_a_core(const Thread & a, const Thread & b);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__RESERVATIONS_HPP_
