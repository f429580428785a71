#include "process_watch.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <system_error>
#include <utility>

#include "kernel/own_thread.hpp"
#include "statistics_json.hpp"
#include "takt_control/control_server.hpp"
#include "takt_rt/thread_attributes.hpp"

namespace takt_watch
{
namespace
{

using takt_rt::Duration;
using takt_rt::Time;

constinit std::atomic<ProcessWatch *> g_instance{nullptr};
constexpr Duration kShortestGap = std::chrono::milliseconds(1);

}  // namespace

/// The watch thread. The destructor ends and joins it.
class ProcessWatch::Thread
{
public:
  explicit Thread(ProcessWatch & process) : process_(process)
  {
    // The program's own threads handle signals.
    sigset_t all{};
    sigset_t before{};
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error &) {
      // No look happens if the process cannot have another thread; counting goes on.
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  ~Thread()
  {
    ends_.store(true);
    process_.common_.wake_up.by(Time());
    if (thread_.joinable()) {
      thread_.join();
    }
  }
  Thread(const Thread &) = delete;
  Thread & operator=(const Thread &) = delete;

private:
  void run()
  {
    // By default the thread would have the attributes of the thread that made the first executor.
    takt_rt::apply(takt_rt::background_attributes("takt.watch"));
    process_.look_until(ends_);
  }

  ProcessWatch & process_;
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

ProcessWatch & ProcessWatch::instance()
{
  ProcessWatch * known = g_instance.load(std::memory_order_acquire);
  if (known == nullptr) {
    forget_in_children();
    std::unique_ptr<ProcessWatch> made(new ProcessWatch);
    if (g_instance.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) {
      known = made.release();  // never destroyed: hooks may run until the process ends
    }
  }
  return *known;
}

// A child of fork has none of the parent's threads, and the mutexes of the object may be locked for
// ever. So the child leaves the object alone.
void ProcessWatch::forget_in_children()
{
  static const int once = ::pthread_atfork(nullptr, nullptr, [] {
    forget_own_thread();
    if (ProcessWatch * const parents = g_instance.exchange(nullptr)) {
      parents->common_.on.store(false);
      parents->common_.abandoned.store(true);
    }
  });
  static_cast<void>(once);
}

takt_rt::Result<std::shared_ptr<ExecutorWatch>> ProcessWatch::add(WatchedExecutor executor)
{
  takt_core::Executor & watched = *executor.executor;
  const auto watch =
    std::make_shared<ExecutorWatch>(std::move(executor), common_, [this] { switch_on(); });
  bool was_on = false;
  {
    const std::lock_guard lock(switch_mutex_);
    observers_.push_back(watch);
    was_on = on();
    if (was_on) {
      watch->begin();
    }
  }
  if (const takt_rt::Status added = watched.add_observer(watch); !added.ok()) {
    remove(watch);
    return added.faults();
  }
  {
    const std::lock_guard lock(executors_mutex_);
    executors_.push_back(watch);
  }
  common_.wake_up.by(Time());  // the new executor's period may be shorter
  return watch;
}

void ProcessWatch::remove(const std::shared_ptr<ExecutorWatch> & watch)
{
  if (common_.abandoned.load()) {
    return;
  }
  {
    const std::lock_guard lock(executors_mutex_);
    std::erase(executors_, watch);
  }
  watch->leave();
  std::unique_ptr<Thread> thread;
  {
    const std::lock_guard lock(switch_mutex_);
    std::erase(observers_, watch);
    if (observers_.empty()) {
      common_.on.store(false);
      thread = std::move(thread_);
    }
  }
  if (thread != nullptr) {
    thread.reset();
    look(takt_rt::now(), false);  // this look clears the remaining alarms
  } else {
    common_.wake_up.by(Time());
  }
}

void ProcessWatch::change(const std::shared_ptr<ExecutorWatch> & watch, const WatchRules & rules)
{
  if (common_.abandoned.load()) {
    return;
  }
  {
    // Wait for a look in progress.
    const std::shared_lock executors(executors_mutex_);
    const std::lock_guard lock(looks_mutex_);
    watch->change(rules);
  }
  common_.wake_up.by(Time());  // the new limits may be reached sooner
}

void ProcessWatch::switch_on()
{
  if (on()) {
    return;
  }
  const std::lock_guard lock(switch_mutex_);
  if (on() || observers_.empty() || common_.abandoned.load()) {
    return;
  }
  for (const auto & observer : observers_) {
    observer->begin();
  }
  since_ = takt_rt::now();
  alarms_.begin();
  common_.on.store(true, std::memory_order_release);
  thread_ = std::make_unique<Thread>(*this);
}

Duration ProcessWatch::period()
{
  const std::shared_lock lock(executors_mutex_);
  Duration shortest = std::chrono::seconds(10);
  for (const auto & executor : executors_) {
    shortest = std::min(shortest, executor->settings().period);
  }
  return std::max(shortest, kShortestGap);
}

void ProcessWatch::look(Time now, bool window)
{
  const std::shared_lock executors(executors_mutex_);
  const std::lock_guard lock(looks_mutex_);
  alarms_.tell(looks_.look(executors_, now, window), [](std::string alarm, std::uint64_t sequence) {
    takt_control::tell_subscribers(std::move(alarm), sequence);
  });
}

ExecutorWatch::Due ProcessWatch::due(Time now)
{
  const std::shared_lock lock(executors_mutex_);
  ExecutorWatch::Due all;
  for (const auto & executor : executors_) {
    const ExecutorWatch::Due own = executor->due(now);
    all.now = all.now || own.now;
    all.next = std::min(all.next, own.next);
  }
  return all;
}

Time ProcessWatch::next()
{
  const std::lock_guard lock(looks_mutex_);
  return looks_.next();
}

void ProcessWatch::look_until(const std::atomic<bool> & ends)
{
  Time window = takt_rt::now();  // the time when the next window begins
  Time last_look{};
  Time not_before{};  // the earliest time of a look within a window
  // a rule or an executor asks for a look before the window ends
  bool wanted = false;
  for (;;) {
    common_.wake_up.begin();
    if (ends.load()) {
      return;
    }
    const Duration period = this->period();
    const Time now = takt_rt::now();
    window = std::min(window, now + period);
    const Time rules = next();
    wanted = wanted || (rules <= now && rules > last_look);
    wanted = due(now).now || wanted;
    if (now >= window) {
      look(now, true);
      last_look = now;
      wanted = false;
      window += period;
      window = window <= now ? now + period : window;
    } else if (wanted && now >= not_before) {
      look(now, false);
      last_look = now;
      wanted = false;
      not_before = now + std::max(period / 10, kShortestGap);
    }
    const ExecutorWatch::Due later = due(takt_rt::now());
    wanted = wanted || later.now;
    Time until = std::min(window, later.next);
    if (const Time planned = next(); planned > last_look) {
      until = std::min(until, planned);
    }
    common_.wake_up.sleep(wanted ? std::min(window, not_before) : until, ends);
  }
}

takt_control::SubscriptionAnswer ProcessWatch::subscription()
{
  switch_on();
  return alarms_.subscription();
}

std::string ProcessWatch::statistics()
{
  switch_on();
  ProcessStatistics process;
  {
    const std::lock_guard lock(switch_mutex_);
    process.since = since_;
  }
  process.alarms = alarms_.counts();
  process.active = alarms_.active();
  const std::shared_lock lock(executors_mutex_);
  return statistics_json(process, executors_);
}

}  // namespace takt_watch
