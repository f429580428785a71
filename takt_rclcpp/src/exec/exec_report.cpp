#include "exec/exec_report.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "exec/summed_executors.hpp"
#include "takt_rt/readable.hpp"

namespace takt_exec
{
namespace
{

// A report comes from another process and may lack a value. So read values by `at`, which throws
// then; operator [] of a const object has no defined result.
using nlohmann::ordered_json;

double cpu_share(const ordered_json & callback, double seconds)
{
  const double used =
    callback.at("cpu").at("mean_ns").get<double>() * callback.at("runs").get<double>();
  return seconds > 0 ? 100.0 * used / 1e9 / seconds : 0.0;
}

// Empty for the default epoch, and for an older report, which has none.
std::string epoch_of(const ordered_json & executor)
{
  const std::string epoch = executor.value("epoch", "start");
  return epoch == "start" ? "" : ", epoch " + epoch;
}

/// A sentence about timers that do not follow the epoch, or empty.
std::string beside_the_epoch(const ordered_json & executor)
{
  std::vector<std::string> ids;
  for (const auto & callback : executor.at("callbacks")) {
    if (callback.at("kind") == "timer" && !callback.value("has_offset", true)) {
      ids.push_back(callback.at("id"));
    }
  }
  if (epoch_of(executor).empty() || ids.empty()) {
    return {};
  }
  const std::string whom =
    ids.size() == 1 ? ids.front() + " keeps"
                    : fmt::format("{} and {} more timers keep", ids.front(), ids.size() - 1);
  return whom +
         " the phase that the program gives at its start, because no rule of the schedule has an "
         "offset there\n";
}

/// A sentence about disturbances of the phases that bounds rest on, or empty.
std::string phases_of(const ordered_json & executor)
{
  const auto phases = executor.value("phases", ordered_json());
  if (phases.is_null()) {
    return {};
  }
  const auto disturbances = phases.at("disturbances").get<std::uint64_t>();
  const std::string hold = phases.at("bounds_hold");
  const auto & holds_in = phases.at("holds_in_ns");
  const double later = holds_in.is_null() ? 0.0 : holds_in.get<double>() / 1e9;
  const std::string bounds =
    hold == "yes" ? "bounds that rest on them held at the end"
    : hold == "settling"
      ? fmt::format("bounds that rest on them would have held again {:.3f} s later", later)
    : hold == "unknown"
      ? "whether bounds that rest on them held again is unknown, because the schedule has no "
        "settles"
      : "bounds that rest on them hold again " + hold;
  const auto & last = phases.at("last");
  if (last.is_null()) {
    return fmt::format("  nothing disturbed the phases of timers; {}\n", bounds);
  }
  return fmt::format(
    "  the phases of timers were disturbed {}, last by a {} of {} {:.3f} s before the end; {}\n",
    disturbances == 1 ? "once" : fmt::format("{} times", disturbances),
    last.at("cause").get<std::string>(), last.at("callback").get<std::string>(),
    last.at("ago_ns").get<double>() / 1e9, bounds);
}

// Milliseconds with all digits, as files have them.
std::string all_digits(const ordered_json & ns)
{
  return fmt::format("{}", ns.get<double>() / 1e6);
}

std::string milliseconds(const ordered_json & ns)
{
  return takt_rt::significant(ns.get<double>() / 1e6);
}

// `name` of each element, joined with commas. It omits elements whose name is empty.
template <typename All, typename Name>
std::string listed(const All & all, const Name & name)
{
  std::string text;
  for (const auto & one : all) {
    const std::string word = name(one);
    text += (text.empty() || word.empty() ? "" : ", ") + word;
  }
  return text;
}

// A table with columns as wide as their widest cell; all but the first are right-aligned.
std::string table(const std::vector<std::vector<std::string>> & rows)
{
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto & row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (const auto & row : rows) {
    std::string line = fmt::format("  {:<{}}", row.front(), widths.front());
    for (std::size_t i = 1; i < row.size(); ++i) {
      line += fmt::format("  {:>{}}", row[i], widths[i]);
    }
    text += line + "\n";
  }
  return text;
}

// The callbacks that had work left at the end: they ran late, or never.
std::string waiting_of(const ordered_json & executor)
{
  std::string text;
  for (const auto & callback : executor.at("callbacks")) {
    const auto waiting = callback.value("waiting", std::uint64_t{0});
    const bool starved = callback.at("runs").get<std::uint64_t>() == 0;
    if (waiting > 0 && (starved || waiting > 1)) {
      text += fmt::format(
        "  {}: {} {} waited at the end{}\n", callback.at("id").get<std::string>(), waiting,
        waiting == 1 ? "message" : "messages", starved ? ", and it never ran" : "");
    }
  }
  return text;
}

std::string callbacks_of(const ordered_json & executor)
{
  const double seconds = executor.at("seconds");
  std::vector<const ordered_json *> ran;
  std::size_t idle = 0;
  std::size_t background = 0;
  std::uint64_t background_runs = 0;
  double background_share = 0;
  for (const auto & callback : executor.at("callbacks")) {
    const auto runs = callback.at("runs").get<std::uint64_t>();
    if (runs == 0) {
      ++idle;
    } else if (callback.at("background")) {
      ++background;
      background_runs += runs;
      background_share += cpu_share(callback, seconds);
    } else {
      ran.push_back(&callback);
    }
  }
  std::stable_sort(ran.begin(), ran.end(), [&](const auto * a, const auto * b) {
    return cpu_share(*a, seconds) > cpu_share(*b, seconds);
  });
  std::string text;
  if (!ran.empty()) {
    std::vector<std::vector<std::string>> rows{
      {"callback", "runs", "per s", "core %", "CPU ms", "max", "waited ms", "max", "overwritten",
       "skipped"}};
    for (const auto * callback : ran) {
      const ordered_json & c = *callback;
      rows.push_back(
        {c.at("id"), fmt::format("{}", c.at("runs").get<std::uint64_t>()),
         fmt::format("{:.1f}", c.at("rate_hz").get<double>()),
         fmt::format("{:.1f}", cpu_share(c, seconds)), milliseconds(c.at("cpu").at("mean_ns")),
         milliseconds(c.at("cpu").at("max_ns")), milliseconds(c.at("waited").at("mean_ns")),
         milliseconds(c.at("waited").at("max_ns")),
         fmt::format("{}", c.at("overwritten").get<std::uint64_t>()),
         fmt::format("{}", c.at("skipped_periods").get<std::uint64_t>())});
    }
    text += table(rows);
  }
  if (background > 0) {
    text += fmt::format(
      "  {} callbacks for parameters and events of nodes ran {} times, {:.1f} % of a core\n",
      background, background_runs, background_share);
  }
  if (idle > 0) {
    text += fmt::format("  {} further callbacks did not run\n", idle);
  }
  return text + waiting_of(executor);
}

std::string chains_of(const ordered_json & executor)
{
  const auto chains = executor.value("chains", ordered_json::array());
  if (chains.empty()) {
    return {};
  }
  std::vector<std::vector<std::string>> rows{
    {"chain", "activations", "mean ms", "p99", "max", "deadline", "late"}};
  for (const auto & chain : chains) {
    const auto activations = chain.at("activations").get<std::uint64_t>();
    const bool has_deadline = chain.contains("deadline_ns");
    if (!chain.contains("response")) {
      rows.push_back(
        {chain.at("name"), "-", "-", "-", "-",
         has_deadline ? all_digits(chain.at("deadline_ns")) : "-", "-"});
      continue;
    }
    const auto & longest = chain.at("response").at("max_ns");
    // A late one does not read as its deadline.
    const std::string max =
      has_deadline && milliseconds(longest) == milliseconds(chain.at("deadline_ns"))
        ? all_digits(longest)
        : milliseconds(longest);
    rows.push_back(
      {chain.at("name"), fmt::format("{}", activations),
       milliseconds(chain.at("response").at("mean_ns")),
       // Null: too few activations lie beyond the percentile, or they are from several spins.
       chain.at("response").at("p99_ns").is_null()
         ? "-"
         : milliseconds(chain.at("response").at("p99_ns")),
       max, has_deadline ? all_digits(chain.at("deadline_ns")) : "-",
       has_deadline ? fmt::format("{}", chain.value("late", std::uint64_t{0})) : "-"});
  }
  const std::string elsewhere = listed(chains, [](const ordered_json & chain) {
    return chain.contains("response") ? "" : chain.at("name").get<std::string>();
  });
  return table(rows) + (elsewhere.empty()
                          ? ""
                          : "  begun in another executor or process, so not measured here: " +
                              elsewhere + "; `takt trace` measures it from its beginning\n");
}

std::string threads_of(const ordered_json & executor)
{
  std::string text;
  for (const auto & thread : executor.at("threads")) {
    const std::string granted = thread.at("granted");
    const std::string name = thread.at("name");
    const std::string cores = thread.at("cores");
    std::string line = fmt::format(
      "  thread{}{}: {}, core{} {}", name.empty() ? "" : " ", name, granted,
      cores.find_first_of(",-") == std::string::npos ? "" : "s", cores);
    for (const auto & refused : thread.at("refused")) {
      line += "; " + refused.get<std::string>();
    }
    text += line + "\n";
  }
  return text;
}

// An example: "process 71 (talker)".
std::string process_of(const ordered_json & one)
{
  const std::filesystem::path program = one.at("program").get<std::string>();
  return fmt::format("process {} ({})", one.at("pid").get<int>(), program.filename().string());
}

// A loop that rclcpp itself ran: "spin_some in process 71 (talker)".
std::string loop_of(const ordered_json & stock)
{
  return fmt::format("{} in {}", stock.at("stock").get<std::string>(), process_of(stock));
}

// An executor whose class another library defines: "isolated::Executor in process 71 (talker)".
std::string class_of(const ordered_json & one)
{
  return fmt::format("{} in {}", one.at("class").get<std::string>(), process_of(one));
}

// Adds each loop once, because a program may enter it very often.
void add_stock(ordered_json & all, const ordered_json & one)
{
  const ordered_json stock{
    {"pid", one.value("pid", 0)},
    {"program", one.value("program", "")},
    {"stock", one.at("stock")},
    {"reason", one.value("reason", "")}};
  if (std::find(all.begin(), all.end(), stock) == all.end()) {
    all.push_back(stock);
  }
}

// A sentence if a signal ended the program before its report; else empty. If signal n ended a
// shell's last command, the shell ends with 128 + n, and `ros2 run` with 256 - n.
std::string abrupt_end(int status)
{
  constexpr std::array<int, 6> kAbrupt{SIGKILL, SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE};
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  for (const int signal : kAbrupt) {
    const std::string name = fmt::format("signal {} ({})", signal, ::strsignal(signal));
    if (WIFSIGNALED(status) && WTERMSIG(status) == signal) {
      return name + " ended the program before it wrote one";
    }
    if (code == 128 + signal || code == 256 - signal) {
      return fmt::format(
        "the program ended with exit code {}, as it does where {} ended what it started; that "
        "wrote "
        "no report",
        code, name);
    }
  }
  return {};
}

}  // namespace

ordered_json join_reports(const std::filesystem::path & folder)
{
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto & entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end(), [](const auto & a, const auto & b) {
    const std::string x = a.filename();
    const std::string y = b.filename();
    return std::pair(x.size(), x) < std::pair(y.size(), y);
  });
  ordered_json joined{
    {"version", 1},
    {"executors", ordered_json::array()},
    {"stock", ordered_json::array()},
    {"classes", ordered_json::array()},
    {"unseen", ordered_json::array()}};
  for (const auto & file : files) {
    std::ifstream in(file);
    auto one = ordered_json::parse(in, nullptr, false);
    if (one.contains("stock")) {
      add_stock(joined.at("stock"), one);
    } else if (one.contains("class")) {
      joined.at("classes").push_back(
        {{"pid", one.at("pid")}, {"program", one.at("program")}, {"class", one.at("class")}});
    } else if (one.contains("unseen")) {
      joined.at("unseen").push_back(
        {{"pid", one.value("pid", 0)}, {"program", one.value("program", "")}});
    } else if (one.contains("callbacks")) {
      add_spin(joined.at("executors"), std::move(one));
    }
  }
  return joined;
}

