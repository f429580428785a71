#include "takt_control/configurator_client.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <utility>

#include "connection.hpp"
#include "takt_control/configurator_messages.hpp"

namespace takt_control
{
namespace
{

using takt_core::AttributeReport;
using takt_core::Fault;
using takt_core::Faults;
using takt_core::format_cores;
using takt_core::MissingRight;
using takt_core::Policy;
using takt_core::Refusal;
using takt_core::RefusedAttribute;
using takt_core::ThreadAttributes;

bool lacks_right(const Fault & fault)
{
  return fault.refusal && fault.refusal->error == EPERM;
}

RefusedAttribute asked_most(const ThreadAttributes & asked)
{
  if (asked.policy != Policy::inherit) {
    return RefusedAttribute::policy;
  }
  return asked.nice ? RefusedAttribute::nice : RefusedAttribute::cores;
}

Refusal refusal_of(const ThreadAttributes & asked, MissingRight right, std::string detail)
{
  Refusal refusal;
  refusal.attribute = asked_most(asked);
  refusal.error = EPERM;
  refusal.right = right;
  refusal.asked = asked;
  refusal.detail = std::move(detail);
  return refusal;
}

/// What of `asked` the kernel says that the thread has not, after the daemon said that it has.
bool in_force(const ThreadAttributes & asked, const ThreadAttributes & granted)
{
  const bool policy = asked.policy == Policy::inherit ||
                      (granted.policy == asked.policy && granted.priority == asked.priority &&
                       granted.runtime == asked.runtime && granted.deadline == asked.deadline &&
                       granted.period == asked.period);
  return policy && (!asked.nice || granted.nice == asked.nice) &&
         (asked.cores.empty() || format_cores(asked.cores) == format_cores(granted.cores));
}

/// The part of `asked` to which `faults` belong. Deadline threads need their cores for a cpuset.
ThreadAttributes refused_part(const ThreadAttributes & asked, const Faults & faults)
{
  ThreadAttributes part;
  for (const Fault & fault : faults) {
    if (!lacks_right(fault)) {
      continue;
    }
    if (fault.refusal->attribute == RefusedAttribute::cores) {
      part.cores = asked.cores;
    } else {
      part.policy = asked.policy;
      part.priority = asked.priority;
      part.nice = asked.nice;
      part.runtime = asked.runtime;
      part.deadline = asked.deadline;
      part.period = asked.period;
      if (asked.policy == Policy::deadline) {
        part.cores = asked.cores;
      }
    }
  }
  return part;
}

}  // namespace

std::string configurator_socket()
{
  const char * const path = std::getenv("TAKT_CONFIGURATOR");
  return path != nullptr && *path != '\0' ? path : kConfiguratorSocket;
}

class ConfiguratorClient::Impl
{
public:
  Impl(std::string socket, takt_core::Duration timeout, bool awaits)
  : timeout_(timeout),
    connection_(socket.empty() ? configurator_socket() : std::move(socket), awaits)
  {
  }

  const std::string & socket() const noexcept { return connection_.path(); }

  /// Asks and waits. `payload` of the id that it is given.
  /// In the answer is the error of the daemon; no answer is one fault, for people.
  takt_core::Result<Answer> ask(
    MessageType type, const std::function<std::string(std::uint64_t)> & payload)
  {
    const auto until = std::chrono::steady_clock::now() + timeout_;
    const std::unique_lock lock(mutex_, until);
    if (!lock) {
      return Faults{connection_.path() + ": other threads of this process are still asking"};
    }
    const std::uint64_t id = ++last_id_;
    const std::string bytes = encode(type, payload(id));
    const bool reused = connection_.is_open();
    Frame frame;
    auto end = Connection::End::failed;
    if (reused || connection_.open(until)) {
      end = connection_.exchange(bytes, until, frame);
    }
    // A request that arrives twice sets the same attributes twice.
    if (end == Connection::End::lost && reused && connection_.open(until)) {
      end = connection_.exchange(bytes, until, frame);
    }
    if (end != Connection::End::answered) {
      return Faults{connection_.fault()};
    }
    auto answer = read_answer(frame.payload);
    if (!answer || (answer->id != id && answer->error.empty())) {
      connection_.close();
      return Faults{
        connection_.path() + ": the answer does not fit the request" +
        (answer ? "" : ": " + to_string(answer.faults().front()))};
    }
    if (answer->id != id) {
      connection_.close();  // the daemon said why it ends the connection
    }
    return answer;
  }

  /// What the daemon refuses, each with the reason.
  std::vector<Refusal> ask_for(MessageType type, const ThreadAttributes & part, pid_t tid)
  {
    const auto answer = ask(type, [&](std::uint64_t id) {
      return to_payload(AttributeRequest{id, tid == 0 ? ::gettid() : tid, part});
    });
    std::vector<Refusal> refusals;
    if (!answer) {
      refusals.push_back(
        refusal_of(part, MissingRight::no_configurator, answer.faults().front().text));
    } else if (!answer->error.empty()) {
      refusals.push_back(refusal_of(part, MissingRight::configurator, answer->error));
    } else {
      refusals = answer->refusals;
    }
    for (Refusal & refusal : refusals) {
      refusal.tid = tid;
    }
    return refusals;
  }

private:
  takt_core::Duration timeout_;
  std::timed_mutex mutex_;
  Connection connection_;
  std::uint64_t last_id_ = 0;
};

ConfiguratorClient::ConfiguratorClient(
  std::string socket, takt_core::Duration timeout, bool awaits)
: impl_(std::make_unique<Impl>(std::move(socket), timeout, awaits))
{
}

ConfiguratorClient::~ConfiguratorClient() = default;

const std::string & ConfiguratorClient::socket() const noexcept
{
  return impl_->socket();
}

AttributeReport ConfiguratorClient::apply(const ThreadAttributes & attributes, pid_t tid)
{
  AttributeReport report = takt_core::apply(attributes, tid);
  if (std::none_of(report.faults.begin(), report.faults.end(), lacks_right)) {
    return report;
  }
  const ThreadAttributes part = refused_part(attributes, report.faults);
  std::erase_if(report.faults, lacks_right);
  std::vector<Refusal> refusals = impl_->ask_for(MessageType::apply, part, tid);
  report.granted = takt_core::read_attributes(tid);
  report.granted.stack_size = attributes.stack_size;
  if (refusals.empty() && !in_force(part, report.granted)) {
    Refusal refusal = refusal_of(part, MissingRight::not_in_force, {});
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
  const Faults own = takt_core::own_rights().refusals(attributes);
  return own.empty() ? own : would_grant(attributes);
}

bool ConfiguratorClient::allow_realtime(int priority)
{
  return takt_core::may_use_realtime(priority) ||
         (raise_rtprio_limit(priority).ok() && takt_core::may_use_realtime(priority));
}

Faults ConfiguratorClient::would_grant(const ThreadAttributes & attributes)
{
  Faults faults;
  for (Refusal & refusal : impl_->ask_for(MessageType::would_grant, attributes, 0)) {
    faults.emplace_back(std::move(refusal));
  }
  return faults;
}

takt_core::Status ConfiguratorClient::raise_rtprio_limit(int priority)
{
  rlimit limit{};
  ::getrlimit(RLIMIT_RTPRIO, &limit);
  const auto wanted = static_cast<rlim_t>(std::max(priority, 0));
  if (limit.rlim_cur >= wanted) {  // RLIM_INFINITY is the largest number
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
