#include "request_handler.hpp"

#include <cerrno>
#include <utility>

#include "judge.hpp"
#include "takt_schedule/deadline_share.hpp"

namespace takt_configurator
{
namespace
{

using takt_control::Answer;
using takt_control::AttributeRequest;
using takt_control::Frame;
using takt_control::LimitRequest;
using takt_control::MessageType;
using takt_core::format_cores;
using takt_core::MissingRight;
using takt_core::Policy;
using takt_core::Refusal;
using takt_core::RefusedAttribute;
using takt_core::ThreadAttributes;

RefusedAttribute asked_most(const ThreadAttributes & asked)
{
  if (asked.policy != Policy::inherit) {
    return RefusedAttribute::policy;
  }
  return asked.nice ? RefusedAttribute::nice : RefusedAttribute::cores;
}

Refusal refuse(
  const ThreadAttributes & asked, MissingRight right, std::string detail, int error = EPERM)
{
  Refusal refusal;
  refusal.attribute = asked_most(asked);
  refusal.error = error;
  refusal.right = right;
  refusal.asked = asked;
  refusal.detail = std::move(detail);
  return refusal;
}

std::string joined(const takt_core::Faults & faults)
{
  std::string text;
  for (const std::string & sentence : sentences(faults)) {
    text += (text.empty() ? "" : "; ") + sentence;
  }
  return text;
}

std::string error_frame(std::uint64_t id, std::string what)
{
  Answer answer;
  answer.id = id;
  answer.error = std::move(what);
  return encode(MessageType::error, to_payload(answer));
}

/// "SCHED_FIFO priority 60, cores 0-1".
std::string shown(const ThreadAttributes & asked)
{
  std::string text;
  if (asked.policy != Policy::inherit || asked.nice) {
    text = format_policy(asked);
  }
  if (!asked.cores.empty()) {
    text += (text.empty() ? "cores " : ", cores ") + format_cores(asked.cores);
  }
  return text.empty() ? "nothing" : text;
}

}  // namespace

RequestHandler::RequestHandler(
  const takt_schedule::ConfiguratorPolicy & policy, const ProcessTable & table, Kernel & kernel,
  Log log)
: policy_(policy),
  table_(table),
  kernel_(kernel),
  log_(std::move(log))
{
  ledger_.adopt(table_, kernel_);
}

void RequestHandler::log(const Peer & peer, Decision decision) const
{
  if (log_) {
    log_(peer, decision);
  }
}

std::string RequestHandler::handle(const Peer & peer, const Frame & frame)
{
  if (frame.version != takt_control::kProtocolVersion) {
    return error_frame(
      0, "this configurator speaks version " + std::to_string(takt_control::kProtocolVersion) +
           " of the protocol, not " + std::to_string(frame.version) +
           "; use the takt that the daemon is from");
  }
  switch (static_cast<MessageType>(frame.type)) {
    case MessageType::apply:
    case MessageType::would_grant: {
      const auto request = takt_control::read_attribute_request(frame.payload);
      if (!request) {
        return error_frame(0, request.faults().front().text);
      }
      const bool dry_run = frame.type == static_cast<std::uint16_t>(MessageType::would_grant);
      return encode(MessageType::answer, to_payload(decide(peer, *request, dry_run)));
    }
    case MessageType::rtprio_limit: {
      const auto request = takt_control::read_limit_request(frame.payload);
      if (!request) {
        return error_frame(0, request.faults().front().text);
      }
      return encode(MessageType::answer, to_payload(decide_limit(peer, *request)));
    }
    case MessageType::answer:
    case MessageType::error:
      break;
  }
  return error_frame(0, "messages of type " + std::to_string(frame.type) + " are unknown");
}

takt_core::Result<RequestHandler::Target> RequestHandler::find_target(
  const Peer & peer, pid_t own_tid) const
{
  using takt_core::Faults;
  if (!peer.is_there(table_)) {
    return Faults{"the process that connected has ended; connect again"};
  }
  const auto tid = table_.find_thread(peer.pid, own_tid);
  Target target;
  if (tid) {
    // Opened before its start time is read: a thread that comes later shows in either of them.
    target.thread = table_.watch_thread(*tid);
  }
  const auto start = tid ? table_.start_time(peer.pid, *tid) : std::nullopt;
  if (!start) {
    return Faults{
      "thread " + std::to_string(own_tid) + " is not a thread of the process that asks (" +
      std::to_string(peer.pid) + ")"};
  }
  target.key = {peer.pid, *tid, *start};
  if (table_.user(peer.pid, *tid) != peer.uid) {
    return Faults{
      "the thread does not run as user " + std::to_string(peer.uid) +
      ", as which its process connected; connect again"};
  }
  return target;
}

bool RequestHandler::is_same(const Peer & peer, const Target & target) const
{
  return !target.thread.ended() &&
         table_.start_time(target.key.pid, target.key.tid) == target.key.start_time &&
         peer.is_there(table_);
}

Answer RequestHandler::decide(const Peer & peer, const AttributeRequest & request, bool dry_run)
{
  Answer answer;
  answer.id = request.id;
  const auto target = find_target(peer, request.tid);
  Decision decision;
  if (!target) {
    answer.refusals.push_back(
      refuse(request.attributes, MissingRight::configurator, target.faults().front().text, ESRCH));
  } else {
    decision.tid = target->key.tid;
    answer.refusals = decide_on(peer, target.value(), request.attributes, dry_run);
  }
  decision.granted = answer.refusals.empty();
  decision.what = (dry_run ? "asked about " : "") + shown(request.attributes);
  for (const Refusal & refusal : answer.refusals) {
    decision.why += (decision.why.empty() ? "" : "; ") + reason(refusal);
  }
  log(peer, std::move(decision));
  return answer;
}

RequestHandler::Refusals RequestHandler::decide_on(
  const Peer & peer, const Target & target, const ThreadAttributes & asked, bool dry_run)
{
  if (asked.policy == Policy::inherit && !asked.nice && asked.cores.empty()) {
    return {refuse(asked, MissingRight::configurator, "the request asks for nothing", EINVAL)};
  }
  if (const auto faults = takt_core::validate(asked, table_.usable_cores(peer.pid));
      !faults.empty()) {
    return {refuse(asked, MissingRight::configurator, joined(faults), EINVAL)};
  }
  Refusals refusals = judge_now(peer, target, asked);
  if (refusals.empty() && !dry_run) {
    refusals = set(peer, target, asked);
  }
  return refusals;
}

RequestHandler::Refusals RequestHandler::judge_now(
  const Peer & peer, const Target & target, const ThreadAttributes & asked)
{
  const auto * const rule = find_rule(policy_, peer.uid, peer.groups);
  if (rule == nullptr) {
    return {refuse(asked, MissingRight::configurator_policy, no_rule(policy_, peer.uid))};
  }
  Circumstances now;
  now.thread_cores = kernel_.read(target.key.tid).cores;
  if (asked.policy == Policy::deadline) {
    now.kernel_bandwidth = takt_schedule::deadline_share().share *
                           static_cast<double>(table_.usable_cores(peer.pid).size());
  }
  const auto look = [&] {
    now.users = ledger_.of(peer.uid, target.key);
    now.everybodys = ledger_.of_all(target.key);
    return judge(policy_, *rule, asked, now);
  };
  Refusals refusals = look();
  if (!refusals.empty() && counts(asked)) {
    // Threads that ended may be in the way.
    ledger_.purge(table_, kernel_);
    refusals = look();
  }
  return refusals;
}

RequestHandler::Refusals RequestHandler::set(
  const Peer & peer, const Target & target, const ThreadAttributes & asked)
{
  const pid_t tid = target.key.tid;
  const ThreadAttributes before = kernel_.read(tid);
  if (!is_same(peer, target)) {
    return {refuse(asked, MissingRight::configurator, "the thread has ended", ESRCH)};
  }
  const takt_core::AttributeReport report = kernel_.apply(asked, tid);
  // The thread may have ended between the check and the call, and another one may have its id since.
  if (!is_same(peer, target)) {
    reset(peer, tid, asked, before);
    return {
      refuse(asked, MissingRight::configurator, "the thread ended while it was being set", ESRCH)};
  }
  ledger_.set(target.key, peer.uid, report.granted);
  Refusals refusals;
  for (const takt_core::Fault & fault : report.faults) {
    refusals.push_back(
      fault.refusal ? *fault.refusal
                    : refuse(asked, MissingRight::configurator, to_string(fault), EINVAL));
    if (
      refusals.back().right == MissingRight::cap_sys_nice ||
      refusals.back().right == MissingRight::rlimit_rtprio ||
      refusals.back().right == MissingRight::rlimit_nice ||
      refusals.back().right == MissingRight::other_users_thread) {
      refusals.back() = refuse(
        asked, MissingRight::configurator,
        "the daemon itself lacks CAP_SYS_NICE; grant it in takt-configurator.service");
    }
  }
  return refusals;
}

/// `before` was read from the thread that had the id then. Where that was another process's, the thread gets what
/// needs no right.
void RequestHandler::reset(
  const Peer & peer, pid_t tid, const ThreadAttributes & asked, const ThreadAttributes & before)
{
  const auto process = table_.process_of(tid);
  if (!process) {
    return;  // nobody has the id
  }
  ThreadAttributes back = before;
  back.name.clear();
  if (*process != peer.pid) {
    back.policy = Policy::other;
    back.priority = 0;
    back.nice = 0;
    back.runtime = back.deadline = back.period = {};
    back.cores = table_.usable_cores(*process);
  }
  if (asked.policy == Policy::inherit && !asked.nice) {
    back.policy = Policy::inherit;
    back.priority = 0;
    back.nice.reset();
    back.runtime = back.deadline = back.period = {};
  }
  if (asked.cores.empty()) {
    back.cores.clear();
  }
  kernel_.apply(back, tid);
}

Answer RequestHandler::decide_limit(const Peer & peer, const LimitRequest & request)
{
  Answer answer;
  answer.id = request.id;
  const auto * const rule = find_rule(policy_, peer.uid, peer.groups);
  if (!peer.is_there(table_) || table_.user(peer.pid, peer.pid) != peer.uid) {
    answer.error = "the process that connected has ended or runs as another user; connect again";
  } else if (rule == nullptr) {
    answer.error = no_rule(policy_, peer.uid);
  } else {
    answer.error = judge_limit(policy_, *rule, request.priority);
  }
  if (answer.error.empty()) {
    rlimit before{};
    const int error = kernel_.raise_rtprio_limit(peer.pid, request.priority, before);
    if (error == EPERM) {
      answer.error =
        "the daemon itself lacks CAP_SYS_RESOURCE; grant it in takt-configurator.service";
    } else if (error != 0) {
      answer.error = "the process that connected has ended";
    } else if (!peer.is_there(table_)) {
      kernel_.set_rtprio_limit(peer.pid, before);
      answer.error = "the process ended while its limit was being raised";
    }
  }
  log(
    peer,
    {answer.error.empty(), 0, "RLIMIT_RTPRIO " + std::to_string(request.priority), answer.error});
  return answer;
}

}  // namespace takt_configurator
