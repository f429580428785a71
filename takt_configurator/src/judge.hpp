// Compares one request with the policy file. Changes no state.
//
// One thread at a time. Allocates, does not block.
#ifndef TAKT_CONFIGURATOR__SRC__JUDGE_HPP_
#define TAKT_CONFIGURATOR__SRC__JUDGE_HPP_

#include <sys/types.h>

#include <string>
#include <vector>

#include "ledger.hpp"
#include "takt_rt/refusal.hpp"
#include "takt_schedule/configurator_policy.hpp"

namespace takt_configurator
{

/// State that a decision depends on.
struct Circumstances
{
  takt_rt::ThreadAttributes thread{};  ///< the present attributes of the thread
  int nice = 0;                        ///< of the thread, also under a policy without nice values
  Holdings users{};                    ///< of the user, without this thread
  Holdings everybodys{};               ///< of all users, without this thread
  double kernel_bandwidth = 0.0;       ///< limit of the kernel on all cores together; 0: no limit
};

/// The first rule for a client of this user and these groups; null if there is none.
const takt_schedule::ConfiguratorRule * find_rule(
  const takt_schedule::ConfiguratorPolicy & policy, uid_t user, const std::vector<gid_t> & groups);

/// "FILE has no rule for user 1000", for a client without a rule.
std::string no_rule(const takt_schedule::ConfiguratorPolicy & policy, uid_t user);

/// True if the request gives the thread attributes that need a right. A thread that gets the policy
/// other or batch without a nice value uses its earlier nice value again.
bool would_count(const takt_rt::ThreadAttributes & asked, const Circumstances & now);

/// All refusals of the request by the rule, each with the rule's line and its bound; empty: the
/// rule allows the request.
std::vector<takt_rt::Refusal> judge(
  const takt_schedule::ConfiguratorPolicy & policy, const takt_schedule::ConfiguratorRule & rule,
  const takt_rt::ThreadAttributes & asked, const Circumstances & now);

/// The same for RLIMIT_RTPRIO; an empty sentence if the rule allows it.
std::string judge_limit(
  const takt_schedule::ConfiguratorPolicy & policy, const takt_schedule::ConfiguratorRule & rule,
  int priority);

}  // namespace takt_configurator

#endif  // TAKT_CONFIGURATOR__SRC__JUDGE_HPP_
