#include "run/refusals.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <regex>
#include <sstream>

namespace takt_workload
{

namespace
{

constexpr std::size_t kNamed = 8;

// "SCHED_FIFO priority 60" as "SCHED_FIFO priority" and 60.
std::optional<int> cut_number(std::string & what)
{
  const auto space = what.rfind(' ');
  if (space == std::string::npos) {
    return std::nullopt;
  }
  int number = 0;
  const char * const end = what.data() + what.size();
  const auto read = std::from_chars(what.data() + space + 1, end, number);
  if (read.ec != std::errc{} || read.ptr != end) {
    return std::nullopt;
  }
  what.resize(space);
  return number;
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

bool Refusals::take(const std::string & who, const std::string & fault, const std::string & granted)
{
  static const std::regex refusal("(.*?) refused for (?:this thread|thread [0-9]+): (.*)");
  static const std::regex entry("'- (rtprio|nice) -?[0-9]+'");
  std::smatch parts;
  const std::string told = fault.substr(0, fault.find(kFallback));
  if (told.size() > kLongestMatched || !std::regex_match(told, parts, refusal)) {
    return false;
  }
  std::string what = parts[1];
  const auto number = cut_number(what);
  const std::string why = parts[2];
  const std::string key = what + ": " + std::regex_replace(why, entry, "");
  auto group =
    std::find_if(groups_.begin(), groups_.end(), [&](const Group & one) { return one.key == key; });
  if (group == groups_.end()) {
    groups_.push_back({key, what, {}, why, 0, {}});
    group = groups_.end() - 1;
  }
  if (number) {
    // Of nice values the lower one is the stronger demand.
    const int demand = what.ends_with("nice") ? -*number : *number;
    if (group->numbers.empty() || demand > group->strongest) {
      group->strongest = demand;
      group->why = why;
    }
    auto & numbers = group->numbers;
    if (std::find(numbers.begin(), numbers.end(), *number) == numbers.end()) {
      numbers.push_back(*number);
    }
  }
  group->threads.push_back({who, granted});
  return true;
}

bool Refusals::take(const std::string & sentence)
{
  static const std::regex said(
    "\\s*(?:process ([0-9]+): )?(?:.*:[0-9]+:[0-9]+: thread '([^']*)' \\([0-9]+\\)|\\S+: thread "
    "(\\S+)|(\\S+: middleware ceiling)|(reference timer)): (.* refused for .*)");
  std::smatch parts;
  if (sentence.size() > kLongestMatched || !std::regex_match(sentence, parts, said)) {
    return false;
  }
  std::string who = parts[2].str() + parts[3].str() + parts[4].str() + parts[5].str();
  if (parts[1].matched && parts[2].matched) {
    who = parts[1].str() + "/" + who;
  }
  return take(who, parts[6]);
}

std::vector<std::string> Refusals::sentences() const
{
  std::vector<std::string> all;
  for (const Group & group : groups_) {
    std::vector<std::string> names;
    std::vector<std::pair<std::string, std::vector<std::string>>> instead;  // by what was granted
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
    if (!group.what.ends_with("nice")) {
      std::reverse(numbers.begin(), numbers.end());
    }
    std::string text = fmt::format(
      "{}: {}{}{} refused: {}", named(names), group.what, numbers.empty() ? "" : " ",
      fmt::join(numbers, ", "), group.why);
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

std::string with_grouped_refusals(const std::string & text)
{
  Refusals refusals;
  std::vector<std::string> kept;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  const std::string head = line;
  bool any = false;
  while (std::getline(lines, line)) {
    if (refusals.take(line)) {
      any = true;
    } else {
      kept.push_back(line);
    }
  }
  if (!any) {
    return text;
  }
  const std::vector<std::string> sentences = refusals.sentences();
  if (kept.empty() && sentences.size() == 1) {
    return head + " " + sentences.front();
  }
  for (const std::string & sentence : sentences) {
    kept.push_back("  " + sentence);
  }
  return fmt::format("{}\n{}", head, fmt::join(kept, "\n"));
}

std::string with_program(std::string text)
{
  constexpr std::string_view kAny = "cap_sys_nice+ep PROGRAM";
  std::error_code ignored;
  std::string program = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
  if (program.empty()) {
    return text;
  }
  if (program.find_first_of(" '\"\\$`&;()<>|*?[]#~") != std::string::npos) {
    program = fmt::format("'{}'", std::regex_replace(program, std::regex("'"), "'\\''"));
  }
  for (auto at = text.find(kAny); at != std::string::npos; at = text.find(kAny, at + 1)) {
    text.replace(at, kAny.size(), "cap_sys_nice+ep " + program);
  }
  return text;
}

}  // namespace takt_workload
