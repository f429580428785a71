#include "run/refusals.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace takt_workload
{

using takt_rt::Fault;
using takt_rt::Refusal;
using takt_rt::RefusedAttribute;

namespace
{

constexpr std::size_t kNamed = 8;

// True if the number is a nice value: for these, the lower number asks for more.
bool is_nice(const Refusal & refusal)
{
  return takt_rt::has_nice(refusal.asked.policy);
}

// The refusal without the thread and its number: equal for threads that lack the same right.
Refusal common(const Refusal & refusal)
{
  Refusal key = refusal;
  key.tid = 0;
  key.thread.clear();
  key.asked = {};
  switch (refusal.attribute) {
    case RefusedAttribute::name:
      key.asked.name = refusal.asked.name;
      break;
    case RefusedAttribute::cores:
      key.asked.cores = refusal.asked.cores;
      break;
    case RefusedAttribute::policy:
    case RefusedAttribute::nice:
      key.asked.policy = refusal.asked.policy;
      key.asked.runtime = refusal.asked.runtime;
      key.asked.deadline = refusal.asked.deadline;
      key.asked.period = refusal.asked.period;
      break;
  }
  return key;
}

std::string named(const std::vector<std::string> & names)
{
  const std::size_t shown = std::min(names.size(), kNamed);
  std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + shown, ", "));
  if (names.size() > shown) {
    text += fmt::format(" and {} more", names.size() - shown);
  }
  return text;
}

}  // namespace

bool Refusals::take(const std::string & who, const Fault & fault, const std::string & granted)
{
  if (!fault.refusal || fault.refusal->right == takt_rt::MissingRight::not_in_force) {
    return false;
  }
  const Refusal & refusal = *fault.refusal;
  const Refusal key = common(refusal);
  auto group =
    std::find_if(groups_.begin(), groups_.end(), [&](const Group & one) { return one.key == key; });
  if (group == groups_.end()) {
    groups_.push_back({key, refusal, {}, {}});
    group = groups_.end() - 1;
  }
  if (const auto number = refused_number(refusal)) {
    const int strongest = *refused_number(group->strongest);
    if (is_nice(refusal) ? *number < strongest : *number > strongest) {
      group->strongest = refusal;
    }
    auto & numbers = group->numbers;
    if (std::find(numbers.begin(), numbers.end(), *number) == numbers.end()) {
      numbers.push_back(*number);
    }
  }
  group->threads.push_back({who, granted});
  return true;
}

bool Refusals::take(const Fault & fault, const std::string & before)
{
  if (fault.kind == takt_rt::FaultKind::general || !fault.refusal) {
    return false;
  }
  const std::string & thread = fault.refusal->thread;
  return take(before + (thread.empty() ? fault.place : thread), fault);
}

std::vector<std::string> Refusals::sentences() const
{
  std::vector<std::string> all;
  for (const Group & group : groups_) {
    std::vector<std::string> names;
    std::vector<std::pair<std::string, std::vector<std::string>>> instead;  // names of threads by
                                                                            // granted attributes
    for (const Thread & thread : group.threads) {
      names.push_back(thread.name);
      if (thread.granted.empty()) {
        continue;
      }
      auto same = std::find_if(instead.begin(), instead.end(), [&](const auto & one) {
        return one.first == thread.granted;
      });
      if (same == instead.end()) {
        instead.emplace_back(thread.granted, std::vector<std::string>{});
        same = instead.end() - 1;
      }
      same->second.push_back(thread.name);
    }
    std::vector<int> numbers = group.numbers;
    std::sort(numbers.begin(), numbers.end());
    if (!is_nice(group.key)) {
      std::reverse(numbers.begin(), numbers.end());
    }
    std::string text = fmt::format(
      "{}: {}{}{} refused: {}", named(names), refused_thing(group.strongest, false),
      numbers.empty() ? "" : " ", fmt::join(numbers, ", "), reason(group.strongest));
    if (instead.size() == 1) {
      text += "; instead they run as " + instead.front().first;
    } else if (!instead.empty()) {
      std::vector<std::string> given;
      for (const auto & [granted, threads] : instead) {
        given.push_back(fmt::format("{} ({})", granted, named(threads)));
      }
      text += fmt::format("; instead they run as {}", fmt::join(given, ", "));
    }
    all.push_back(std::move(text));
  }
  return all;
}

std::string with_grouped_refusals(std::string_view failed, const takt_rt::Faults & faults)
{
  if (faults.size() == 1) {
    return fmt::format("{}: {}", failed, to_string(faults.front()));
  }
  std::vector<std::string> lines;
  Refusals refusals;
  for (const Fault & fault : faults) {
    if (!refusals.take(fault)) {
      lines.push_back(to_string(fault));
    }
  }
  const std::vector<std::string> refused = refusals.sentences();
  if (lines.empty() && refused.size() == 1) {
    return fmt::format("{}: {}", failed, refused.front());
  }
  lines.insert(lines.end(), refused.begin(), refused.end());
  return fmt::format("{}:\n  {}", failed, fmt::join(lines, "\n  "));
}

std::string own_program()
{
  std::error_code ignored;
  const std::string path = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
  if (path.find_first_of(" '\"\\$`&;()<>|*?[]#~") == std::string::npos) {
    return path;
  }
  std::string quoted = "'";
  for (const char one : path) {
    quoted += one == '\'' ? std::string("'\\''") : std::string(1, one);
  }
  return quoted + "'";
}

void name_program(takt_rt::Faults & faults, const std::string & program)
{
  for (Fault & fault : faults) {
    if (fault.refusal) {
      fault.refusal->program = program;
    }
  }
}

}  // namespace takt_workload
