#include "registered_threads.hpp"

#include <filesystem>
#include <memory>
#include <utility>

#include "takt_control/process_setter.hpp"
#include "takt_rt/application/thread_name.hpp"
#include "takt_rt/attribute_setter.hpp"
#include "takt_schedule/process_threads.hpp"

namespace takt_control
{
namespace
{

using takt_rt::AttributeReport;
using takt_rt::Faults;
using takt_rt::Result;
using takt_rt::ThreadAttributes;
using takt_schedule::AppliedPart;
using takt_schedule::ExecutorSchedule;
using takt_schedule::Schedule;

constexpr std::size_t kKernelName = 15;  // characters; the kernel cuts the rest

std::shared_ptr<takt_rt::AttributeSetter> setter()
{
  auto process = process_setter();
  return process != nullptr ? process
                            : std::shared_ptr<takt_rt::AttributeSetter>(
                                &takt_rt::own_rights(), [](takt_rt::AttributeSetter *) {});
}

/// True while this process has the thread `tid` with the name of `report`. The kernel reuses
/// numbers.
bool lives(pid_t tid, const AttributeReport & report)
{
  std::error_code error;
  if (!std::filesystem::exists("/proc/self/task/" + std::to_string(tid), error)) {
    return false;
  }
  const ThreadAttributes now = takt_rt::read_attributes(tid);
  return now.policy != takt_rt::Policy::inherit &&
         report.asked.name.substr(0, kKernelName) == now.name;
}

/// The attributes that a schedule's rule gives to a thread name, and the executor that has the
/// rule.
struct Rule
{
  const ExecutorSchedule * executor = nullptr;
  ThreadAttributes attributes{};
};

/// All rules of a file, as takt_thread_register sees them.
class Rules
{
public:
  explicit Rules(const Schedule & schedule)
  {
    for (const ExecutorSchedule & executor : schedule.executors) {
      if (auto threads = takt_schedule::ProcessThreads::create(schedule, executor.name)) {
        rules_.emplace_back(&executor, std::move(threads.value()));
      }
    }
  }

  Result<Rule> find(const std::string & name) const
  {
    for (const auto & [executor, threads] : rules_) {
      const auto found = threads.find(name);
      if (!found) {
        return found.faults();
      }
      if (*found != nullptr) {
        Rule rule{executor, (*found)->attributes};
        rule.attributes.name = name;
        return rule;
      }
    }
    return Rule{};
  }

private:
  std::vector<std::pair<const ExecutorSchedule *, takt_schedule::ProcessThreads>> rules_;
};

}  // namespace

void RegisteredThreads::add(pid_t tid, const ThreadAttributes & had, const AttributeReport & report)
{
  const auto known = threads_.find(tid);
  const bool again = known != threads_.end() && lives(tid, known->second.report);
  threads_[tid] = Known{again ? known->second.had : had, report, {}, {}};
}

const AttributeReport * RegisteredThreads::find(pid_t tid) const
{
  const auto found = threads_.find(tid);
  return found != threads_.end() && lives(tid, found->second.report) ? &found->second.report
                                                                     : nullptr;
}

Result<PartsByExecutor> RegisteredThreads::apply(const Schedule & schedule, bool check_only)
{
  forget_ended();
  if (!check_only) {
    last_.clear();
  }
  const auto refuse = [&](const Faults & faults) {
    if (!check_only) {
      undo();
    }
    return faults;
  };
  const Rules rules(schedule);
  PartsByExecutor parts;
  for (auto & [tid, known] : threads_) {
    const auto rule = rules.find(known.report.asked.name);
    if (!rule) {
      return refuse(rule.faults());
    }
    if (rule->executor == nullptr) {
      continue;
    }
    auto & own = parts[rule->executor->name];
    own.push_back(takt_schedule::thread_part({known.report, tid}, rule->attributes));
    if (own.back().outcome == AppliedPart::Outcome::unchanged) {
      continue;
    }
    Faults refused;
    const ThreadAttributes wanted = filled_in(rule->attributes, known.had);
    if (check_only) {
      refused = setter()->refusals(wanted);
    } else {
      AttributeReport done = setter()->apply(takt_rt::with_kept_name(wanted), tid);
      if (!lives(tid, known.report)) {
        own.pop_back();  // the thread ended meanwhile
        continue;
      }
      last_.emplace(tid, Before{known.report, !known.at_start});
      if (!known.at_start) {
        known.at_start = known.report;
      }
      known.executor = rule->executor->name;
      known.report = std::move(done);
      known.report.asked = rule->attributes;
      refused = known.report.faults;
    }
    if (!refused.empty() && rule->executor->missing_rights == takt_core::MissingRights::fail) {
      return refuse(refused);
    }
    add_refusals(own.back(), refused);
  }
  return parts;
}

PartsByExecutor RegisteredThreads::undo()
{
  PartsByExecutor parts;
  for (const auto & [tid, before] : std::exchange(last_, {})) {
    const auto known = threads_.find(tid);
    if (known == threads_.end() || !lives(tid, known->second.report)) {
      continue;
    }
    auto & own = parts[known->second.executor];
    own.push_back({"thread " + before.report.asked.name});
    add_refusals(own.back(), give_back(tid, before.report));
    if (before.first) {
      known->second.at_start.reset();
    }
  }
  return parts;
}

PartsByExecutor RegisteredThreads::reset()
{
  forget_ended();
  PartsByExecutor parts;
  for (auto & [tid, known] : threads_) {
    if (known.at_start) {
      const AttributeReport before = *std::exchange(known.at_start, std::nullopt);
      auto & own = parts[known.executor];
      own.push_back({"thread " + before.asked.name});
      add_refusals(own.back(), give_back(tid, before));
    }
  }
  return parts;
}

// Restores the attributes that the thread was granted before, and the report's `asked`.
Faults RegisteredThreads::give_back(pid_t tid, const AttributeReport & before)
{
  const auto found = threads_.find(tid);
  if (found == threads_.end() || !lives(tid, found->second.report)) {
    return {};
  }
  ThreadAttributes had = before.granted;
  had.name = before.asked.name;
  AttributeReport & report = found->second.report;
  report = setter()->apply(takt_rt::with_kept_name(had), tid);
  report.asked = before.asked;
  Faults refused = report.faults;
  if (refused.empty()) {
    report.faults = before.faults;  // these attributes are not in force now either
  }
  return refused;
}

void RegisteredThreads::forget_ended()
{
  std::erase_if(threads_, [](const auto & one) { return !lives(one.first, one.second.report); });
}

}  // namespace takt_control
