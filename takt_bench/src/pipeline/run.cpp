#include "pipeline/run.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "pipeline/account.hpp"
#include "pipeline/layout.hpp"
#include "pipeline/nodes.hpp"
#include "takt_rt/kernel_accounts.hpp"
#include "takt_trace/stall_index.hpp"
#include "takt_trace/stall_witness.hpp"

namespace takt_bench::pipeline
{

using nlohmann::ordered_json;
using takt_rt::Faults;

namespace
{

constexpr int kVersion = 1;
constexpr takt_rt::Duration kPatience = std::chrono::seconds(180);
// One of fifty participants of Fast DDS that start at once may find no other, or crash.
constexpr int kAttempts = 3;
// Fast DDS takes a few seconds for the ends of fifty participants that look for one another.
constexpr takt_rt::Duration kPatienceAtEnd = std::chrono::seconds(60);
constexpr takt_rt::Duration kWarmUp = std::chrono::seconds(1);
// A sample may end so much after the measurement.
constexpr takt_rt::Duration kRest = std::chrono::milliseconds(500);
constexpr int kPoolThreads = 4;

Way way_of(const Setting & setting)
{
  const Kind kind = setting.kind;
  Way way;
  way.priority = setting.priority;
  way.core = setting.core;
  way.trace = setting.trace;
  way.threads = kind == Kind::pool ? kPoolThreads : 1;
  way.storing_triggers = kind != Kind::storing && kind != Kind::sequences;
  way.sequences = way.by_pointer = kind == Kind::sequences;
  return way;
}

std::vector<int> all_nodes()
{
  std::vector<int> all(kNodes);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Of each lane: how often its timer has run.
using Iterations = std::array<std::uint64_t, kLanes>;

Iterations iterations_of(const Account & account)
{
  Iterations found{};
  for (int lane = 0; lane < kLanes; ++lane) {
    found[lane] = account.iterations(lane);
  }
  return found;
}

const char * const kNoIteration =
  "a timer of the pipeline did not run: the machine has too little time for these processes";

/// Fifty processes that have just met may keep a core for seconds, so a fixed time may see no
/// iteration of a lane. False: a lane began none after `since` until the deadline.
bool wait_for_iterations(const Account & account, const Iterations & since, takt_rt::Time deadline)
{
  const auto missing = [&] {
    const Iterations now = iterations_of(account);
    return !std::equal(now.begin(), now.end(), since.begin(), std::greater<>());
  };
  while (missing()) {
    if (takt_rt::now() > deadline) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

class Children
{
public:
  ~Children() { end(); }

  Faults start(const Setting & setting, Account & account)
  {
    const std::vector<int> all = all_nodes();
    std::vector<std::vector<int>> parts{all};
    if (setting.kind == Kind::processes) {
      parts.clear();
      for (const int node : all) {
        parts.push_back({node});
      }
    }
    const pid_t parent = ::getpid();
    for (const std::vector<int> & part : parts) {
      std::fflush(nullptr);
      const pid_t child = ::fork();
      if (child < 0) {
        return {"the kernel refuses another process"};
      }
      if (child == 0) {
        be_child(setting, part, account, parent);
      }
      pids.push_back(child);
    }
    return {};
  }

  bool all_live()
  {
    const auto ended = std::remove_if(pids.begin(), pids.end(), [this](pid_t pid) {
      int status = 0;
      if (::waitpid(pid, &status, WNOHANG) == 0) {
        return false;
      }
      how_one_died = WIFSIGNALED(status) ? std::string("of ") + ::strsignal(WTERMSIG(status))
                                         : "with exit code " + std::to_string(WEXITSTATUS(status));
      return true;
    });
    const bool all = ended == pids.end();
    pids.erase(ended, pids.end());  // their numbers may be those of other processes soon
    return all;
  }

  std::vector<std::vector<takt_rt::ThreadAccount>> read() const
  {
    std::vector<std::vector<takt_rt::ThreadAccount>> all;
    for (const pid_t pid : pids) {
      all.push_back(takt_rt::read_accounts(pid));
    }
    return all;
  }

  void end()
  {
    for (const pid_t pid : pids) {
      ::kill(pid, SIGKILL);
    }
    join();
  }

  void join()
  {
    for (const pid_t pid : pids) {
      ::waitpid(pid, nullptr, 0);
    }
    pids.clear();
  }

  /// Waits until all have ended by themselves. Those that do not end in time are killed; then the
  /// result says where their threads were.
  std::string join_or_kill()
  {
    const takt_rt::Time deadline = takt_rt::now() + kPatienceAtEnd;
    while (!pids.empty() && takt_rt::now() < deadline) {
      all_live();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    std::string where;
    for (const pid_t pid : pids) {
      where += threads_of(pid);
    }
    end();
    return where;
  }

  std::vector<pid_t> pids{};
  std::string how_one_died{};

private:
  // Names and places in the kernel.
  static std::string threads_of(pid_t pid)
  {
    std::string text = "process " + std::to_string(pid) + ":";
    std::error_code ignored;
    for (const auto & task :
         std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", ignored)) {
      std::string name;
      std::string place;
      std::getline(std::ifstream(task.path() / "comm"), name);
      std::getline(std::ifstream(task.path() / "wchan"), place);
      text += " " + name + " in " + place + ",";
    }
    text.back() = '\n';
    return text;
  }

  [[noreturn]] static void be_child(
    const Setting & setting, const std::vector<int> & part, Account & account, pid_t parent)
  {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) {
      ::_exit(1);
    }
    if (setting.kind == Kind::processes) {
      // With LOCALHOST a participant of Fast DDS looks for 32 others of the host, and these are
      // fifty.
      ::setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET", 1);
    }
    takt_rt::ThreadAttributes attributes;
    attributes.cores = {setting.core};
    if (setting.priority > 0) {
      attributes.policy = takt_rt::Policy::fifo;
      attributes.priority = setting.priority + 1;
    }
    // Threads of the middleware inherit them: above the executor, or a busy one would starve its
    // own input.
    takt_rt::apply(attributes);
    int code = 0;
    try {
      run_nodes(part, way_of(setting), setting.prefix, account);
      account.left();
    } catch (const std::exception & error) {
      std::fprintf(stderr, "takt_pipeline: %s\n", error.what());
      code = 1;
    }
    std::fflush(nullptr);
    ::_exit(code);
  }
};

/// One start: all processes live, and all their nodes have found each other.
Faults start_until_matched(const Setting & setting, Account & account, Children & children)
{
  if (Faults faults = children.start(setting, account); !faults.empty()) {
    return faults;
  }
  const takt_rt::Time deadline = takt_rt::now() + kPatience;
  while (account.processes_matched() < static_cast<int>(children.pids.size())) {
    if (!children.all_live()) {
      return {"a process of the pipeline died " + children.how_one_died};
    }
    if (takt_rt::now() > deadline) {
      return {"the nodes of the pipeline did not find each other"};
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return {};
}

}  // namespace

takt_rt::Result<ordered_json> run(const Setting & setting)
{
  std::optional<Account> made;
  Children children;
  for (int attempt = 1;; ++attempt) {
    made.emplace();
    const Faults faults = start_until_matched(setting, *made, children);
    if (faults.empty()) {
      break;
    }
    if (attempt == kAttempts) {
      return faults;
    }
    std::fprintf(
      stderr, "takt_pipeline: attempt %d of %d: %s\n", attempt, kAttempts,
      to_string(faults.front()).c_str());
    children.end();
  }
  Account & account = *made;
  const takt_rt::Time deadline = takt_rt::now() + kPatience;
  takt_trace::StallWitness witness({setting.core});
  account.take_step(Step::running);
  std::this_thread::sleep_for(kWarmUp);
  if (!wait_for_iterations(account, Iterations{}, deadline)) {
    return Faults{kNoIteration};
  }
  account.take_step(Step::measured);
  const Iterations first = iterations_of(account);
  const takt_rt::Time from = takt_rt::now();
  const auto before = children.read();
  std::this_thread::sleep_for(setting.duration);
  if (!wait_for_iterations(account, first, deadline + setting.duration)) {
    return Faults{kNoIteration};
  }
  const auto after = children.read();
  const takt_rt::Time to = takt_rt::now();
  const Iterations last = iterations_of(account);
  std::this_thread::sleep_for(kRest);
  if (!children.all_live()) {
    return Faults{"a process of the pipeline died " + children.how_one_died};
  }
  const takt_trace::StallIndex stalls(witness.stop());
  account.take_step(Step::ended);
  if (const std::string left = children.join_or_kill(); !left.empty()) {
    if (account.processes_stopped() < static_cast<int>(before.size())) {
      return Faults{"the pipeline's processes did not end after the measurement:\n" + left};
    }
    // All executors have ended. Fast DDS may lock itself up while many participants leave at once
    // (its issues 6193 and 6502), and the measurement was complete before.
    std::fprintf(
      stderr,
      "takt_pipeline: processes were killed because the middleware did not destroy its objects "
      "within %lld s after the measurement:\n%s",
      static_cast<long long>(
        std::chrono::duration_cast<std::chrono::seconds>(kPatienceAtEnd).count()),
      left.c_str());
  }

  ordered_json threads = ordered_json::array();
  for (std::size_t i = 0; i < before.size(); ++i) {
    for (const auto & change : takt_rt::changes_between(before[i], after[i])) {
      const takt_rt::ThreadAccount & thread = change.account;
      threads.push_back(
        {{"process", i},
         {"executor", thread.name.rfind(kThread, 0) == 0},
         {"name", thread.name},
         {"voluntary", thread.counters.voluntary_switches},
         {"involuntary", thread.counters.involuntary_switches},
         {"cpu_ns", thread.counters.cpu_time.count()}});
    }
  }
  ordered_json clean = ordered_json::array();
  ordered_json stalled = ordered_json::array();
  ordered_json worst = ordered_json::object();
  std::uint64_t unfinished = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    std::int64_t longest = 0;
    for (std::uint64_t i = 0;
         i < std::min<std::uint64_t>(account.iterations(lane), Account::kMostIterations); ++i) {
      const std::int64_t latency = account.latency_ns(lane, i);
      const takt_rt::Time released = takt_rt::from_ns(account.released_ns(lane, i));
      if (latency < 0) {
        unfinished += i >= first[lane] && i < last[lane] ? 1 : 0;
      } else if (released >= from && released < to) {
        const bool touched = stalls.overlaps(released, released + takt_rt::Duration(latency));
        (touched ? stalled : clean).push_back(latency);
        longest = touched ? longest : std::max(longest, latency);
      }
    }
    worst[lane_name(lane)] = longest;
  }
  return ordered_json{
    {"version", kVersion},
    {"way", kKinds[static_cast<std::size_t>(setting.kind)].second},
    {"processes", before.size()},
    {"iterations", last[0] - first[0]},
    {"duration_ns", (to - from).count()},
    {"period_ns", kPeriod.count()},
    {"work_ns", kNodes * kWork.count()},
    {"unfinished", unfinished},
    {"refused_publishes", account.refused_publishes()},
    {"stalls_seen", !witness.blind().has_value()},
    {"latencies_ns", std::move(clean)},
    {"stalled_ns", std::move(stalled)},
    {"worst_ns", std::move(worst)},
    {"schedule", setting.kind == Kind::processes
                   ? ""
                   : schedule_of(all_nodes(), way_of(setting), setting.prefix)},
    {"threads", std::move(threads)}};
}

}  // namespace takt_bench::pipeline
