#include "alarms/cause.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

namespace takt_watch
{
namespace
{

constexpr double kFaster = 1.25;
constexpr double kAllOfIt = 0.95;
constexpr double kNotWorthTelling = 0.01;
constexpr double kWorthBlaming = 0.1;
// Least share of a core to blame, if no message of the callback waits.
constexpr double kKeepsAllFromIt = 0.5;
constexpr std::size_t kMostTold = 5;

double seconds(takt_rt::Duration duration) noexcept
{
  return std::chrono::duration<double>(duration).count();
}

bool share_thread(const CallbackSample & a, const CallbackSample & b)
{
  return std::any_of(a.threads.begin(), a.threads.end(), [&](std::uint32_t thread) {
    return std::find(b.threads.begin(), b.threads.end(), thread) != b.threads.end();
  });
}

const ThreadSample * find_thread(const ExecutorSample & executor, std::uint32_t number)
{
  const auto found = std::find_if(
    executor.threads.begin(), executor.threads.end(),
    [&](const ThreadSample & thread) { return thread.number == number; });
  return found == executor.threads.end() ? nullptr : &*found;
}

const CallbackSample * find_callback(const ExecutorSample & executor, const std::string & id)
{
  const auto found = std::find_if(
    executor.callbacks.begin(), executor.callbacks.end(),
    [&](const CallbackSample & callback) { return callback.id == id; });
  return found == executor.callbacks.end() ? nullptr : &*found;
}

takt_rt::Duration grown(takt_rt::Duration now, takt_rt::Duration before)
{
  return std::max(now - before, takt_rt::Duration::zero());
}

// The time of the callback's runs in progress, at most `most` for each. CallbackSample::busy counts
// a run only when it ends.
takt_rt::Duration running_for(
  const ExecutorSample & executor, const std::string & id, takt_rt::Duration most,
  takt_rt::Time time)
{
  takt_rt::Duration sum{};
  for (const ThreadSample & thread : executor.threads) {
    if (thread.running && thread.running->id == id) {
      sum += std::clamp(time - thread.running->since, takt_rt::Duration::zero(), most);
    }
  }
  return sum;
}

/// The callback that had most of the thread's time in the window; empty: no run on the thread is
/// known.
std::string busiest(
  const ExecutorSample & before, const ExecutorSample & now, const ThreadSample & thread,
  takt_rt::Duration window, takt_rt::Time time)
{
  std::string id = thread.running ? thread.running->id : std::string();
  takt_rt::Duration most =
    thread.running ? std::clamp(time - thread.running->since, takt_rt::Duration::zero(), window)
                   : takt_rt::Duration::zero();
  for (const CallbackSample & callback : now.callbacks) {
    const auto & threads = callback.threads;
    if (std::find(threads.begin(), threads.end(), thread.number) == threads.end()) {
      continue;
    }
    const CallbackSample * const earlier = find_callback(before, callback.id);
    const takt_rt::Duration busy =
      grown(callback.busy, earlier == nullptr ? takt_rt::Duration::zero() : earlier->busy);
    if (busy > most) {
      most = busy;
      id = callback.id;
    }
  }
  return id;
}

/// The shares of other threads of this process that may use only `core`. All processor time of a
/// thread counts for its busiest callback.
std::map<std::string, double> others_on(
  int core, const CallbackSample & callback, const TwoLooks & looks)
{
  std::map<std::string, double> had;
  for (const ExecutorSample & executor : looks.all_now.executors) {
    const ExecutorSample * const before = find_executor(looks.all_before, executor.name);
    const bool own = executor.name == looks.now.name;
    for (const ThreadSample & thread : executor.threads) {
      const auto & threads = callback.threads;
      const bool its_own =
        own && std::find(threads.begin(), threads.end(), thread.number) != threads.end();
      const ThreadSample * const earlier =
        before == nullptr ? nullptr : find_thread(*before, thread.number);
      if (
        its_own || thread.cores != std::vector<int>{core} || earlier == nullptr ||
        earlier->tid != thread.tid) {
        continue;
      }
      std::string name = busiest(*before, executor, thread, looks.window, looks.time);
      if (name.empty()) {
        name = "thread " + thread.name;
      }
      had[name] += seconds(grown(thread.on_cpu, earlier->on_cpu)) / seconds(looks.window);
    }
  }
  return had;
}

/// The thread of this process with this kernel id, and its executor; null: no executor has this
/// thread.
std::pair<const ExecutorSample *, const ThreadSample *> find_tid(
  const Sample & sample, std::int32_t tid)
{
  for (const ExecutorSample & executor : sample.executors) {
    for (const ThreadSample & thread : executor.threads) {
      if (thread.tid == tid) {
        return {&executor, &thread};
      }
    }
  }
  return {nullptr, nullptr};
}

/// The name under which a cause lists a thread that had a core.
std::string user_name(const CoreUser & user, const TwoLooks & looks)
{
  if (user.kind == CoreUser::Kind::kernel) {
    return "kernel thread " + user.name;
  }
  if (user.kind == CoreUser::Kind::process) {
    return "process " + user.name + " (" + std::to_string(user.pid) + ")";
  }
  const auto [executor, thread] = find_tid(looks.all_now, user.tid);
  const ExecutorSample * const before =
    executor == nullptr ? nullptr : find_executor(looks.all_before, executor->name);
  std::string name = before == nullptr
                       ? std::string()
                       : busiest(*before, *executor, *thread, looks.window, looks.time);
  return name.empty() ? "thread " + user.name : name;
}

/// The shares of the threads that had the cores of `waiting`, except threads that `others_on`
/// counts. Subtracts these shares from `waited`, the part of the window in which the thread waited
/// for a core.
std::map<std::string, double> users_of(
  const ThreadSample & waiting, const CallbackSample & callback, const TwoLooks & looks,
  const CoreUse & use, double & waited)
{
  std::map<std::string, double> had;
  const std::vector<int> & cores = waiting.cores;
  for (const CoreUser & user : use.users) {
    if (std::find(cores.begin(), cores.end(), user.core) == cores.end()) {
      continue;
    }
    const auto [executor, thread] = user.kind == CoreUser::Kind::own
                                      ? find_tid(looks.all_now, user.tid)
                                      : std::pair<const ExecutorSample *, const ThreadSample *>();
    const bool counted = thread != nullptr && cores.size() == 1 && thread->cores == cores;
    const bool its_own =
      thread != nullptr && executor == &looks.now &&
      std::count(callback.threads.begin(), callback.threads.end(), thread->number) != 0;
    const double share = std::min(user.share, waited);
    if (counted || its_own || share <= 0) {
      continue;
    }
    had[user_name(user, looks)] += share;
    waited -= share;
  }
  return had;
}

std::vector<Cause::Share> who_had_it(const CallbackSample & callback, const TwoLooks & looks)
{
  const ExecutorSample & before = looks.before;
  const ExecutorSample & now = looks.now;
  const takt_rt::Duration window = looks.window;
  const takt_rt::Time time = looks.time;
  std::vector<Cause::Share> who;
  const double whole = seconds(window);
  if (whole <= 0) {
    return who;
  }
  for (const CallbackSample & other : now.callbacks) {
    const bool in_group = callback.exclusive && other.group == callback.group;
    if (other.id == callback.id || (!in_group && !share_thread(callback, other))) {
      continue;
    }
    const CallbackSample * const earlier = find_callback(before, other.id);
    const takt_rt::Duration ended =
      grown(other.busy, earlier == nullptr ? takt_rt::Duration::zero() : earlier->busy);
    // If the run began before the window, count only its part within the window.
    const takt_rt::Duration busy =
      grown(ended, running_for(before, other.id, ended, time - window)) +
      running_for(now, other.id, window, time);
    who.push_back({other.id, std::min(seconds(busy) / whole, 1.0)});
  }
  std::map<std::string, double> others;
  std::map<std::string, double> known;  // the shares of other users of the cores, by name
  for (const std::uint32_t number : callback.threads) {
    const ThreadSample * const thread = find_thread(now, number);
    const ThreadSample * const earlier = find_thread(before, number);
    if (thread == nullptr || earlier == nullptr || thread->tid != earlier->tid) {
      continue;
    }
    double waited = seconds(grown(thread->run_queue_delay, earlier->run_queue_delay)) / whole;
    const bool one_core = thread->cores.size() == 1;
    std::string rest = "other threads";
    if (one_core) {
      rest += " of core " + std::to_string(thread->cores.front());
      for (const auto & [name, share] : others_on(thread->cores.front(), callback, looks)) {
        // If `waited` is small, the other thread ran while this thread did not need a core.
        if (waited > kNotWorthTelling) {
          known[name] = std::max(known[name], share);
        }
        waited -= std::min(waited, share);
      }
    }
    if (waited > kNotWorthTelling && looks.cores != nullptr && *looks.cores) {
      const CoreUse & use = (*looks.cores)(looks.time, looks.window);
      for (const auto & [name, share] : users_of(*thread, callback, looks, use, waited)) {
        known[name] = std::max(known[name], share);
      }
      rest += use.unseen.empty() ? "" : " (" + use.unseen + ")";
    }
    others[rest] += waited;
  }
  for (const auto & [name, share] : known) {
    const auto named = std::find_if(
      who.begin(), who.end(),
      [&, &wanted = name](const Cause::Share & one) { return one.name == wanted; });
    if (named == who.end()) {
      who.push_back({name, std::min(share, 1.0)});
    }
  }
  for (const auto & [name, share] : others) {
    who.push_back({name, std::min(share, 1.0)});
  }
  return who;
}

void keep_largest(std::vector<Cause::Share> & who)
{
  std::stable_sort(who.begin(), who.end(), [](const Cause::Share & a, const Cause::Share & b) {
    return a.share > b.share;
  });
  std::erase_if(who, [](const Cause::Share & one) { return one.share < kNotWorthTelling; });
  who.resize(std::min(who.size(), kMostTold));
}

takt_rt::Duration duration(double seconds)
{
  return std::chrono::duration_cast<takt_rt::Duration>(std::chrono::duration<double>(seconds));
}

Cause figures_of(const Suspect & suspect)
{
  Cause cause;
  cause.arrival_rate = suspect.rates.arrival_rate();
  cause.usual_rate = suspect.rates.usual_rate();
  cause.demand = cause.arrival_rate * suspect.rates.run_time().value_or(0.0) / suspect.at_once();
  return cause;
}

// The arrival rate divided by the usual rate; 0: unknown.
double faster_by(const Cause & cause)
{
  return cause.usual_rate && *cause.usual_rate > 0 ? cause.arrival_rate / *cause.usual_rate : 0.0;
}

void tell_runs(Cause & cause, const Suspect & suspect, const LongerRuns & longer)
{
  cause.kind = Cause::Kind::runs_longer;
  cause.running = longer.running;
  if (const auto & run = suspect.rates.latest_run_time(); run || suspect.rates.run_time()) {
    cause.run = duration(run ? *run : *suspect.rates.run_time());
  }
  if (const auto usual = suspect.rates.usual_run_time()) {
    cause.usual_run = duration(*usual);
  }
}

void tell_demand(Cause & cause, const Suspect & suspect)
{
  cause.kind = Cause::Kind::runs_too_long;
  if (const auto & run = suspect.rates.run_time()) {
    cause.run = duration(*run);
  }
}

void tell_others(Cause & cause, const Suspect & suspect, const TwoLooks & looks)
{
  cause.who = who_had_it(suspect.callback, looks);
  keep_largest(cause.who);
}

}  // namespace

CoreTime core_time(
  const CallbackSample & callback, const ExecutorSample & before, const ExecutorSample & now)
{
  CoreTime time;
  for (const std::uint32_t number : callback.threads) {
    const ThreadSample * const thread = find_thread(now, number);
    const ThreadSample * const earlier = find_thread(before, number);
    if (thread == nullptr || earlier == nullptr || thread->tid != earlier->tid) {
      continue;
    }
    time.had += seconds(grown(thread->on_cpu, earlier->on_cpu));
    time.waited += seconds(grown(thread->run_queue_delay, earlier->run_queue_delay));
  }
  return time;
}

Cause find_cause(const Suspect & suspect, const TwoLooks & looks)
{
  Cause cause = figures_of(suspect);
  const auto longer = longer_runs(suspect, true);
  if (longer && longer->factor > faster_by(cause)) {
    tell_runs(cause, suspect, *longer);
  } else if (faster_by(cause) > kFaster) {
    cause.kind = Cause::Kind::publisher_faster;
    tell_others(cause, suspect, looks);
  } else if (cause.demand > kAllOfIt) {
    tell_demand(cause, suspect);
    tell_others(cause, suspect, looks);
  } else {
    cause.kind = Cause::Kind::too_little_processor_time;
    tell_others(cause, suspect, looks);
  }
  return cause;
}

std::optional<Cause> cause_of_misses(const Suspect & suspect, const TwoLooks & looks, bool overdue)
{
  Cause cause = figures_of(suspect);
  const auto longer = longer_runs(suspect, false);
  const bool publisher = suspect.callback.waiting > 0 && faster_by(cause) > kFaster;
  const bool too_long = suspect.callback.waiting > 0 && cause.demand > kAllOfIt;
  if (longer && (!publisher || longer->factor > faster_by(cause))) {
    tell_runs(cause, suspect, *longer);
    return cause;
  }
  tell_others(cause, suspect, looks);
  if (publisher) {
    cause.kind = Cause::Kind::publisher_faster;
    return cause;
  }
  if (too_long) {
    tell_demand(cause, suspect);
    return cause;
  }
  cause.kind = Cause::Kind::too_little_processor_time;
  const double least = overdue && suspect.callback.waiting == 0 ? kKeepsAllFromIt : kWorthBlaming;
  return !cause.who.empty() && cause.who.front().share >= least ? std::optional(cause)
                                                                : std::nullopt;
}

std::optional<Cause> cause_of_misses(
  const std::vector<Suspect> & path, const TwoLooks & looks, bool overdue)
{
  std::optional<Cause> best;
  std::pair<int, double> best_weight{};
  for (const Suspect & suspect : path) {
    auto cause = cause_of_misses(suspect, looks, overdue);
    if (!cause) {
      continue;
    }
    cause->callback = suspect.callback.id;
    std::pair<int, double> weight{0, suspect.callback.waiting};
    if (cause->kind == Cause::Kind::runs_longer) {
      weight = {2, longer_runs(suspect, false)->factor};
    } else if (cause->kind == Cause::Kind::publisher_faster) {
      weight = {1, faster_by(*cause)};
    } else if (cause->kind == Cause::Kind::runs_too_long) {
      weight = {1, cause->demand};
    }
    if (!best || weight >= best_weight) {
      best = std::move(cause);
      best_weight = weight;
    }
  }
  return best;
}

}  // namespace takt_watch
