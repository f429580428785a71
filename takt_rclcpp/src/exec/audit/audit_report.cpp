#include "exec/audit/audit_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "exec/audit/race_log.hpp"
#include "exec/text/processes_text.hpp"

namespace takt_exec
{

using nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace
{

using Words = std::vector<std::string>;

Words words_of(const std::string & line)
{
  Words words;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = line.find('\t', begin);
    words.push_back(line.substr(begin, end - begin));
    if (end == std::string::npos) {
      return words;
    }
    begin = end + 1;
  }
}

std::uint64_t number(const std::string & word)
{
  return std::strtoull(word.c_str(), nullptr, 0);
}

/// One process: its document, and what a race needs to find its callbacks.
struct Process
{
  ordered_json json{
    {"pid", 0},
    {"program", ""},
    {"sanitized", false},
    {"executors", ordered_json::array()},
    {"callbacks", ordered_json::array()},
    {"races", ordered_json::array()}};
  std::uint64_t base = 0;  // of the frames that stand for callbacks; 0: none
  std::map<std::uint64_t, std::size_t> callbacks;  // places by number

  void add(const Words & words);
  std::string callback_of(const RaceAccess & access) const;
};

void Process::add(const Words & words)
{
  const auto is = [&](std::string_view kind, std::size_t count) {
    return words.front() == kind && words.size() == count;
  };
  if (is("process", 3)) {
    json["program"] = words[1];
    base = number(words[2]);
    json["sanitized"] = base != 0;
  } else if (is("executor", 4)) {
    json["executors"].push_back(
      {{"name", words[2]}, {"scheduled", words[3] == "1"}, {"threads", 0}});
  } else if (is("thread", 2) && number(words[1]) < json["executors"].size()) {
    auto & threads = json["executors"][number(words[1])]["threads"];
    threads = threads.get<int>() + 1;
  } else if (is("callback", 10)) {
    callbacks[number(words[1])] = json["callbacks"].size();
    json["callbacks"].push_back(
      {{"id", words[3]},
       {"kind", words[4]},
       {"group", words[5]},
       {"reentrant", words[6] == "1"},
       {"executor", number(words[2])},
       {"background", words[7] == "1"},
       {"found", words[8] == "1"},
       {"function", words[9]},
       {"objects", ordered_json::array()},
       {"code", ordered_json::array()}});
  } else if (const auto of = callbacks.find(words.size() > 1 ? number(words[1]) : 0);
             of != callbacks.end()) {
    auto & callback = json["callbacks"][of->second];
    if (is("object", 6)) {
      callback["objects"].push_back(
        {{"address", words[2]},
         {"type", words[3]},
         {"module", words[4]},
         {"offset", number(words[5])}});
    } else if (is("code", 4)) {
      callback["code"].push_back({{"module", words[2]}, {"offset", number(words[3])}});
    }
  }
}

// The id of the callback in whose run the access was; empty: in none.
std::string Process::callback_of(const RaceAccess & access) const
{
  constexpr std::uint64_t kFrameBytes = 16;  // as audit_observer.cpp has it
  constexpr std::uint64_t kMost = 1U << 16U;
  for (const RaceFrame & frame : access.stack) {
    if (base == 0 || frame.address < base || frame.address >= base + kMost * kFrameBytes) {
      continue;
    }
    const auto found = callbacks.find((frame.address - base) / kFrameBytes);
    if (found != callbacks.end()) {
      return json["callbacks"][found->second]["id"];
    }
  }
  return "";
}

bool is_of_libraries(const RaceFrame & frame)
{
  return frame.file.empty() || frame.file.rfind("/usr/include/", 0) == 0 ||
         frame.file.find("libsanitizer") != std::string::npos ||
         frame.file.find("/c++/") != std::string::npos;
}

// "Planner::plan() planner.cpp:31": the innermost function that is not of the C++ library.
std::string place_of(const std::vector<RaceFrame> & stack)
{
  const auto own = std::find_if_not(stack.begin(), stack.end(), is_of_libraries);
  if (own != stack.end()) {
    return fmt::format(
      "{} ({}:{})", own->function, fs::path(own->file).filename().string(), own->line);
  }
  const auto named = std::find_if(
    stack.begin(), stack.end(), [](const RaceFrame & frame) { return !frame.function.empty(); });
  return named == stack.end() ? "an unknown place" : named->function;
}

ordered_json side_of(const Process & process, const RaceAccess & access)
{
  return {
    {"callback", process.callback_of(access)},
    {"thread", access.thread},
    {"access", access.kind},
    {"where", place_of(access.stack)}};
}

void add_races(Process & process, const fs::path & log)
{
  std::ifstream file(log);
  auto & all = process.json["races"];
  for (const Race & race : read_races(file)) {
    if (race.accesses.size() < 2) {
      continue;
    }
    std::array<ordered_json, 2> sides{
      side_of(process, race.accesses[0]), side_of(process, race.accesses[1])};
    if (sides[0]["callback"] == "" && sides[1]["callback"] == "") {
      // A race of other threads. takt's libraries are not instrumented, so that ThreadSanitizer
      // doubts their threads.
      continue;
    }
    // Which access came first differs from run to run.
    const auto key = [](const ordered_json & side) {
      return std::tuple(
        side["callback"].get<std::string>().empty(), side["callback"].get<std::string>(),
        side["where"].get<std::string>(), side["access"].get<std::string>());
    };
    if (key(sides[1]) < key(sides[0])) {
      std::swap(sides[0], sides[1]);
    }
    std::string location = race.location;
    if (const auto own =
          std::find_if_not(race.allocation.begin(), race.allocation.end(), is_of_libraries);
        own != race.allocation.end()) {
      location += fmt::format(
        ", allocated in {} ({}:{})", own->function, fs::path(own->file).filename().string(),
        own->line);
    }
    const auto same = std::find_if(all.begin(), all.end(), [&](const ordered_json & other) {
      const auto alike = [](const ordered_json & a, const ordered_json & b) {
        return a["callback"] == b["callback"] && a["where"] == b["where"] &&
               a["access"] == b["access"];
      };
      return alike(other["first"], sides[0]) && alike(other["second"], sides[1]) &&
             other["location"] == location;
    });
    if (same == all.end()) {
      all.push_back(
        {{"first", sides[0]}, {"second", sides[1]}, {"location", location}, {"times", 1}});
    } else {
      (*same)["times"] = (*same)["times"].get<int>() + 1;
    }
  }
}

std::string side_text(const ordered_json & side)
{
  const std::string callback = side["callback"];
  return fmt::format(
    "    {} by {} in {}\n", side["access"].get<std::string>(),
    callback.empty() ? side["thread"].get<std::string>() + ", outside of callbacks" : callback,
    side["where"].get<std::string>());
}

std::string process_text(const ordered_json & process)
{
  std::string text = fmt::format(
    "audit of process {} ({}): ", process["pid"].get<int>(),
    fs::path(process["program"].get<std::string>()).filename().string());
  const std::size_t callbacks = process["callbacks"].size();
  if (!process["sanitized"].get<bool>()) {
    return text +
           fmt::format(
             "{} callbacks; the program has no ThreadSanitizer, so races are unknown\n", callbacks);
  }
  const auto & races = process["races"];
  if (races.empty()) {
    return text + fmt::format(
                    "no race seen between {} callbacks, which does not prove that there is none\n",
                    callbacks);
  }
  text += fmt::format("{} race{}\n", races.size(), races.size() == 1 ? "" : "s");
  for (const auto & race : races) {
    const std::string location = race["location"];
    text += "  race on " + (location.empty() ? std::string("unknown memory") : location) + "\n" +
            side_text(race["first"]) + side_text(race["second"]);
  }
  return text;
}

}  // namespace

ordered_json audit_processes(const fs::path & folder)
{
  std::map<int, Process> processes;
  std::error_code error;
  for (const auto & entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".audit") {
      continue;
    }
    const int pid = std::atoi(entry.path().stem().c_str());
    Process & process = processes[pid];
    process.json["pid"] = pid;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      process.add(words_of(line));
    }
  }
  for (const auto & entry : fs::directory_iterator(folder, error)) {
    for (auto & [pid, process] : processes) {
      if (is_race_log(entry.path(), pid)) {
        add_races(process, entry.path());
      }
    }
  }
  ordered_json all = ordered_json::array();
  for (auto & [pid, process] : processes) {
    all.push_back(std::move(process.json));
  }
  return all;
}

std::string audit_text(const ordered_json & processes)
{
  return processes_text("audit", processes, process_text);
}

}  // namespace takt_exec