std::string to_text(const ordered_json & report, int status, const std::string & known)
{
  std::string text;
  for (const auto & executor : report.at("executors")) {
    const std::string schedule = executor.at("schedule_executor");
    const int spins = executor.at("spins");
    const std::string version = executor.value("rclcpp", "");
    text += fmt::format(
      "{} ({}, process {}{}), {:.1f} s{}, {}\n", executor.at("executor").get<std::string>(),
      executor.at("kind").get<std::string>(), executor.at("pid").get<int>(),
      version.empty() ? "" : ", rclcpp " + version, executor.at("seconds").get<double>(),
      spins == 1 ? "" : fmt::format(" in {} spins", spins),
      schedule.empty() ? "without a schedule"
                       : "as executor " + schedule + " of the schedule" + epoch_of(executor));
    text += threads_of(executor) + chains_of(executor) + callbacks_of(executor) +
            beside_the_epoch(executor) + phases_of(executor);
  }
  for (const auto & stock : report.at("stock")) {
    const std::string reason = stock.at("reason");
    text += fmt::format(
      "{} stayed rclcpp's own, so takt saw none of the callbacks that it ran{}\n", loop_of(stock),
      reason.empty() ? "" : ": " + reason);
  }
  if (report.at("executors").empty() && report.at("stock").empty()) {
    text += no_executor(report, status, known) + "\n";
  }
  return text;
}

