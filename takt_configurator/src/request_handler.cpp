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
using takt_rt::MissingRight;
using takt_rt::Policy;
using takt_rt::ThreadAttributes;

std::string error_frame(std::string what)
{
  Answer answer;
  answer.error = std::move(what);
  return encode(MessageType::error, to_payload(answer));
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

void RequestHandler::log(const Peer & peer, const Decision & decision) const
{
  if (log_) {
    log_(peer, decision);
  }
}

std::string RequestHandler::handle(const Peer & peer, const Frame & frame)
{
  if (frame.version != takt_control::kProtocolVersion) {
    return error_frame(
      "this configurator speaks version " + std::to_string(takt_control::kProtocolVersion) +
      " of the protocol, not " + std::to_string(frame.version) +
      "; use the takt that the daemon is from");
  }
  switch (static_cast<MessageType>(frame.type)) {
    case MessageType::apply:
    case MessageType::would_grant: {
      const auto request = takt_control::read_attribute_request(frame.payload);
      if (!request) {
        return error_frame(request.faults().front().text);
      }
      const bool dry_run = frame.type == static_cast<std::uint16_t>(MessageType::would_grant);
      return encode(MessageType::answer, to_payload(decide(peer, *request, dry_run)));
    }
    case MessageType::rtprio_limit: {
      const auto request = takt_control::read_limit_request(frame.payload);
      if (!request) {
        return error_frame(request.faults().front().text);
      }
      return encode(MessageType::answer, to_payload(decide_limit(peer, *request)));
    }
    case MessageType::answer:
    case MessageType::error:
      break;
  }
  return error_frame("messages of type " + std::to_string(frame.type) + " are unknown");
}

Answer RequestHandler::decide(const Peer & peer, const AttributeRequest & request, bool dry_run)
{
  Answer answer;
  answer.id = request.id;
  const auto target = find_target(peer, request.tid, table_);
  Decision decision;
  if (!target) {
    answer.refusals.push_back(
      refuse(request.attributes, MissingRight::configurator, target.faults().front().text, ESRCH));
  } else {
    decision.tid = target.value().key.tid;
    answer.refusals = decide_on(peer, target.value(), request.attributes, dry_run);
  }
  decision.granted = answer.refusals.empty();
  decision.what = (dry_run ? "asked about " : "") + shown(request.attributes);
  for (const takt_rt::Refusal & refusal : answer.refusals) {
    decision.why += (decision.why.empty() ? "" : "; ") + reason(refusal);
  }
  log(peer, decision);
  return answer;
}

Refusals RequestHandler::decide_on(
  const Peer & peer, const Target & target, const ThreadAttributes & asked, bool dry_run)
{
  if (asked.policy == Policy::inherit && !asked.nice && asked.cores.empty()) {
    return {refuse(asked, MissingRight::configurator, "the request asks for nothing", EINVAL)};
  }
  if (const auto faults = takt_rt::validate(asked, table_.usable_cores(peer.pid));
      !faults.empty()) {
    return {refuse(asked, MissingRight::configurator, joined(faults), EINVAL)};
  }
  Refusals refusals = judge_now(peer, target, asked);
  if (!refusals.empty() || dry_run) {
    return refusals;
  }
  SetResult result = set_thread(peer, target, asked, table_, kernel_);
  ledger_.set(target.key, peer.uid, result.granted);
  return std::move(result.refusals);
}

Refusals RequestHandler::judge_now(
  const Peer & peer, const Target & target, const ThreadAttributes & asked)
{
  const auto * const rule = find_rule(policy_, peer.uid, peer.groups);
  if (rule == nullptr) {
    return {refuse(asked, MissingRight::configurator_policy, no_rule(policy_, peer.uid))};
  }
  Circumstances now;
  now.thread = kernel_.read(target.key.tid);
  now.nice = kernel_.nice(target.key.tid);
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
  if (!refusals.empty() && would_count(asked, now)) {
    // Threads that have ended may still count: those of this user, and those of others for the
    // common bandwidth.
    ledger_.purge(table_, kernel_, peer.uid);
    refusals = look();
    if (!refusals.empty() && asked.policy == Policy::deadline) {
      ledger_.purge(table_, kernel_);
      refusals = look();
    }
  }
  return refusals;
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
    answer.error = raise_limit(peer, request.priority);
  }
  log(
    peer,
    {answer.error.empty(), 0, "RLIMIT_RTPRIO " + std::to_string(request.priority), answer.error});
  return answer;
}

/// Returns an empty sentence, or the reason of the refusal.
std::string RequestHandler::raise_limit(const Peer & peer, int priority)
{
  rlimit before{};
  const int error = kernel_.raise_rtprio_limit(peer.pid, priority, before);
  if (error == EPERM) {
    return "the daemon itself lacks CAP_SYS_RESOURCE; grant it in takt-configurator.service";
  }
  if (error != 0) {
    return "the process that connected has ended";
  }
  if (!peer.is_there(table_)) {
    kernel_.set_rtprio_limit(peer.pid, before);  // the id may belong to another process by now
    return "the process ended while its limit was being raised";
  }
  return {};
}

}  // namespace takt_configurator
