#include "requests.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "apply_request.hpp"
#include "restored.hpp"
#include "status_json.hpp"
#include "takt_schedule/apply_schedule.hpp"
#include "takt_schedule/parse.hpp"
#include "takt_schedule/watch_parts.hpp"

namespace takt_control
{
namespace
{

using nlohmann::json;
using takt_core::Executor;
using takt_core::Reconfiguration;
using takt_rt::Faults;
using takt_schedule::AppliedPart;
using takt_schedule::Schedule;

}  // namespace

void Requests::remove(const Executor & executor)
{
  std::erase_if(executors_, [&](const auto & one) { return one.executor == &executor; });
  before_.erase(&executor);
  set_values_.forget(executor);
  watched_.erase(&executor);
  if (last_) {
    std::erase_if(last_->executors, [&](const Before & one) { return one.executor == &executor; });
  }
}

void Requests::forget_changes()
{
  std::construct_at(&threads_);
  std::construct_at(&set_values_);
  std::construct_at(&before_);
  std::construct_at(&last_);
  std::construct_at(&watched_);
}

Reply Requests::answer(std::uint16_t type, const std::string & payload)
{
  switch (static_cast<MessageType>(type)) {
    case MessageType::status:
      return status();
    case MessageType::apply_schedule:
      return apply(payload);
    case MessageType::reset:
      return reset(payload);
    case MessageType::set:
      return set(payload);
    case MessageType::subscribe:
      return subscribe();
    default:
      break;
  }
  const auto handler = handlers_.find(static_cast<MessageType>(type));
  if (handler == handlers_.end()) {
    return error_reply(
      {type == static_cast<std::uint16_t>(MessageType::statistics)
         ? "nothing in this process counts: a program written against takt_rcl has figures under a "
           "schedule only (TAKT_SCHEDULE=FILE), and an older takt has none"
         : "this process does not know the request " + std::to_string(type) +
             "; its takt may be an older one"});
  }
  // A handler allocates as much as the request asks for. Too large a request must not end the
  // program.
  takt_rt::Result<std::string> answered = Faults{"the request failed"};
  try {
    answered = handler->second(payload);
  } catch (const std::exception & error) {
    answered = Faults{std::string("the request failed: ") + error.what()};
  }
  return answered.ok() ? Reply{MessageType::result, std::move(*answered)}
                       : error_reply(sentences(answered.faults()));
}

Reply Requests::status() const
{
  return result_reply(status_json(executors_, threads_, set_values_));
}

Reply Requests::subscribe() const
{
  if (!subscription_) {
    return result_reply({{"alarms", 0}, {"active", json::array()}});
  }
  try {
    SubscriptionAnswer answer = subscription_();
    return {MessageType::result, std::move(answer.document), answer.alarms};
  } catch (const std::exception & error) {
    return error_reply({std::string("the subscription failed: ") + error.what()});
  }
}

Reply Requests::apply(const std::string & payload)
{
  auto request = read_apply_request(payload);
  if (!request) {
    return error_reply(sentences(request.faults()));
  }
  const bool check_only = request->check_only;
  auto schedule = takt_schedule::parse_schedule(request->text, request->file);
  if (!schedule) {
    return error_reply(sentences(schedule.faults()));
  }
  for (const ExposedExecutor & one : executors_) {
    for (auto & executor : schedule->executors) {
      if (one.adapt && executor.name == one.name) {
        one.adapt(executor);
      }
    }
  }
  PartsByExecutor all;
  std::set<std::string> not_in_file;
  std::vector<Before> changed;
  const auto refuse = [&](const Faults & faults) {
    for (auto undo = changed.rbegin(); undo != changed.rend(); ++undo) {
      Executor & executor = *undo->executor;
      static_cast<void>(executor.reconfigure(still_there(undo->configuration, executor)));
      if (undo->first) {
        before_.erase(&executor);
      }
    }
    return error_reply(sentences(faults));
  };
  // First check all executors; then change them.
  for (const bool only_check : {true, false}) {
    if (!only_check && check_only) {
      break;
    }
    if (!only_check) {
      last_.reset();
    }
    all.clear();
    for (const ExposedExecutor & one : executors_) {
      if (schedule->find(one.name) == nullptr) {
        not_in_file.insert(one.name);
        continue;
      }
      Reconfiguration before;
      if (!only_check) {
        before = one.executor->configuration();
      }
      const auto parts =
        only_check ? takt_schedule::check_schedule(*schedule, one.name, *one.executor, one.place)
                   : takt_schedule::apply_schedule(*schedule, one.name, *one.executor, one.place);
      if (!parts.ok()) {
        return refuse(parts.faults());
      }
      if (!only_check) {
        const bool first = before_.try_emplace(one.executor, before).second;
        changed.push_back({one.executor, std::move(before), first});
      }
      append(all[one.name], std::move(*parts));
    }
    for (auto & [name, parts] : all) {
      const std::string & own = name;
      const auto executors = std::count_if(
        executors_.begin(), executors_.end(), [&](const auto & one) { return one.name == own; });
      keep_unmatched_by_all(parts, static_cast<std::size_t>(executors));
    }
    auto threads = threads_.apply(*schedule, only_check);
    if (!threads) {
      return refuse(threads.faults());
    }
    for (auto & [executor, parts] : *threads) {
      append(all[executor], std::move(parts));
    }
    // From here on no step can fail.
    for (const ExposedExecutor & one : executors_) {
      if (one.watch && schedule->find(one.name) != nullptr) {
        append(all[one.name], one.watch(*schedule, only_check));
      }
    }
  }
  if (!check_only) {
    note_applied(*schedule, std::move(request->id), std::move(changed));
  }
  return result_reply({{"executors", parts_json(all)}, {"not_in_file", not_in_file}});
}

void Requests::note_applied(const Schedule & schedule, std::string id, std::vector<Before> changed)
{
  const bool says_watching = takt_schedule::says_watching(schedule);
  const auto kept = says_watching ? std::make_shared<const Schedule>(schedule) : nullptr;
  for (Before & before : changed) {
    const auto one = std::find_if(executors_.begin(), executors_.end(), [&](const auto & exposed) {
      return exposed.executor == before.executor;
    });
    before.file = std::exchange(one->applied_file, schedule.file);
    before.set_values = set_values_.take(*before.executor);
    if (kept != nullptr) {
      before.watched = std::exchange(watched_[before.executor], kept);
    }
  }
  last_ = LastApply{std::move(id), std::move(changed), says_watching};
}

}  // namespace takt_control
