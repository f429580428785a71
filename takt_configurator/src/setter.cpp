#include "setter.hpp"

namespace takt_configurator
{
namespace
{

using takt_rt::MissingRight;
using takt_rt::Policy;
using takt_rt::Refusal;
using takt_rt::ThreadAttributes;

void clear_policy(ThreadAttributes & attributes, Policy policy)
{
  attributes.policy = policy;
  attributes.priority = 0;
  attributes.nice.reset();
  attributes.runtime = attributes.deadline = attributes.period = {};
}

/// Restores the attributes `before`, which were read at the first look at the id. If the id belongs
/// to another process by now, its thread gets attributes that need no right.
void reset(
  const Peer & peer, pid_t tid, const ThreadAttributes & asked, const ThreadAttributes & before,
  const ProcessTable & table, Kernel & kernel)
{
  const auto process = table.process_of(tid);
  if (!process) {
    return;  // no thread has this id now
  }
  ThreadAttributes back = before;
  back.name.clear();
  if (*process != peer.pid) {
    clear_policy(back, Policy::other);
    back.nice = 0;
    back.cores = table.usable_cores(*process);
  }
  if (asked.policy == Policy::inherit && !asked.nice) {
    clear_policy(back, Policy::inherit);
  }
  if (asked.cores.empty()) {
    back.cores.clear();
  }
  kernel.apply(back, tid);
}

/// The kernel's refusals say how a process gets a right. For these, it is the daemon that lacks the
/// right.
bool is_the_daemons(const Refusal & refusal)
{
  return refusal.right == MissingRight::cap_sys_nice ||
         refusal.right == MissingRight::rlimit_rtprio ||
         refusal.right == MissingRight::rlimit_nice ||
         refusal.right == MissingRight::other_users_thread;
}

}  // namespace

SetResult set_thread(
  const Peer & peer, const Target & target, const ThreadAttributes & asked,
  const ProcessTable & table, Kernel & kernel)
{
  const pid_t tid = target.key.tid;
  SetResult result;
  const ThreadAttributes before = kernel.read(tid);
  if (!is_same(peer, target, table)) {
    result.refusals = {refuse(asked, MissingRight::configurator, "the thread has ended", ESRCH)};
    return result;
  }
  const takt_rt::AttributeReport report = kernel.apply(asked, tid);
  if (!is_same(peer, target, table)) {
    reset(peer, tid, asked, before, table, kernel);
    result.refusals = {
      refuse(asked, MissingRight::configurator, "the thread ended while it was being set", ESRCH)};
    return result;
  }
  result.granted = report.granted;
  for (const takt_rt::Fault & fault : report.faults) {
    Refusal refusal = fault.refusal
                        ? *fault.refusal
                        : refuse(asked, MissingRight::configurator, to_string(fault), EINVAL);
    if (is_the_daemons(refusal)) {
      refusal.right = MissingRight::configurator;
      refusal.detail =
        "the daemon itself lacks CAP_SYS_NICE; grant it in takt-configurator.service";
    }
    result.refusals.push_back(std::move(refusal));
  }
  return result;
}

}  // namespace takt_configurator
