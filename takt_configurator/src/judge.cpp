#include "judge.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <optional>

#include "takt_schedule/core_list.hpp"

namespace takt_configurator
{
namespace
{

using takt_rt::format_cores;
using takt_rt::MissingRight;
using takt_rt::Policy;
using takt_rt::Refusal;
using takt_rt::RefusedAttribute;
using takt_rt::ThreadAttributes;
using takt_schedule::ConfiguratorPolicy;
using takt_schedule::ConfiguratorRule;

// Sums of shares have rounding errors: 0.3 + 0.3 + 0.4 must not exceed 1.
constexpr double kRounding = 1e-9;

std::string share(double cores)
{
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", cores);
  return text;
}

/// Collects the refusals of one request by one rule.
class Judgement
{
public:
  Judgement(
    const ConfiguratorPolicy & policy, const ConfiguratorRule & rule,
    const ThreadAttributes & asked)
  : policy_(policy),
    rule_(rule),
    asked_(asked)
  {
  }

  void forbid(RefusedAttribute attribute, const std::string & allowed)
  {
    Refusal refusal;
    refusal.attribute = attribute;
    refusal.error = EPERM;
    refusal.right = MissingRight::configurator_policy;
    refusal.asked = asked_;
    refusal.detail = policy_.file + ":" + std::to_string(rule_.source.line) + " (" + rule_.who +
                     ") allows " + allowed;
    refusals.push_back(std::move(refusal));
  }

