// The request `reset`: back to the values from before the first schedule or `set`, or from before
// one schedule.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "requests.hpp"
#include "restored.hpp"
#include "takt_control/json_fields.hpp"

namespace takt_control
{

using nlohmann::json;
using takt_core::Reconfiguration;
using takt_rt::Faults;
using takt_schedule::AppliedPart;

Reply Requests::reset(const std::string & payload)
{
  std::string id;
  try {
    const json request = request_object(payload);
    if (!request.contains("apply")) {
      return reset_all();
    }
    id = text_of(request, "apply");
  } catch (const BadField & bad) {
    return error_reply({"the request to take a schedule back is wrong: " + bad.what});
  }
  return id.empty()
           ? error_reply({"the request to take a schedule back does not name it by its id"})
           : undo(id);
}

namespace
{

/// The answer to a request to restore executors: an error if no executor was restored; otherwise
/// each refusal is a part of its executor.
Reply answer_of(const PartsByExecutor & all, const Faults & faults, bool any_restored)
{
  if (!faults.empty() && !any_restored) {
    return error_reply(sentences(faults));
  }
  return result_reply({{"executors", parts_json(all)}, {"not_in_file", json::array()}});
}

/// Replaces `parts` by the refusals: the elements of `faults` from index `known` on.
void note_refusal(const Faults & faults, std::size_t known, std::vector<AppliedPart> & parts)
{
  parts.clear();
  for (std::size_t i = known; i < faults.size(); ++i) {
    parts.push_back({"executor", AppliedPart::Outcome::failed, takt_rt::to_string(faults[i])});
  }
}

}  // namespace

/// Restores one executor. False, with faults: the executor is unchanged.
bool Requests::restore(
  const ExposedExecutor & one, const Reconfiguration & before, std::vector<AppliedPart> & parts,
  Faults & faults)
{
  const Reconfiguration wanted = still_there(before, *one.executor);
  parts = restored_parts(wanted, *one.executor);
  const auto done = one.executor->reconfigure(wanted);
  if (!done.ok()) {
    const Faults & refused = done.faults();
    const std::size_t known = faults.size();
    faults.insert(faults.end(), refused.begin(), refused.end());
    note_refusal(faults, known, parts);
    return false;
  }
  add_refusals_of(*done, parts);
  return true;
}

// Restores every executor that does not refuse.
Reply Requests::reset_all()
{
  last_.reset();
  PartsByExecutor all;
  Faults faults;
  bool any_restored = false;
  for (ExposedExecutor & one : executors_) {
    const auto before = before_.find(one.executor);
    std::vector<AppliedPart> parts;
    if (before == before_.end()) {
      parts.push_back({"executor", AppliedPart::Outcome::unchanged});
    } else {
      if (!restore(one, before->second, parts, faults)) {
        append(all[one.name], std::move(parts));
        continue;
      }
      any_restored = true;
      before_.erase(before);
      set_values_.forget(*one.executor);
      one.applied_file.clear();
    }
    watched_.erase(one.executor);
    if (one.watch_as_before && one.watch_as_before()) {
      parts.push_back({"watch", AppliedPart::Outcome::applied});
    }
    append(all[one.name], std::move(parts));
  }
  for (auto & [executor, parts] : threads_.reset()) {
    any_restored = true;
    append(all[executor], std::move(parts));
  }
  return answer_of(all, faults, any_restored);
}

// Takes back the latest schedule only; the state before earlier ones is not kept.
Reply Requests::undo(const std::string & id)
{
  PartsByExecutor all;
  Faults faults;
  bool any_restored = false;
  if (last_ && last_->id == id) {
    LastApply taken = std::move(*last_);
    last_.reset();
    for (auto before = taken.executors.rbegin(); before != taken.executors.rend(); ++before) {
      const auto one = std::find_if(executors_.begin(), executors_.end(), [&](const auto & other) {
        return other.executor == before->executor;
      });
      std::vector<AppliedPart> parts;
      if (one == executors_.end()) {
        continue;
      }
      if (!restore(*one, before->configuration, parts, faults)) {
        append(all[one->name], std::move(parts));
        continue;
      }
      any_restored = true;
      if (before->first) {
        before_.erase(one->executor);
      }
      one->applied_file = before->file;
      set_values_.give_back(*one->executor, std::move(before->set_values));
      if (taken.says_watching && before->watched != nullptr) {
        watched_[one->executor] = before->watched;
        if (one->watch) {
          append(parts, one->watch(*before->watched, false));
        }
      } else if (taken.says_watching) {
        watched_.erase(one->executor);
        if (one->watch_as_before && one->watch_as_before()) {
          parts.push_back({"watch", AppliedPart::Outcome::applied});
        }
      }
      append(all[one->name], std::move(parts));
    }
    for (auto & [executor, parts] : threads_.undo()) {
      any_restored = true;
      append(all[executor], std::move(parts));
    }
  }
  return answer_of(all, faults, any_restored);
}

}  // namespace takt_control
