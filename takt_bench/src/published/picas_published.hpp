// The response-time analysis of PiCAS as published: for comparison, not for proof.
//
// Choi, Xiang and Kim, "PiCAS: New Design of Priority-Driven Chain-Aware Scheduling for ROS2" (RTAS
// 2021), in the form that the authors' programs compute. It is not safe: what priority_bounds.hpp
// mends is missing here. Nothing plans with it; it is here so that results of the literature can be
// reproduced and set beside ours.
//
// Each chain on one core is a segment, looked at from its least urgent task i:
//
//     R = own + B_i + sum over j in I of n_j(R) C_j,    L = sum of R,    L := L + T if L > T
//
// - own: all of the chain's tasks on the core;
// - B_i: the longest task of other chains on i's thread with a lower priority;
// - I: tasks of more urgent threads, and of threads as urgent with a higher priority; without those
//   of i's chain if that is on one core;
// - n_j = ceil(R / P_j) with P_j = T, or max(T, E) for a chain on one core whose tasks take E; 1 if
//   the first task of j's chain is on this core and below i.
//
// Assumptions: every chain starts with a timer and has tasks of its own; every task is in one
// chain, bound to one pinned thread of fixed priority with order `priority`; no delays, no other
// threads. What is outside of them is refused with a sentence. Set-up only: allocates, does not
// block.
#ifndef TAKT_BENCH__SRC__PUBLISHED__PICAS_PUBLISHED_HPP_
#define TAKT_BENCH__SRC__PUBLISHED__PICAS_PUBLISHED_HPP_

#include <vector>

#include "takt_plan/model.hpp"
#include "takt_rt/result.hpp"

namespace takt_bench
{

struct PicasChain
{
  std::vector<takt_plan::Ns>
    segments;               ///< by core; kUnbounded beyond 100 periods or a million steps
  takt_plan::Ns sum = 0;    ///< of the segments
  takt_plan::Ns bound = 0;  ///< the sum, plus a period if the sum exceeds the period
};

/// One result for each chain of the model.
takt_rt::Result<std::vector<PicasChain>> picas_published(const takt_plan::Model & model);

}  // namespace takt_bench

#endif  // TAKT_BENCH__SRC__PUBLISHED__PICAS_PUBLISHED_HPP_
