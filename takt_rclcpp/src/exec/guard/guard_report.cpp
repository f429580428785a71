#include "exec/guard/guard_report.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "exec/guard/account_file.hpp"
#include "exec/guard/fault_places.hpp"
#include "exec/guard/symbols.hpp"
#include "exec/text/processes_text.hpp"
#include "takt_rt/guard/account.hpp"
#include "takt_schedule/middlewares.hpp"

namespace takt_exec
{

using nlohmann::ordered_json;
using takt_rt::GuardAccount;
using takt_rt::GuardKind;
using takt_rt::GuardSite;

namespace
{

struct Frame
{
  std::string object;  // see FileAddress
  std::uint64_t offset = 0;
  Place place;
};

/// The part of the process that caused an event.
enum class By
{
  program,
  client_library,  ///< rclcpp or takt_rcl, outside of the user's function
  middleware       ///< the middleware, called by the client library, as by a publish
};

const char * name_of(By by)
{
  return by == By::program ? "program" : by == By::middleware ? "middleware" : "client_library";
}

/// One of the account's sites, with the names of its callback and its functions.
struct Site
{
  std::string callback;
  GuardKind kind{};
  By by = By::program;
  bool own = false;  // true: an event of takt's libraries
  std::string what;
  int thread = 0;
  std::uint64_t count = 0;
  std::int64_t total = 0;
  std::int64_t worst = 0;
  std::int64_t waits_for = 0;  // so far; 0: no thread waits here at the end
  std::vector<Frame> frames;
};

/// One of the account's waits of a callback for another callback.
struct Block
{
  std::string waiting;
  std::string awaited;
  std::size_t site = 0;  // index in the process's sites
  std::uint32_t why = 0;
  std::int64_t time = 0;
  bool never_ended = false;
  bool answered = false;
};

struct Process
{
  int pid = 0;
  std::string program;
  bool ended = false;
  bool faults_have_places = false;
  ordered_json limited_faults;
  std::uint32_t limited_faults_more = 0;
  std::uint64_t lost = 0;
  std::vector<std::pair<std::string, std::uint64_t>> runs;
  std::vector<Site> sites;
  std::vector<Block> blocks;
};

bool begins_with_one_of(const std::string & text, std::span<const std::string_view> beginnings)
{
  return std::any_of(beginnings.begin(), beginnings.end(), [&](std::string_view one) {
    return text.rfind(one, 0) == 0;
  });
}

bool is_middleware(const std::string & object)
{
  constexpr std::array<std::string_view, 2> kOfAll{"librmw", "libtakt_channel"};
  const std::string name = base_name(object);
  const auto all = takt_schedule::middlewares();
  return begins_with_one_of(name, kOfAll) ||
         std::any_of(all.begin(), all.end(), [&](const takt_schedule::Middleware & one) {
           return begins_with_one_of(name, one.libraries);
         });
}

// The function's name without result and parameters: "std::vector<int>::push_back" for
// "void std::vector<int>::push_back(int&&)". (Of templates, demanglers print the result's type.)
std::string qualified_name(const std::string & function)
{
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < function.size(); ++i) {
    constexpr std::string_view kUnnamed = "(anonymous namespace)";
    constexpr std::string_view kDeduced = "decltype(auto)";
    if (function.compare(i, kUnnamed.size(), kUnnamed) == 0) {
      i += kUnnamed.size() - 1;
    } else if (function.compare(i, kDeduced.size(), kDeduced) == 0) {
      i += kDeduced.size() - 1;
    } else if (function[i] == '<') {
      ++depth;
    } else if (function[i] == '>') {
      --depth;
    } else if (depth == 0 && (function[i] == '(' || function.compare(i, 9, "operator ") == 0)) {
      break;
    } else if (depth == 0 && function[i] == ' ') {
      begin = i + 1;
    }
  }
  return function.substr(begin);
}

// True for functions of the C and C++ libraries, which work for their caller further out. The code
// of templates is in the program's file, so the function's name counts, too.
bool is_runtime(const Frame & frame)
{
  constexpr std::array<std::string_view, 9> kObjects{
    "libc.so",  "libstdc++.so", "libpthread.so",    "libgcc_s.so", "libm.so",
    "libdl.so", "ld-linux",     "libtakt_guard.so", "librt.so"};
  constexpr std::array<std::string_view, 5> kFunctions{
    "std::", "__gnu_cxx::", "__gthread_", "operator new", "operator delete"};
  return begins_with_one_of(base_name(frame.object), kObjects) ||
         begins_with_one_of(qualified_name(frame.place.function), kFunctions);
}

bool is_client_library(const Frame & frame)
{
  constexpr std::array<std::string_view, 9> kObjects{
    "librclcpp",      "librcl",        "librcutils",    "librcpputils", "librosidl",
    "libtakt_rcl.so", "libtakt_rt.so", "libtracetools", "libspdlog"};
  constexpr std::array<std::string_view, 2> kFunctions{"rclcpp::", "takt_rcl::"};
  // Functions of message types, which the client library makes, copies and destroys.
  const bool of_message =
    frame.place.function.find("_<std::allocator<void> >") != std::string::npos;
  const std::string name = qualified_name(frame.place.function);
  return begins_with_one_of(base_name(frame.object), kObjects) ||
         begins_with_one_of(name, kFunctions) ||
         (of_message &&
          (name.find("::msg::") != std::string::npos || name.find("::srv::") != std::string::npos ||
           name.find("::action::") != std::string::npos));
}

const char * part_of(const Frame & frame)
{
  return is_middleware(frame.object) ? "middleware"
         : is_runtime(frame)         ? "runtime"
         : is_client_library(frame)  ? "client_library"
                                     : "program";
}

By by_of(const Site & site)
{
  bool program = false;
  bool client_library = false;
  for (const Frame & frame : site.frames) {
    if (is_middleware(frame.object)) {
      return By::middleware;
    }
    client_library = client_library || is_client_library(frame);
    program = program || (!is_runtime(frame) && !is_client_library(frame));
  }
  // The stack of a page fault may end in the C library.
  program = program || (site.kind == GuardKind::page_fault && !client_library);
  return program ? By::program : By::client_library;
}

bool is_own_event(const Site & site)
{
  for (const Frame & frame : site.frames) {
    if (!is_runtime(frame)) {
      return is_takts_own(frame.object);
    }
  }
  return false;
}

void add_places(std::vector<Process> & processes)
{
  std::map<std::string, std::map<std::uint64_t, Place>> known;
  const auto each = [&](const auto & visit) {
    for (Process & process : processes) {
      for (Site & site : process.sites) {
        for (Frame & frame : site.frames) {
          visit(frame);
        }
      }
    }
  };
  each([&](const Frame & frame) {
    if (!frame.object.empty()) {
      known[frame.object][frame.offset];
    }
  });
  for (auto & [object, places] : known) {
    std::vector<std::uint64_t> offsets;
    for (const auto & [offset, place] : places) {
      offsets.push_back(offset);
    }
    const std::vector<Place> found = places_in(object, offsets);
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      places[offsets[i]] = found[i];
    }
  }
  each([&](Frame & frame) {
    if (!frame.object.empty()) {
      frame.place = known[frame.object][frame.offset];
    }
  });
}