std::string no_executor(const ordered_json & report, int status, const std::string & known)
{
  if (!report.at("executors").empty()) {
    return {};
  }
  const std::string loops = listed(report.at("stock"), loop_of);
  if (!loops.empty()) {
    return "takt ran no executor; these loops stayed rclcpp's own: " + loops;
  }
  if (!known.empty()) {
    return "takt has no report of an executor: " + known;
  }
  if (const std::string end = abrupt_end(status); !end.empty()) {
    return "takt has no report of an executor: " + end;
  }
  if (const std::string classes = listed(report.at("classes"), class_of); !classes.empty()) {
    return "takt ran no executor; it runs the executors of rclcpp, and these have a class of their "
           "own, whose spin takt does not run: " +
           classes;
  }
  if (const std::string unseen = listed(report.at("unseen"), process_of); !unseen.empty()) {
    return "takt ran no executor: " + unseen +
           " has rclcpp, but no spin of it came to takt. It spins nothing, or it spins in a "
           "library "
           "that it opened with RTLD_DEEPBIND, whose calls no preloaded library sees";
  }
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  return "takt saw no executor of rclcpp in the program" +
         (code != 0 ? fmt::format(", which ended with exit code {}", code) : std::string());
}

std::string without_schedule(const ordered_json & report)
{
  const auto & executors = report.at("executors");
  if (std::any_of(executors.begin(), executors.end(), [](const ordered_json & one) {
        return !one.value("schedule_executor", "").empty();
      })) {
    return {};
  }
  const std::string names =
    listed(executors, [](const ordered_json & one) { return one.value("executor", ""); });
  return names.empty() ? ""
                       : "no rule of the schedule names a callback of the program, so it ran "
                         "without the schedule: " +
                           names;
}

