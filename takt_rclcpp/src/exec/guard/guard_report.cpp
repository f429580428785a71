#include "exec/guard/guard_report.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "exec/guard/account_file.hpp"
#include "exec/guard/fault_places.hpp"
#include "exec/guard/parts.hpp"
#include "exec/guard/stacks.hpp"
#include "exec/text/processes_text.hpp"
#include "takt_rt/guard/account.hpp"

namespace takt_exec
{

using nlohmann::ordered_json;
using takt_rt::GuardAccount;
using takt_rt::GuardKind;
using takt_rt::GuardSite;

namespace
{

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
  struct Name
  {
    std::string text;
    std::uint64_t runs = 0;
    bool is_scope = false;  // of takt_rt::Guard
  };
  std::vector<Name> names;
  std::vector<Site> sites;
  std::vector<Block> blocks;
};

bool has_part(const Site & site, Part part)
{
  return std::any_of(site.frames.begin(), site.frames.end(), [&](const Frame & frame) {
    return frame.part == part;
  });
}

By by_of(const Site & site)
{
  if (has_part(site, Part::middleware)) {
    return By::middleware;
  }
  const bool client_library = has_part(site, Part::client_library);
  const bool program = has_part(site, Part::program) ||
                       // The stack of a page fault may end in the C library.
                       (site.kind == GuardKind::page_fault && !client_library);
  return program ? By::program : By::client_library;
}

// True for an event of the client library that may be of the program's code, inlined there.
bool is_unsure(const Site & site)
{
  return site.by == By::client_library && std::any_of(
                                            site.frames.begin(), site.frames.end(),
                                            [](const Frame & frame) { return frame.may_carry; });
}

bool is_own_event(const Site & site)
{
  for (const Frame & frame : site.frames) {
    if (part_of(frame.object, {}) != Part::runtime) {
      return is_takts_own(frame.object);
    }
  }
  return false;
}

void add_places(std::vector<Process> & processes)
{
  std::vector<std::vector<Frame> *> stacks;
  for (Process & process : processes) {
    for (Site & site : process.sites) {
      stacks.push_back(&site.frames);
    }
  }
  Names().add_to(stacks);
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
    process.names.push_back(
      {begin, account.names[i].runs.load(), account.names[i].on_all_threads.load() != 0});
  }
  const std::int64_t now = now_ns();
  for (std::size_t i = 0; i < account.sites.size(); ++i) {
    const GuardSite & from = account.sites[i];
    if (from.state.load(std::memory_order_acquire) != GuardSite::ready || from.name >= names) {
      continue;
    }
    Site site;
    site.callback = process.names[from.name].text;
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
    site.frames = stack_at(account, from);
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
      {process.names[from.name].text, process.names[from.awaited].text, place->second, from.why,
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
       {"part", name_of(frame.part)},
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

ordered_json to_json(
  const Process & process, const IgnoreList & ignored, bool all_threads, std::vector<bool> & used)
{
  std::uint64_t left_out = 0;
  std::uint64_t unsure = 0;
  // By the callback's name, then by the part of the process and the kind.
  std::map<std::string, std::map<std::pair<By, GuardKind>, std::vector<const Site *>>> kept;
  for (const Site & site : process.sites) {
    if (site.own) {
      continue;
    }
    bool is_ignored = false;
    for (const Frame & frame : site.frames) {
      is_ignored = ignored.note(site.kind, frame.place.function, used) || is_ignored;
    }
    if (is_ignored) {
      left_out += site.count;
    } else {
      kept[site.callback][{site.by, site.kind}].push_back(&site);
      unsure += is_unsure(site) ? site.count : 0;
    }
  }
  ordered_json callbacks = ordered_json::array();
  for (const auto & [name, runs, is_scope] : process.names) {
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
      callbacks.push_back(
        {{"id", name}, {"scope", is_scope}, {"runs", runs}, {"events", std::move(events)}});
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
    {"unsure", unsure},
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
  // Of callbacks, and of scopes of takt_rt::Guard.
  std::array<std::size_t, 2> ran{};
  std::array<std::size_t, 2> faulty{};
  for (const auto & callback : process.at("callbacks")) {
    const auto & events = callback.at("events");
    const std::size_t which = callback.at("scope").get<bool>() ? 1 : 0;
    ++ran.at(which);
    faulty.at(which) += std::any_of(events.begin(), events.end(), is_programs) ? 1 : 0;
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
  constexpr const char * kDid = " did what real-time code should not do";
  std::string text = fmt::format(
    "guard of process {} ({}): ", process.at("pid").get<int>(),
    base_name(process.at("program").get<std::string>()));
  if (ran[0] > 0) {
    text += fmt::format("{} of {} callbacks that ran{}{}", faulty[0], ran[0], whose, kDid);
  } else {
    text +=
      "no callback ran" + whose + (all ? "" : "; --guard=all watches callbacks on all threads");
  }
  if (ran[1] > 0) {
    text += fmt::format(
      "; {} of {} scopes of takt_rt::Guard{}, on any thread", faulty[1], ran[1],
      ran[0] > 0 ? "" : kDid);
  }
  text += "\n";
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
  if (const auto unsure = process.at("unsure").get<std::uint64_t>(); unsure > 0) {
    text += fmt::format(
      "  {} events of the client library may be the program's: the compiler put its code into the "
      "library's templates, and only line numbers tell; compile the program with -g1, and install "
      "addr2line (binutils)\n",
      unsure);
  }
  if (const auto lost = process.at("lost").get<std::uint64_t>(); lost > 0) {
    text += fmt::format("  {} further events found no room in the guard's account\n", lost);
  }
  return text;
}

}  // namespace

ordered_json guard_processes(
  const std::filesystem::path & folder, const IgnoreList & ignored, bool all_threads,
  std::vector<std::string> & unused)
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
  std::vector<bool> used;
  for (const Process & process : processes) {
    all.push_back(to_json(process, ignored, all_threads, used));
  }
  unused = ignored.unused(used);
  return all;
}

std::string guard_text(const ordered_json & processes)
{
  return processes_text("guard", processes, process_text);
}

}  // namespace takt_exec
