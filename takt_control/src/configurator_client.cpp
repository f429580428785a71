#include "takt_control/configurator_client.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "asker.hpp"
#include "takt_control/configurator_messages.hpp"
#include "takt_rt/environment.hpp"

namespace takt_control
{
namespace
{

using takt_rt::AttributeReport;
using takt_rt::Fault;
using takt_rt::Faults;
using takt_rt::format_cores;
using takt_rt::MissingRight;
using takt_rt::Policy;
using takt_rt::Refusal;
using takt_rt::RefusedAttribute;
using takt_rt::ThreadAttributes;

bool has_error(const Fault & fault, int error)
{
  return fault.refusal && fault.refusal->error == error;
}

/// Moves the faults that the daemon may remedy from `faults` to the result: those with EPERM and,
/// if there are any, those with EBUSY. (The kernel refuses other cores with EBUSY while the thread
/// has the policy deadline, and a thread without rights cannot leave this policy.)
Faults take_refused_for_rights(Faults & faults)
{
  Faults taken;
  const bool any = std::any_of(
    faults.begin(), faults.end(), [](const Fault & fault) { return has_error(fault, EPERM); });
  std::erase_if(faults, [&](const Fault & fault) {
    const bool is_ours = has_error(fault, EPERM) || (any && has_error(fault, EBUSY));
    if (is_ours) {
      taken.push_back(fault);
    }
    return is_ours;
  });
  return taken;
}

/// True if the kernel confirms all attributes of `asked`, as the daemon said.
bool in_force(const ThreadAttributes & asked, const ThreadAttributes & granted)
{
  const bool policy = asked.policy == Policy::inherit ||
                      (granted.policy == asked.policy && granted.priority == asked.priority &&
                       granted.runtime == asked.runtime && granted.deadline == asked.deadline &&
                       granted.period == asked.period);
  return policy && (!asked.nice || granted.nice == asked.nice) &&
         (asked.cores.empty() || format_cores(asked.cores) == format_cores(granted.cores));
}

/// The attributes of `asked` that `faults` refuse.
ThreadAttributes refused_part(const ThreadAttributes & asked, const Faults & faults)
{
  ThreadAttributes part;
  for (const Fault & fault : faults) {
    if (fault.refusal->attribute == RefusedAttribute::cores) {
      part.cores = asked.cores;
    } else {
      part.policy = asked.policy;
      part.priority = asked.priority;
      part.nice = asked.nice;
      part.runtime = asked.runtime;
      part.deadline = asked.deadline;
      part.period = asked.period;
    }
  }
  return part;
}

}  // namespace

std::string configurator_socket()
{
  const std::string path = takt_rt::variable("TAKT_CONFIGURATOR");
  return path.empty() ? kConfiguratorSocket : path;
}

class ConfiguratorClient::Impl : public Asker
{
public:
  using Asker::Asker;
};

ConfiguratorClient::ConfiguratorClient(std::string socket, takt_rt::Duration timeout, bool awaits)
: impl_(std::make_unique<Impl>(
    socket.empty() ? configurator_socket() : std::move(socket), timeout, awaits))
{
}

ConfiguratorClient::~ConfiguratorClient() = default;

const std::string & ConfiguratorClient::socket() const noexcept
{
  return impl_->socket();
}

AttributeReport ConfiguratorClient::apply(const ThreadAttributes & attributes, pid_t tid)
{
  AttributeReport report = takt_rt::apply(attributes, tid);
  const Faults refused = take_refused_for_rights(report.faults);
  if (refused.empty()) {
    return report;
  }
  const ThreadAttributes part = refused_part(attributes, refused);
  std::vector<Refusal> refusals = impl_->ask_for(MessageType::apply, part, tid);
  report.granted = takt_rt::read_attributes(tid);
  report.granted.stack_size = attributes.stack_size;
  if (refusals.empty() && !in_force(part, report.granted)) {
    Refusal refusal = refuse(part, MissingRight::not_in_force, {});
    refusal.error = 0;
    refusal.tid = tid;
    refusal.granted = report.granted;
    refusals.push_back(std::move(refusal));
  }
  for (Refusal & refusal : refusals) {
    refusal.thread = attributes.name.empty() ? report.granted.name : attributes.name;
    report.faults.emplace_back(std::move(refusal));
  }
  return report;
}

Faults ConfiguratorClient::refusals(const ThreadAttributes & attributes)
{
  const Faults own = takt_rt::own_rights().refusals(attributes);
  return own.empty() ? own : would_grant(attributes);
}

bool ConfiguratorClient::allow_realtime(int priority)
{
  return takt_rt::may_use_realtime(priority) ||
         (raise_rtprio_limit(priority).ok() && takt_rt::may_use_realtime(priority));
}

Faults ConfiguratorClient::would_grant(const ThreadAttributes & attributes)
{
  Faults faults;
  for (Refusal & refusal : impl_->ask_for(MessageType::would_grant, attributes, 0)) {
    faults.emplace_back(std::move(refusal));
  }
  return faults;
}

takt_rt::Status ConfiguratorClient::raise_rtprio_limit(int priority)
{
  rlimit limit{};
  ::getrlimit(RLIMIT_RTPRIO, &limit);
  const auto wanted = static_cast<rlim_t>(std::max(priority, 0));
  if (limit.rlim_cur >= wanted) {  // RLIM_INFINITY compares as the largest number
    return {};
  }
  rlimit raised{wanted, std::max(limit.rlim_max, wanted)};
  if (::setrlimit(RLIMIT_RTPRIO, &raised) == 0) {
    return {};
  }
  const auto answer = impl_->ask(MessageType::rtprio_limit, [priority](std::uint64_t id) {
    return to_payload(LimitRequest{id, priority});
  });
  const std::string what = "RLIMIT_RTPRIO of this process cannot be raised to " +
                           std::to_string(priority) +
                           " by its own rights, nor by the configurator: ";
  if (!answer) {
    return Faults{what + answer.faults().front().text};
  }
  if (!answer->error.empty()) {
    return Faults{what + answer->error};
  }
  ::getrlimit(RLIMIT_RTPRIO, &limit);
  if (limit.rlim_cur < wanted) {
    return Faults{what + "it said yes, and the limit is " + std::to_string(limit.rlim_cur)};
  }
  return {};
}

}  // namespace takt_control
