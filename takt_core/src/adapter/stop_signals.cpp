#include "takt_core/adapter/stop_signals.hpp"

#include <signal.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <mutex>

#include "takt_rt/futex.hpp"

namespace takt_core::adapter::stop_signals
{

using takt_rt::futex_wait;
using takt_rt::futex_wake;

namespace
{

constexpr std::array kSignals{SIGINT, SIGTERM};

std::mutex g_mutex;
int g_users = 0;
std::array<struct sigaction, kSignals.size()> g_previous;

// The handler touches only lock-free atomics.
std::array<std::atomic<Executor *>, kMostExecutors> g_executors;
std::atomic<std::uint32_t> g_handling{0};  // futex: `remove` sleeps on it
std::atomic<std::uint32_t> g_removing{0};
std::atomic<std::uint32_t> g_interruptions{0};  // futex: see `interruptions`
std::atomic<std::uint64_t> g_count{0};
static_assert(std::atomic<Executor *>::is_always_lock_free);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

// True while this thread is inside `handle`, for each signal. With the TLS model initial-exec, the
// first use does not allocate.
[[gnu::tls_model("initial-exec")]] thread_local std::array<bool, kSignals.size()> t_inside{};

void handle(int number, siginfo_t * info, void * context)
{
  // Two libraries may have installed handlers over each other repeatedly, so that the previous
  // handler calls this one again.
  const std::size_t which = number == kSignals[0] ? 0 : 1;
  if (t_inside[which]) {
    return;
  }
  t_inside[which] = true;
  const int error = errno;
  g_handling.fetch_add(1);
  g_count.fetch_add(1);
  for (auto & slot : g_executors) {
    if (Executor * const executor = slot.load(); executor != nullptr) {
      executor->cancel();
    }
  }
  interrupt();
  g_handling.fetch_sub(1);
  if (g_removing.load() != 0) {
    futex_wake(g_handling, INT_MAX);
  }
  // Pass the signal on to the previous handler.
  const struct sigaction & previous = g_previous[which];
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    if (previous.sa_sigaction != nullptr) {
      previous.sa_sigaction(number, info, context);
    }
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(number);
  }
  errno = error;
  t_inside[which] = false;
}

}  // namespace

void acquire()
{
  std::lock_guard lock(g_mutex);
  if (g_users++ > 0) {
    return;
  }
  struct sigaction action = {};
  action.sa_sigaction = &handle;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    // Read before write: the handler may run as soon as it is installed.
    ::sigaction(kSignals[i], nullptr, &g_previous[i]);
    ::sigaction(kSignals[i], &action, nullptr);
  }
}

void release()
{
  std::lock_guard lock(g_mutex);
  if (--g_users > 0) {
    return;
  }
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction current = {};
    ::sigaction(kSignals[i], nullptr, &current);
    if (current.sa_sigaction == &handle) {  // else a later handler is installed: leave it
      ::sigaction(kSignals[i], &g_previous[i], nullptr);
    }
  }
}

std::uint64_t count() noexcept
{
  return g_count.load();
}

const std::atomic<std::uint32_t> & interruptions() noexcept
{
  return g_interruptions;
}

void interrupt() noexcept
{
  g_interruptions.fetch_add(1);
  futex_wake(g_interruptions, INT_MAX);
}

bool add(Executor & executor) noexcept
{
  for (auto & slot : g_executors) {
    Executor * free = nullptr;
    if (slot.compare_exchange_strong(free, &executor)) {
      return true;
    }
  }
  return false;
}

void remove(Executor & executor) noexcept
{
  for (auto & slot : g_executors) {
    Executor * here = &executor;
    if (slot.compare_exchange_strong(here, nullptr)) {
      // The thread sleeps, so that a handler interrupted on this core can continue. (A lock would
      // inherit priority, but a handler must not hold a lock.)
      g_removing.fetch_add(1);
      for (std::uint32_t busy = g_handling.load(); busy != 0; busy = g_handling.load()) {
        futex_wait(g_handling, busy);
      }
      g_removing.fetch_sub(1);
      return;
    }
  }
}

}  // namespace takt_core::adapter::stop_signals
