#include "adopt/observe/hangs.hpp"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <iterator>
#include <system_error>
#include <thread>

#include "adopt/entity.hpp"
#include "adopt/process_settings.hpp"
#include "takt_rt/futex.hpp"
#include "takt_rt/kernel_accounts.hpp"
#include "takt_rt/thread_attributes.hpp"

namespace takt_rclcpp
{
namespace
{

constexpr takt_rt::Duration kHangLook = std::chrono::milliseconds(250);
// Shorter than 1 s, after which programs often give up.
constexpr takt_rt::Duration kLongSleep = std::chrono::milliseconds(500);

constinit std::atomic<Hangs *> g_hangs{nullptr};

std::string seconds_of(takt_rt::Duration time)
{
  const auto tenths = std::chrono::duration_cast<std::chrono::milliseconds>(time).count() / 100;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

}  // namespace

Hangs & Hangs::of_process()
{
  // A child of fork has none of the threads, and the mutexes that they held stay locked in it.
  static const int g_once = ::pthread_atfork(nullptr, nullptr, [] { g_hangs.store(nullptr); });
  static_cast<void>(g_once);
  Hangs * found = g_hangs.load(std::memory_order_acquire);
  if (found == nullptr) {
    std::unique_ptr<Hangs> made(new Hangs);
    if (g_hangs.compare_exchange_strong(found, made.get())) {
      found = made.release();  // never destroyed, like all objects that adopted executors use
    }
  }
  return *found;
}

Hangs * Hangs::known() noexcept
{
  return g_hangs.load(std::memory_order_acquire);
}

Hangs::Watching::Watching(Watched watched) : watched_(std::move(watched)), hangs_(&of_process())
{
  const std::lock_guard lock(hangs_->watched_mutex_);
  hangs_->watched_.push_back(this);
}

Hangs::Watching::~Watching()
{
  if (hangs_ != known()) {
    return;  // in a child of fork
  }
  const std::lock_guard lock(hangs_->watched_mutex_);
  std::erase(hangs_->watched_, this);
}

void Hangs::begin()
{
  Hangs & hangs = of_process();
  if (hangs.begun_.exchange(true)) {
    return;
  }
  // Block all signals in the new thread: the program's own threads handle them.
  sigset_t all{};
  sigset_t before{};
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread([&hangs] { hangs.look_for_ever(); }).detach();
  } catch (const std::system_error &) {
    // The process cannot have another thread: hangs are not reported.
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Hangs::asked(
  const void * run, const takt_core::Callback * callback, std::uint32_t thread, const void * client,
  const char * service, std::int64_t number) noexcept
{
  Hangs * const hangs = known();
  if (hangs == nullptr || !hangs->begun_.load(std::memory_order_relaxed)) {
    return;
  }
  Request request;
  request.run = run;
  request.callback = callback;
  request.thread = thread;
  request.tid = static_cast<pid_t>(::syscall(SYS_gettid));
  request.client = client;
  request.number = number;
  std::strncpy(request.service.data(), service, request.service.size() - 1);
  hangs->note(request);
}

void Hangs::note(const Request & request) noexcept
{
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    const auto place = std::find_if(
      requests_.begin(), requests_.end(), [](const Request & one) { return one.run == nullptr; });
    if (place == requests_.end()) {
      return;
    }
    *place = request;
    place->sequence = ++last_;
    first = count_.fetch_add(1, std::memory_order_release) == 0;
  }
  if (first) {
    takt_rt::futex_wake(count_, 1);
  }
}

template <typename Is>
void Hangs::forget(const Is & is) noexcept
{
  if (count_.load(std::memory_order_relaxed) == 0) {
    return;
  }
  const std::lock_guard lock(mutex_);
  for (Request & one : requests_) {
    if (one.run != nullptr && is(one)) {
      one.run = nullptr;
      count_.fetch_sub(1, std::memory_order_relaxed);
    }
  }
}

void Hangs::answered(const void * client, std::int64_t number) noexcept
{
  if (Hangs * const hangs = known(); hangs != nullptr) {
    hangs->forget(
      [&](const Request & one) { return one.client == client && one.number == number; });
  }
}

void Hangs::ended(const void * run) noexcept
{
  if (Hangs * const hangs = known(); hangs != nullptr) {
    hangs->forget([&](const Request & one) { return one.run == run; });
  }
}

void Hangs::look_for_ever()
{
  // Without this the thread would inherit the attributes of the thread that made the first client.
  takt_rt::apply(takt_rt::background_attributes("takt.hangs"));
  for (;;) {
    if (count_.load(std::memory_order_acquire) == 0) {
      sleepers_.clear();
      takt_rt::futex_wait(count_, 0);
    }
    std::this_thread::sleep_for(kHangLook);
    look(requests());
  }
}

std::vector<Hangs::Request> Hangs::requests() const
{
  std::vector<Request> all;
  all.reserve(requests_.size());
  const std::lock_guard lock(mutex_);
  std::copy_if(
    requests_.begin(), requests_.end(), std::back_inserter(all),
    [](const Request & one) { return one.run != nullptr; });
  return all;
}

template <typename Is>
Hangs::Found Hangs::find(const std::vector<Found> & all, const Is & is)
{
  const auto found = std::find_if(all.begin(), all.end(), [&](const Found & one) {
    return is(*one.callback, dynamic_cast<const Entity *>(one.callback.get()));
  });
  return found == all.end() ? Found() : *found;
}

void Hangs::look(const std::vector<Request> & requests)
{
  const takt_rt::Time now = takt_rt::now();
  follow(requests, now);
  std::vector<Request> sleeping;
  std::copy_if(
    requests.begin(), requests.end(), std::back_inserter(sleeping),
    [&](const Request & one) { return sleepers_[one.sequence].sleeps; });
  if (sleeping.empty()) {
    return;
  }
  const std::lock_guard lock(watched_mutex_);
  const auto all = callbacks();
  for (const Request & one : sleeping) {
    const Found waits = find(all, [&](const takt_core::Callback & callback, const Entity *) {
      return &callback == one.callback;
    });
    // Check the service first: until the service has run, the client has no answer.
    Found awaited = find(all, [&](const takt_core::Callback & callback, const Entity * entity) {
      return entity != nullptr && entity->serves(one.service.data()) &&
             callback.message_counts().waiting > 0;
    });
    if (awaited.callback == nullptr) {
      awaited = find(all, [&](const takt_core::Callback & callback, const Entity * entity) {
        return entity != nullptr && entity->answers(one.client) &&
               callback.message_counts().waiting > 0;
      });
    }
    if (
      waits.callback != nullptr && awaited.callback != nullptr &&
      runs_nowhere(all, waits, awaited, sleeping)) {
      tell(waits, one, awaited, now - sleepers_[one.sequence].since);
    }
  }
}

// Updates `sleepers_`: which runs sleep, and since when.
void Hangs::follow(const std::vector<Request> & requests, takt_rt::Time now)
{
  std::map<std::uint64_t, Sleeper> before = std::exchange(sleepers_, {});
  for (const Request & one : requests) {
    const auto [on_cpu, delay] = takt_rt::core_times(one.tid);
    const auto known = before.find(one.sequence);
    Sleeper & sleeper = sleepers_[one.sequence];
    if (known == before.end()) {
      sleeper = {now, on_cpu, delay, false};
      continue;
    }
    sleeper = known->second;
    const takt_rt::Duration time = now - sleeper.since;
    if (20 * (on_cpu - sleeper.on_cpu) > time || 2 * (delay - sleeper.delay) > time) {
      sleeper = {now, on_cpu, delay, false};  // it computes, or waits for a core
    } else {
      sleeper.sleeps = time >= kLongSleep;
    }
  }
}

std::vector<Hangs::Found> Hangs::callbacks() const
{
  std::vector<Found> all;
  for (const Watching * const one : watched_) {
    for (auto & callback : one->watched_.core->callbacks()) {
      all.push_back({&one->watched_, std::move(callback)});
    }
  }
  return all;
}

namespace
{

bool is_in_busy_group(const takt_core::Callback & waits, const takt_core::Callback & awaited)
{
  return &waits.group() == &awaited.group() && awaited.group().exclusive();
}

}  // namespace

bool Hangs::runs_nowhere(
  const std::vector<Found> & all, const Found & waits, const Found & awaited,
  const std::vector<Request> & sleeping)
{
  if (is_in_busy_group(*waits.callback, *awaited.callback)) {
    return true;
  }
  takt_core::Executor & core = *awaited.of->core;
  if (&core.scheduler_of(*awaited.callback) != &core.scheduler()) {
    return false;  // its group has its own threads
  }
  takt_core::ThreadMask left = core.scheduler().threads(*awaited.callback);
  for (const Request & one : sleeping) {
    const Found found = find(all, [&](const takt_core::Callback & callback, const Entity *) {
      return &callback == one.callback;
    });
    if (
      found.callback != nullptr && found.of->core == awaited.of->core &&
      &core.scheduler_of(*found.callback) == &core.scheduler()) {
      left &= ~(takt_core::ThreadMask{1} << one.thread);
    }
  }
  return left == 0;
}

void Hangs::tell(
  const Found & waits, const Request & request, const Found & awaited, takt_rt::Duration time)
{
  if (!told_.emplace(waits.callback->id(), awaited.callback->id()).second) {
    return;
  }
  const auto & threads = waits.of->core->options().threads;
  const std::string thread =
    request.thread < threads.size() ? threads[request.thread].attributes.name : std::string();
  std::string line = waits.of->name + ": " + waits.callback->id() + " sent a request to " +
                     request.service.data() + " and has slept for " + seconds_of(time) + " since" +
                     (thread.empty() ? "" : ", on thread " + thread) + "; " +
                     awaited.callback->id() + " is ready, but ";
  if (is_in_busy_group(*waits.callback, *awaited.callback)) {
    line += "both are in the mutually exclusive group " + awaited.callback->group().id() +
            ", as under rclcpp's own executor; if the first one waits for the answer, make one of "
            "them in a "
            "callback group of its own";
  } else if (awaited.of->one_at_a_time) {
    line +=
      "the program's executor runs one callback at a time, also without takt; if the first "
      "one waits for the answer, use a MultiThreadedExecutor";
    line += awaited.of->scheduled
              ? ", or write `parallel: true` in the schedule and give the two different threads"
              : "";
  } else if (awaited.of->scheduled) {
    line +=
      "may run on no other thread; if the first one waits for the answer, give the two "
      "different threads in the schedule (rules under `callbacks`)";
  } else {
    line +=
      "all threads on which it may run sleep so; if these callbacks wait for answers, give "
      "the program's executor more threads";
  }
  say(line, true);
}

}  // namespace takt_rclcpp
