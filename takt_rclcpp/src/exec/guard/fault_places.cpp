#include "exec/guard/fault_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace takt_exec
{

using nlohmann::ordered_json;
using takt_rt::GuardedFaults;

namespace
{

constexpr std::array<const char *, 3> kHas{"callers", "instructions", "number"};
constexpr std::array<const char *, 4> kLimits{"none", "rights", "locked_memory", "open_files"};

std::string_view lack_of(std::string_view has)
{
  return has == "number" ? "have no places" : "have the instruction without its callers";
}

std::string_view advice_of(std::string_view limit)
{
  return limit == "locked_memory"
           ? "the kernel's limit of memory for them is reached; raise it with "
             "`sudo sysctl kernel.perf_event_mlock_kb=4096`, or raise `ulimit -l`"
         : limit == "open_files" ? "the program has no room for more open files; raise `ulimit -n`"
                                 : "this user may not see them; allow it with `sudo sysctl "
                                   "kernel.perf_event_paranoid=2`, and in a container with "
                                   "`--cap-add PERFMON` too";
}

// "planner", "planner and control", or the first names and the number of the others. Threads may
// share a name.
std::string names_text(const std::vector<std::string> & threads)
{
  constexpr std::size_t kShown = 5;
  std::vector<std::string> names;
  for (const std::string & name : threads) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  }
  const std::size_t shown = std::min(names.size(), kShown);
  std::string text = names.front();
  for (std::size_t i = 1; i < shown; ++i) {
    text += (i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return shown == names.size() ? text : text + fmt::format(" and {} more", names.size() - shown);
}

}  // namespace

ordered_json limited_faults(const takt_rt::GuardAccount & account)
{
  ordered_json list = ordered_json::array();
  for (const GuardedFaults & one : account.limited) {
    if (
      one.state.load(std::memory_order_acquire) == takt_rt::GuardSite::ready &&
      one.has < kHas.size() && one.limit < kLimits.size()) {
      const auto end = std::find(one.name.begin(), one.name.end(), '\0');
      list.push_back(
        {{"thread", one.thread},
         {"name", std::string(one.name.begin(), end)},
         {"has", kHas[one.has]},
         {"limit", kLimits[one.limit]}});
    }
  }
  return list;
}

std::uint32_t limited_faults_more(const takt_rt::GuardAccount & account)
{
  const std::uint32_t all = account.limited_count.load(std::memory_order_relaxed);
  const auto room = static_cast<std::uint32_t>(account.limited.size());
  return all - std::min(all, room);
}

std::string limited_faults_text(const ordered_json & list, std::uint64_t more)
{
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> threads;
  for (const auto & one : list) {
    threads[{one.at("has"), one.at("limit")}].push_back(one.at("name"));
  }
  std::string text;
  for (const auto & [key, names] : threads) {
    text += fmt::format(
      "  page faults of {} ({}) {}: {}\n",
      names.size() == 1 ? "1 thread" : fmt::format("{} threads", names.size()), names_text(names),
      lack_of(key.first), advice_of(key.second));
  }
  if (more > 0) {
    text += fmt::format(
      "  page faults of {} more {} lack places, too; the guard's account names {} threads\n", more,
      more == 1 ? "thread" : "threads", list.size());
  }
  return text;
}

}  // namespace takt_exec
