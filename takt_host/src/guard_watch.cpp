#include "guard_watch.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <system_error>
#include <thread>
#include <utility>

#include "takt_rt/guard/guard.hpp"
#include "takt_rt/thread_attributes.hpp"

namespace takt_host
{
namespace
{

using takt_rt::GuardAccount;
using takt_rt::GuardedBlock;
using takt_rt::GuardedThread;
using takt_rt::GuardKind;
using takt_rt::GuardSite;

constexpr takt_rt::Duration kLook = std::chrono::milliseconds(250);
// Shorter than 1 s, after which programs often give up.
constexpr takt_rt::Duration kLongWait = std::chrono::milliseconds(500);

std::string name_of(const GuardAccount & account, std::uint32_t name)
{
  return name < account.name_count.load() ? &account.texts[account.names[name].begin] : "";
}

// True for callbacks that adopted executors make for themselves.
bool is_takts_own(const takt_core::Callback & callback)
{
  return callback.id().rfind("/takt:", 0) == 0;
}

bool is_ready(takt_core::Executor & core, const takt_core::Callback & callback, takt_rt::Time now)
{
  if (callback.message_counts().waiting > 0) {
    return true;
  }
  if (callback.kind() != takt_core::Kind::timer) {
    return false;
  }
  const takt_core::Scheduler & scheduler = core.scheduler_of(callback);
  return !scheduler.timer_cancelled(callback) && (scheduler.unstarted_periods(callback, now) > 0 ||
                                                  scheduler.next_release(callback) <= now);
}

// The thread that holds the mutex; 0: none. The mutex may be gone by now, so the kernel reads it.
pid_t owner_of(std::uintptr_t mutex)
{
  pthread_mutex_t copy{};
  iovec to{&copy, sizeof copy};
  iovec from{reinterpret_cast<void *>(mutex), sizeof copy};
  return ::process_vm_readv(::getpid(), &to, 1, &from, 1, 0) == static_cast<ssize_t>(sizeof copy)
           ? copy.__data.__owner
           : 0;
}

}  // namespace

GuardWatching::GuardWatching(GuardWatch & watch, takt_core::Executor & core)
: watch_(watch),
  core_(core)
{
  const std::lock_guard lock(watch_.mutex_);
  watch_.cores_.push_back(&core);
}

GuardWatching::~GuardWatching()
{
  const std::lock_guard lock(watch_.mutex_);
  std::erase(watch_.cores_, &core_);
}

std::unique_ptr<GuardWatching> GuardWatch::watch(takt_core::Executor & core)
{
  const takt_rt::GuardInterface * const library = takt_rt::guard_library();
  if (library == nullptr || library->watches_executors() == 0) {
    return nullptr;
  }
  static GuardWatch & of_process = *new GuardWatch(*library);
  return std::make_unique<GuardWatching>(of_process, core);
}

GuardWatch::GuardWatch(const takt_rt::GuardInterface & library) : library_(library)
{
  // The program's own threads handle its signals.
  sigset_t all{};
  sigset_t before{};
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread([this] { look_for_ever(); }).detach();
  } catch (const std::system_error &) {
    // The process cannot have another thread: waits are not noted.
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void GuardWatch::look_for_ever()
{
  takt_rt::apply(takt_rt::background_attributes("takt.guard"));
  for (;;) {
    std::this_thread::sleep_for(kLook);
    look();
  }
}

std::vector<GuardWatch::Waiter> GuardWatch::waiters(takt_rt::Time now) const
{
  std::vector<Waiter> all;
  const GuardAccount * const account = library_.account();
  for (std::uint32_t i = 0; account != nullptr && i < account->threads.size(); ++i) {
    const GuardedThread & thread = account->threads[i];
    const std::uint32_t place = thread.site.load(std::memory_order_acquire);
    const takt_rt::Duration time = now - takt_rt::from_ns(thread.since.load());
    if (place == 0 || time < kLongWait) {
      continue;
    }
    const GuardSite & site = account->sites[place - 1];
    if (site.kind != GuardKind::sleep && site.state.load() == GuardSite::ready) {
      all.push_back(
        {i, name_of(*account, thread.name.load()), site.what.data(), thread.thread.load(), time});
    }
  }
  return all;
}

void GuardWatch::look()
{
  const auto waiting = waiters(takt_rt::now());
  if (waiting.empty()) {
    return;
  }
  for (const Waiter & waiter : waiting) {
    note_lock(waiter);
  }
  const std::lock_guard lock(mutex_);
  for (takt_core::Executor * const core : cores_) {
    note_kept(waiting, *core);
  }
}

void GuardWatch::note_lock(const Waiter & waiter)
{
  const GuardAccount & account = *library_.account();
  const GuardedThread & thread = account.threads[waiter.place];
  if (waiter.function.rfind("pthread_mutex_", 0) != 0) {
    return;
  }
  const pid_t owner = owner_of(thread.object.load());
  for (const GuardedThread & other : account.threads) {
    const std::uint32_t running = other.running.load();
    if (owner != 0 && other.used.load() != 0 && other.thread.load() == owner && running != 0) {
      note(waiter, running, name_of(account, running - 1), GuardedBlock::lock);
    }
  }
}

void GuardWatch::note_kept(const std::vector<Waiter> & waiters, takt_core::Executor & core)
{
  const auto callbacks = core.callbacks();
  const auto named = [&](const std::string & id) {
    return std::find_if(
      callbacks.begin(), callbacks.end(), [&](const auto & one) { return one->id() == id; });
  };
  // The executor's own threads come first, in the order of the masks.
  const std::vector<pid_t> threads = core.thread_ids();
  const std::size_t own = core.options().threads.size();
  const auto bit_of = [&](const Waiter & waiter) -> takt_core::ThreadMask {
    const auto at = std::find(threads.begin(), threads.end(), waiter.thread) - threads.begin();
    return static_cast<std::size_t>(at) < std::min(own, threads.size())
             ? takt_core::ThreadMask{1} << at
             : 0;
  };
  takt_core::ThreadMask busy = 0;
  for (const Waiter & waiter : waiters) {
    busy |= named(waiter.callback) == callbacks.end() ? 0 : bit_of(waiter);
  }
  const takt_rt::Time now = takt_rt::now();
  for (const auto & awaited : callbacks) {
    if (awaited->of_client_library() || is_takts_own(*awaited) || !is_ready(core, *awaited, now)) {
      continue;
    }
    const bool in_crew = &core.scheduler_of(*awaited) == &core.scheduler();
    const takt_core::ThreadMask mask = in_crew ? core.scheduler().threads(*awaited) : 0;
    for (const Waiter & waiter : waiters) {
      const auto found = named(waiter.callback);
      if (found == callbacks.end() || *found == awaited) {
        continue;
      }
      if (&(*found)->group() == &awaited->group() && awaited->group().exclusive()) {
        note(waiter, library_.name(awaited->id().c_str()), awaited->id(), GuardedBlock::group);
      } else if (in_crew && (mask & ~busy) == 0 && (mask & bit_of(waiter)) != 0) {
        note(waiter, library_.name(awaited->id().c_str()), awaited->id(), GuardedBlock::thread);
      }
    }
  }
}

void GuardWatch::note(
  const Waiter & waiter, std::uint32_t awaited, const std::string & id, GuardedBlock::Why why)
{
  if (library_.note_block(waiter.place, awaited, why) == 0) {
    return;
  }
  const char * const because =
    why == GuardedBlock::lock ? "holds the lock"
    : why == GuardedBlock::group
      ? "is ready, and cannot run meanwhile, because both are in one mutually exclusive group"
      : "is ready, and cannot run meanwhile, because it may run only on threads that wait so";
  std::fprintf(
    stderr,
    "[takt] guard: %s has waited for %.1f s in %s; %s %s. If it waits for that, it is a deadlock\n",
    waiter.callback.c_str(), static_cast<double>(waiter.time.count()) / 1e9,
    waiter.function.c_str(), id.c_str(), because);
}

}  // namespace takt_host