  std::vector<Refusal> refusals;

private:
  const ConfiguratorPolicy & policy_;
  const ConfiguratorRule & rule_;
  const ThreadAttributes & asked_;
};

std::string policies_of(const ConfiguratorRule & rule)
{
  std::string text;
  for (const Policy policy : rule.policies) {
    text += (text.empty() ? "" : ", ") + std::string(to_string(policy));
  }
  return text.empty() ? "no policy" : "the policies " + text;
}

bool allows(const ConfiguratorRule & rule, Policy policy)
{
  return policy == Policy::inherit ||
         std::find(rule.policies.begin(), rule.policies.end(), policy) != rule.policies.end();
}

/// The nice value after the request; empty if the request has neither a nice value nor a policy
/// that uses one.
std::optional<int> nice_after(const ThreadAttributes & asked, const Circumstances & now)
{
  if (asked.nice || asked.policy == Policy::inherit || !has_nice(asked.policy)) {
    return asked.nice;
  }
  return now.nice;
}

/// For refusals because of a nice value that the request did not have.
std::string and_so_ask(const ThreadAttributes & asked, const Circumstances & now)
{
  return asked.nice || now.nice >= 0 || !has_nice(asked.policy)
           ? ""
           : "; the thread would have its nice value " + std::to_string(now.nice) +
               " again: ask for a nice value, too";
}

void judge_policy(
  const ConfiguratorRule & rule, const ThreadAttributes & asked, const Circumstances & now,
  Judgement & out)
{
  if (!allows(rule, asked.policy)) {
    out.forbid(
      RefusedAttribute::policy,
      policies_of(rule) + ", not " + std::string(to_string(asked.policy)));
  } else if (has_rt_priority(asked.policy) && asked.priority > rule.max_priority) {
    out.forbid(
      RefusedAttribute::policy, "priorities up to " + std::to_string(rule.max_priority) + ", not " +
                                  std::to_string(asked.priority));
  }
  if (const auto nice = nice_after(asked, now); nice && *nice < rule.min_nice) {
    out.forbid(
      asked.policy == Policy::inherit ? RefusedAttribute::nice : RefusedAttribute::policy,
      "nice values down to " + std::to_string(rule.min_nice) + ", not " + std::to_string(*nice) +
        and_so_ask(asked, now));
  }
}

void judge_cores(
  const ConfiguratorRule & rule, const ThreadAttributes & asked, const Circumstances & now,
  Judgement & out)
{
  // If the request has no cores, the thread's cores count only with attributes that could keep
  // other threads off them.
  const bool own = asked.cores.empty();
  if (!rule.cores || (own && !would_count(asked, now))) {
    return;
  }
  const std::vector<int> & cores = own ? now.thread.cores : asked.cores;
  const bool within = std::all_of(cores.begin(), cores.end(), [&](int core) {
    return std::binary_search(rule.cores->begin(), rule.cores->end(), core);
  });
  if (!within) {
    out.forbid(
      own ? RefusedAttribute::policy : RefusedAttribute::cores,
      "cores " + takt_schedule::print_cores(*rule.cores) +
        (own ? ", and the thread may run on " + format_cores(cores) + "; ask for cores, too"
             : ", not " + format_cores(cores)));
  }
}

void judge_bandwidth(
  const ConfiguratorPolicy & policy, const ConfiguratorRule & rule, const ThreadAttributes & asked,
  const Circumstances & now, Judgement & out)
{
  const double more = bandwidth_of(asked);
  if (more == 0.0) {
    return;
  }
  if (now.users.bandwidth + more > rule.deadline_bandwidth + kRounding) {
    out.forbid(
      RefusedAttribute::policy, "a deadline_bandwidth of " + share(rule.deadline_bandwidth) +
                                  " cores for all threads of the user, who has " +
                                  share(now.users.bandwidth) + " and asks for " + share(more) +
                                  " more");
  }
  if (
    policy.deadline_bandwidth &&
    now.everybodys.bandwidth + more > *policy.deadline_bandwidth + kRounding) {
    out.forbid(
      RefusedAttribute::policy,
      "this, but deadline_bandwidth is " + share(*policy.deadline_bandwidth) +
        " cores for all users together, who have " + share(now.everybodys.bandwidth) + ", and " +
        share(more) + " more were asked for");
  }
  if (
    now.kernel_bandwidth > 0.0 &&
    now.everybodys.bandwidth + more > now.kernel_bandwidth + kRounding) {
    out.forbid(
      RefusedAttribute::policy,
      "this, but the kernel admits " + share(now.kernel_bandwidth) +
        " cores for deadline threads (kernel.sched_rt_runtime_us), of which " +
        share(now.everybodys.bandwidth) + " are granted, and " + share(more) +
        " more were asked for");
  }
}

}  // namespace

const ConfiguratorRule * find_rule(
  const ConfiguratorPolicy & policy, uid_t user, const std::vector<gid_t> & groups)
{
  const auto among = [](const auto & ids, auto id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  };
  const auto found =
    std::find_if(policy.rules.begin(), policy.rules.end(), [&](const ConfiguratorRule & rule) {
      return rule.anybody || among(rule.users, user) ||
             std::any_of(groups.begin(), groups.end(), [&](gid_t group) {
               return among(rule.groups, group);
             });
    });
  return found == policy.rules.end() ? nullptr : &*found;
}

bool would_count(const ThreadAttributes & asked, const Circumstances & now)
{
  return counts(asked) || nice_after(asked, now).value_or(0) < 0;
}

std::string no_rule(const ConfiguratorPolicy & policy, uid_t user)
{
  return policy.file + " has no rule for user " + std::to_string(user) + " or a group of this user";
}

std::vector<Refusal> judge(
  const ConfiguratorPolicy & policy, const ConfiguratorRule & rule, const ThreadAttributes & asked,
  const Circumstances & now)
{
  Judgement out(policy, rule, asked);
  judge_policy(rule, asked, now, out);
  judge_cores(rule, asked, now, out);
  if (would_count(asked, now) && now.users.threads >= rule.max_threads) {
    out.forbid(
      RefusedAttribute::policy, std::to_string(rule.max_threads) +
                                  " threads of the user (max_threads), and so many have fifo, rr, "
                                  "deadline or a nice value below 0" +
                                  (counts(asked) ? "" : and_so_ask(asked, now)));
  }
  if (allows(rule, asked.policy)) {
    judge_bandwidth(policy, rule, asked, now, out);
  }
  return std::move(out.refusals);
}

std::string judge_limit(
  const ConfiguratorPolicy & policy, const ConfiguratorRule & rule, int priority)
{
  if (priority >= 1 && priority <= rule.rtprio_limit) {
    return {};
  }
  return "the configurator's policy forbids it: " + policy.file + ":" +
         std::to_string(rule.source.line) + " (" + rule.who + ") allows " +
         (rule.rtprio_limit == 0 ? "no such limit; add rtprio_limit"
                                 : "limits from 1 to " + std::to_string(rule.rtprio_limit) +
                                     ", not " + std::to_string(priority));
}

}  // namespace takt_configurator