namespace
{

// The report of one chain, of all executors together.
struct JudgedChain
{
  std::uint64_t activations = 0;
  std::uint64_t late = 0;
  bool measured = false;
};

// The chains with a deadline, by their names.
std::map<std::string, JudgedChain> judged_chains(const ordered_json & report)
{
  std::map<std::string, JudgedChain> chains;
  for (const auto & executor : report.at("executors")) {
    for (const auto & chain : executor.value("chains", ordered_json::array())) {
      if (chain.contains("deadline_ns")) {
        JudgedChain & judged = chains[chain.at("name").get<std::string>()];
        judged.activations += chain.at("activations").get<std::uint64_t>();
        judged.late += chain.value("late", std::uint64_t{0});
        judged.measured = judged.measured || chain.contains("response");
      }
    }
  }
  return chains;
}

}  // namespace

std::string missed_deadlines(const ordered_json & report)
{
  return listed(judged_chains(report), [](const auto & one) {
    const auto & [name, chain] = one;
    return chain.late > 0 ? fmt::format("{} ({} of {})", name, chain.late, chain.activations)
                          : std::string();
  });
}

std::string never_ended(const ordered_json & report, const std::vector<ChainWithDeadline> & chains)
{
  std::map<std::string, std::uint64_t> runs;
  for (const auto & executor : report.at("executors")) {
    for (const auto & callback : executor.at("callbacks")) {
      runs[callback.at("id").get<std::string>()] += callback.at("runs").get<std::uint64_t>();
    }
  }
  const auto judged = judged_chains(report);
  return listed(chains, [&](const ChainWithDeadline & chain) {
    const auto first = runs.find(chain.path.front());
    const bool began = first != runs.end() && first->second > 0;
    return judged.count(chain.name) == 0 && began && runs.count(chain.path.back()) > 0
             ? chain.name
             : std::string();
  });
}

std::string unmeasured_deadlines(const ordered_json & report)
{
  return listed(judged_chains(report), [](const auto & one) {
    return one.second.measured ? std::string() : one.first;
  });
}

}  // namespace takt_exec
