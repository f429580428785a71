#include "alarms/cause.hpp"

#include <algorithm>
#include <map>

namespace takt_watch
{
namespace
{

constexpr double kFaster = 1.25;
constexpr double kAllOfIt = 0.95;
constexpr double kNotWorthTelling = 0.01;
constexpr std::size_t kMostTold = 5;

double seconds(takt_core::Duration duration) noexcept
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

takt_core::Duration grown(takt_core::Duration now, takt_core::Duration before)
{
  return std::max(now - before, takt_core::Duration::zero());
}

// A run counts as busy when it ends; one that goes on counts from here.
takt_core::Duration running_for(
  const ExecutorSample & executor, const std::string & id, takt_core::Duration most,
  takt_core::Time time)
{
  takt_core::Duration sum{};
  for (const ThreadSample & thread : executor.threads) {
    if (thread.running && thread.running->id == id) {
      sum += std::clamp(time - thread.running->since, takt_core::Duration::zero(), most);
    }
  }
  return sum;
}

std::vector<Cause::Share> who_had_it(
  const CallbackSample & callback, const ExecutorSample & before, const ExecutorSample & now,
  takt_core::Duration window, takt_core::Time time)
{
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
    const takt_core::Duration ended =
      grown(other.busy, earlier == nullptr ? takt_core::Duration::zero() : earlier->busy);
    // Of a run that had begun before the window only the rest was in it.
    const takt_core::Duration busy =
      grown(ended, running_for(before, other.id, ended, time - window)) +
      running_for(now, other.id, window, time);
    who.push_back({other.id, std::min(seconds(busy) / whole, 1.0)});
  }
  std::map<std::string, double> others;
  for (const std::uint32_t number : callback.threads) {
    const ThreadSample * const thread = find_thread(now, number);
    const ThreadSample * const earlier = find_thread(before, number);
    if (thread == nullptr || earlier == nullptr || thread->tid != earlier->tid) {
      continue;
    }
    const std::string name = thread->cores.size() == 1
                               ? "other threads of core " + std::to_string(thread->cores.front())
                               : "other threads";
    others[name] += seconds(grown(thread->run_queue_delay, earlier->run_queue_delay)) / whole;
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

}  // namespace

double core_share(
  const CallbackSample & callback, const ExecutorSample & before, const ExecutorSample & now)
{
  double had = 0;
  double wanted = 0;
  for (const std::uint32_t number : callback.threads) {
    const ThreadSample * const thread = find_thread(now, number);
    const ThreadSample * const earlier = find_thread(before, number);
    if (thread == nullptr || earlier == nullptr || thread->tid != earlier->tid) {
      continue;
    }
    const double on_cpu = seconds(grown(thread->on_cpu, earlier->on_cpu));
    had += on_cpu;
    wanted += on_cpu + seconds(grown(thread->run_queue_delay, earlier->run_queue_delay));
  }
  return wanted > 0 ? had / wanted : 1.0;
}

Cause find_cause(
  const CallbackSample & callback, const Rates & rates, const ExecutorSample & before,
  const ExecutorSample & now, takt_core::Duration window, takt_core::Time time)
{
  Cause cause;
  cause.arrival_rate = rates.arrival_rate();
  cause.usual_rate = rates.usual_rate();
  const double at_once =
    callback.exclusive ? 1.0 : std::max(static_cast<double>(callback.threads.size()), 1.0);
  cause.demand = cause.arrival_rate * rates.run_time().value_or(0.0) / at_once;
  cause.who = who_had_it(callback, before, now, window, time);

  const bool faster = cause.usual_rate && cause.arrival_rate > kFaster * *cause.usual_rate;
  const bool longer = rates.run_time() && rates.usual_run_time() &&
                      *rates.run_time() > kFaster * *rates.usual_run_time();
  const bool too_much = cause.demand > kAllOfIt;
  if (faster || (too_much && !longer)) {
    cause.kind = Cause::Kind::publisher_faster;
    keep_largest(cause.who);
    return cause;
  }
  cause.kind = Cause::Kind::too_little_processor_time;
  keep_largest(cause.who);
  if (too_much) {
    cause.who.insert(cause.who.begin(), {callback.id, std::min(cause.demand, 1.0)});
    cause.who.resize(std::min(cause.who.size(), kMostTold));
  }
  return cause;
}

}  // namespace takt_watch