std::int64_t now_ns()
{
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

Process read(const GuardAccount & account)
{
  Process process;
  std::map<std::uint32_t, std::size_t> places;  // of sites in the account, in the process
  process.pid = account.process;
  process.program = text_of(account.program);
  process.ended = account.ended.load() != 0;
  process.faults_have_places = account.faults_have_places.load() != 0;
  process.limited_faults = limited_faults(account);
  process.limited_faults_more = limited_faults_more(account);
  for (const auto & lost : account.lost) {
    process.lost += lost.load();
  }
  const std::size_t names =
    std::min<std::size_t>(account.name_count.load(std::memory_order_acquire), account.names.size());
  for (std::size_t i = 0; i < names; ++i) {
    const auto * const begin = account.texts.data() + account.names[i].begin;
    process.runs.emplace_back(begin, account.names[i].runs.load());
  }
  const std::int64_t now = now_ns();
  for (std::size_t i = 0; i < account.sites.size(); ++i) {
    const GuardSite & from = account.sites[i];
    if (from.state.load(std::memory_order_acquire) != GuardSite::ready || from.name >= names) {
      continue;
    }
    Site site;
    site.callback = process.runs[from.name].first;
    site.kind = from.kind;
    site.what = text_of(from.what);
    site.thread = from.thread;
    site.count = from.count.load();
    site.total = from.total.load();
    site.worst = from.worst.load();
    for (const auto & thread : account.threads) {
      if (thread.site.load() == i + 1) {
        site.waits_for = std::max(site.waits_for, now - thread.since.load());
      }
    }
    for (FileAddress & address : frames_of(account, from)) {
      site.frames.push_back({std::move(address.object), address.offset, {}});
    }
    if (site.count > 0 || site.waits_for != 0) {
      places[static_cast<std::uint32_t>(i)] = process.sites.size();
      process.sites.push_back(std::move(site));
    }
  }
  for (const auto & from : account.blocks) {
    const auto place = places.find(from.site);
    if (
      from.state.load(std::memory_order_acquire) != GuardSite::ready || from.name >= names ||
      from.awaited >= names || place == places.end()) {
      continue;
    }
    const std::int64_t ended = from.ended.load();
    process.blocks.push_back(
      {process.runs[from.name].first, process.runs[from.awaited].first, place->second, from.why,
       (ended == 0 ? now : ended) - from.since, ended == 0, from.answered.load() != 0});
  }
  return process;
}

ordered_json stack_of(const Site & site)
{
  ordered_json stack = ordered_json::array();
  for (const Frame & frame : site.frames) {
    stack.push_back(
      {{"function", frame.place.function},
       {"part", part_of(frame)},
       {"object", frame.object},
       {"offset", frame.offset},
       {"file", frame.place.file},
       {"line", frame.place.line}});
  }
  return stack;
}

const char * word_of(std::uint32_t why)
{
  using takt_rt::GuardedBlock;
  return why == GuardedBlock::lock ? "lock" : why == GuardedBlock::group ? "group" : "thread";
}

// Omits a wait that ended before the awaited callback could run: it was not a wait for that
// callback. But keeps it if the awaited callback later signalled the object of the wait.
ordered_json deadlocks_of(const Process & process)
{
  ordered_json all = ordered_json::array();
  for (const Block & block : process.blocks) {
    if (block.never_ended || block.answered) {
      const Site & site = process.sites[block.site];
      all.push_back(
        {{"waiting", block.waiting},
         {"awaited", block.awaited},
         {"why", word_of(block.why)},
         {"never_ended", block.never_ended},
         {"time_ns", block.time},
         {"what", site.what},
         {"stack", stack_of(site)}});
    }
  }
  return all;
}

ordered_json to_json(const Process & process, const IgnoreList & ignored, bool all_threads)
{
  std::uint64_t left_out = 0;
  // By the callback's name, then by the part of the process and the kind.
  std::map<std::string, std::map<std::pair<By, GuardKind>, std::vector<const Site *>>> kept;
  for (const Site & site : process.sites) {
    if (site.own) {
      continue;
    }
    const bool is_ignored = std::any_of(
      site.frames.begin(), site.frames.end(),
      [&](const Frame & frame) { return ignored.ignores(site.kind, frame.place.function); });
    if (is_ignored) {
      left_out += site.count;
    } else {
      kept[site.callback][{site.by, site.kind}].push_back(&site);
    }
  }
  ordered_json callbacks = ordered_json::array();
  for (const auto & [name, runs] : process.runs) {
    ordered_json events = ordered_json::array();
    if (const auto found = kept.find(name); found != kept.end()) {
      for (const auto & [key, sites] : found->second) {
        std::vector<const Site *> all = sites;
        const auto worst = [&](const Site * site) {
          return std::max(site->worst, site->waits_for);
        };
        std::stable_sort(all.begin(), all.end(), [&](const Site * a, const Site * b) {
          return std::pair(worst(a), a->count) > std::pair(worst(b), b->count);
        });
        std::uint64_t count = 0;
        std::int64_t total = 0;
        bool waits = false;
        ordered_json places = ordered_json::array();
        for (const Site * const site : all) {
          const bool waits_here = site->waits_for != 0;
          count += site->count + (waits_here ? 1 : 0);
          total += site->total;
          waits = waits || waits_here;
          places.push_back(
            {{"what", site->what},
             {"count", site->count + (waits_here ? 1 : 0)},
             {"total_ns", site->total},
             {"worst_ns", worst(site)},
             {"never_ended", waits_here},
             {"thread", site->thread},
             {"stack", stack_of(*site)}});
        }
        events.push_back(
          {{"kind", takt_rt::guard_kind_name(key.second)},
           {"by", name_of(key.first)},
           {"count", count},
           {"total_ns", total},
           {"worst_ns", worst(all.front())},
           {"never_ended", waits},
           {"places", std::move(places)}});
      }
    }
    if (runs > 0) {
      callbacks.push_back({{"id", name}, {"runs", runs}, {"events", std::move(events)}});
    }
  }
  return {
    {"pid", process.pid},
    {"program", process.program},
    {"threads", all_threads ? "all" : "rt"},
    {"ended", process.ended},
    {"faults_have_places", process.faults_have_places},
    {"limited_faults", process.limited_faults},
    {"limited_faults_more", process.limited_faults_more},
    {"ignored", left_out},
    {"lost", process.lost},
    {"callbacks", std::move(callbacks)},
    {"deadlocks", deadlocks_of(process)}};
}

std::string place_text(const ordered_json & frame)
{
  const std::string function = frame.at("function");
  const std::string file = frame.at("file");
  const std::string place = function.empty()
                              ? fmt::format(
                                  "{}+{:#x}", base_name(frame.at("object").get<std::string>()),
                                  frame.at("offset").get<std::uint64_t>())
                              : function;
  return file.empty()
           ? place
           : fmt::format("{} ({}:{})", place, base_name(file), frame.at("line").get<int>());
}

// The most useful frame of a stack: the innermost one in the program's own code, else in the client
// library, and so on.
std::string short_place(const ordered_json & stack)
{
  for (const char * const part : {"program", "client_library", "middleware", "runtime"}) {
    const auto found = std::find_if(stack.begin(), stack.end(), [&](const ordered_json & frame) {
      return frame.at("part") == part;
    });
    if (found != stack.end()) {
      return place_text(*found);
    }
  }
  return "unknown";
}

std::string microseconds(std::int64_t ns)
{
  return ns == 0 ? "-" : fmt::format("{:.1f}", static_cast<double>(ns) / 1e3);
}

std::string in_words(std::string word)
{
  std::replace(word.begin(), word.end(), '_', ' ');
  return word;
}

bool is_programs(const ordered_json & event)
{
  return event.at("by") == "program";
}

std::string rows_text(const std::vector<std::array<std::string, 6>> & rows)
{
  std::array<std::size_t, 6> widths{};
  for (const auto & row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (const auto & row : rows) {
    text += fmt::format(
      "  {:<{}}  {:<{}}  {:>{}}  {:>{}}  {:>{}}  {}\n", row[0], widths[0], row[1], widths[1],
      row[2], widths[2], row[3], widths[3], row[4], widths[4], row[5]);
  }
  return text;
}

std::string deadlock_text(const ordered_json & one)
{
  const bool never = one.at("never_ended");
  const std::string why = one.at("why");
  return fmt::format(
    "  deadlock: {} waited for {}{} ({} in {}), and {} {}\n", one.at("waiting").get<std::string>(),
    never ? "ever, at least " : "", fmt::format("{:.1f} s", one.at("time_ns").get<double>() / 1e9),
    one.at("what").get<std::string>(), short_place(one.at("stack")),
    one.at("awaited").get<std::string>(),
    why == "lock" ? "held the lock"
    : why == "group"
      ? "was ready and could not run, because both are in one mutually exclusive group"
      : "was ready and could not run, because it may run only on threads that waited");
}

bool has_page_faults(const ordered_json & process)
{
  const auto & callbacks = process.at("callbacks");
  return std::any_of(callbacks.begin(), callbacks.end(), [](const ordered_json & callback) {
    const auto & events = callback.at("events");
    return std::any_of(events.begin(), events.end(), [](const ordered_json & event) {
      return event.at("kind") == "page_fault";
    });
  });
}

std::string process_text(const ordered_json & process)
{
  std::vector<std::array<std::string, 6>> rows{
    {"callback", "does", "times", "runs", "worst us", "where"}};
  std::size_t clean = 0;
  for (const auto & callback : process.at("callbacks")) {
    const auto & events = callback.at("events");
    clean += std::none_of(events.begin(), events.end(), is_programs) ? 1 : 0;
    for (const auto & event : events) {
      rows.push_back(
        {callback.at("id").get<std::string>(),
         in_words(event.at("kind")) +
           (is_programs(event) ? "" : " (" + in_words(event.at("by")) + ")"),
         fmt::format("{}", event.at("count").get<std::uint64_t>()),
         fmt::format("{}", callback.at("runs").get<std::uint64_t>()),
         microseconds(event.at("worst_ns").get<std::int64_t>()) +
           (event.at("never_ended").get<bool>() ? "+" : ""),
         short_place(event.at("places").front().at("stack"))});
    }
  }
  const bool all = process.at("threads") == "all";
  const std::string whose = all ? "" : " on real-time threads";
  std::string text = fmt::format(
    "guard of process {} ({})", process.at("pid").get<int>(),
    base_name(process.at("program").get<std::string>()));
  if (process.at("callbacks").empty()) {
    return text + ": no callback ran" + whose +
           (all ? "\n" : "; --guard=all watches callbacks on all threads\n");
  }
  text += fmt::format(
    ": {} of {} callbacks that ran{} did what real-time code should not do\n",
    process.at("callbacks").size() - clean, process.at("callbacks").size(), whose);
  if (rows.size() > 1) {
    text += rows_text(rows);
  }
  for (const auto & one : process.at("deadlocks")) {
    text += deadlock_text(one);
  }
  if (has_page_faults(process)) {
    text += limited_faults_text(
      process.at("limited_faults"), process.at("limited_faults_more").get<std::uint64_t>());
  }
  if (const auto ignored = process.at("ignored").get<std::uint64_t>(); ignored > 0) {
    text += fmt::format("  {} events in functions of the ignore list are left out\n", ignored);
  }
  if (const auto lost = process.at("lost").get<std::uint64_t>(); lost > 0) {
    text += fmt::format("  {} further events found no room in the guard's account\n", lost);
  }
  return text;
}

}  // namespace

ordered_json guard_processes(
  const std::filesystem::path & folder, const IgnoreList & ignored, bool all_threads)
{
  std::vector<Process> processes;
  std::error_code error;
  for (const auto & entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".guard") {
      const AccountFile account(entry.path());
      if (account.get() != nullptr) {
        processes.push_back(read(*account.get()));
      }
    }
  }
  std::sort(processes.begin(), processes.end(), [](const Process & a, const Process & b) {
    return a.pid < b.pid;
  });
  for (Process & process : processes) {
    for (Site & site : process.sites) {
      site.own = is_own_event(site);  // blocks refer to sites by index
    }
    for (Site & site : process.sites) {
      cut_executor(site.frames);
    }
  }
  add_places(processes);
  for (Process & process : processes) {
    for (Site & site : process.sites) {
      site.by = by_of(site);
    }
  }
  ordered_json all = ordered_json::array();
  for (const Process & process : processes) {
    all.push_back(to_json(process, ignored, all_threads));
  }
  return all;
}

std::string guard_text(const ordered_json & processes)
{
  return processes_text("guard", processes, process_text);
}

}  // namespace takt_exec
