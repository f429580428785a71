// The scopes of a thread. takt_rt and takt's executors call these functions through GuardInterface.
#include "takt_rt/guard/interface.hpp"

#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "faults.hpp"
#include "places.hpp"
#include "settings.hpp"

namespace takt_guard
{

__attribute__((tls_model("initial-exec"))) thread_local constinit ThreadState t_state{};

namespace
{

// The time in ns for which the guard relies on a thread's policy: it rarely changes during a run.
constexpr std::int64_t kPolicyIsKnown = 50'000'000;

pthread_once_t g_key_once = PTHREAD_ONCE_INIT;
pthread_key_t g_key{};

void end_thread(void * /*state*/)
{
  ThreadState & state = t_state;
  state.depth = 0;
  close_faults(state);
  if (state.shown != nullptr) {
    state.shown->used.store(0, std::memory_order_release);
    state.shown = nullptr;
  }
  state.prepared = false;
}

void make_key()
{
  ::pthread_key_create(&g_key, end_thread);
}

bool real_time_policy() noexcept
{
  const int policy = ::sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
  return policy == SCHED_FIFO || policy == SCHED_RR || policy == SCHED_DEADLINE;
}

// Notes a thread for which the kernel does not give all places of page faults.
void note_limit(GuardAccount & all, const ThreadState & state, const PlacesOfFaults & places)
{
  const std::uint32_t index = all.limited_count.fetch_add(1, std::memory_order_relaxed);
  if (index >= all.limited.size()) {
    return;
  }
  GuardedFaults & note = all.limited[index];
  note.thread = state.thread;
  ::prctl(PR_GET_NAME, note.name.data());
  note.has = places.has;
  note.limit = places.limit;
  note.state.store(GuardSite::ready, std::memory_order_release);
}

void prepare(ThreadState & state) noexcept
{
  state.prepared = true;
  state.busy = true;
  state.thread = static_cast<std::int32_t>(::syscall(SYS_gettid));
  const PlacesOfFaults places = open_faults(state);
  if (GuardAccount * const all = account(); all != nullptr) {
    if (state.faults != nullptr) {
      all->faults_have_places.store(1, std::memory_order_relaxed);
    }
    if (places.limit != GuardedFaults::none) {
      note_limit(*all, state, places);
    }
    for (GuardedThread & place : all->threads) {
      std::uint32_t is_free = 0;
      if (place.used.compare_exchange_strong(is_free, 1, std::memory_order_acq_rel)) {
        place.site.store(0, std::memory_order_relaxed);
        place.running.store(0, std::memory_order_relaxed);
        place.thread.store(state.thread, std::memory_order_relaxed);
        state.shown = &place;
        break;
      }
    }
  }
  ::pthread_once(&g_key_once, make_key);
  ::pthread_setspecific(g_key, &state);
  // The first call of each function faults on the function's code, so call each one now.
  void * frames[4];
  ::backtrace(frames, 4);
  ::fcntl(-1, F_GETFL);
  now();
  state.busy = false;
}

void prepare_thread()
{
  if (!t_state.prepared) {
    prepare(t_state);
  }
}

bool is_real_time(ThreadState & state) noexcept
{
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  const std::int64_t coarse = time.tv_sec * 1'000'000'000 + time.tv_nsec;
  if (state.policy_read_at == 0 || coarse - state.policy_read_at > kPolicyIsKnown) {
    state.policy_read_at = coarse;
    state.real_time = real_time_policy();
  }
  return state.real_time;
}

void show(ThreadState & state, std::uint32_t name) noexcept
{
  if (state.shown != nullptr) {
    state.shown->running.store(name, std::memory_order_relaxed);
  }
}

int enter(std::uint32_t name, int always)
{
  ThreadState & state = t_state;
  GuardAccount * const all = account();
  if (all == nullptr || name == 0 || state.busy) {
    return 0;
  }
  if (always == 0 && !settings().all_threads && !is_real_time(state)) {
    return 0;
  }
  prepare_thread();
  state.busy = true;
  if (state.depth > 0) {
    count_faults(state);
  } else {
    begin_faults(state);
  }
  ++state.depth;
  if (state.depth <= ThreadState::kScopes) {
    Scope & scope = state.scope();
    scope.name = name;
    scope.base = static_cast<const char *>(__builtin_frame_address(0));
    scope.counts.fill(0);
  }
  show(state, state.scope().name);
  if (always != 0) {
    all->names[name - 1].on_all_threads.store(1, std::memory_order_relaxed);
  }
  all->names[name - 1].runs.fetch_add(1, std::memory_order_relaxed);
  state.busy = false;
  return 1;
}

void leave()
{
  ThreadState & state = t_state;
  if (state.depth == 0) {
    return;  // this thread is a child of fork
  }
  state.busy = true;
  count_faults(state);
  if (state.depth > 1 && state.depth <= ThreadState::kScopes) {
    const Scope & inner = state.scope();
    Scope & outer = state.scopes[state.depth - 2];
    for (std::size_t i = 0; i < kGuardKinds; ++i) {
      outer.counts[i] += inner.counts[i];
    }
  }
  --state.depth;
  show(state, state.depth > 0 ? state.scope().name : 0);
  state.busy = false;
}

void counts(GuardCounts * counts)
{
  ThreadState & state = t_state;
  if (state.depth == 0) {
    return;
  }
  state.busy = true;
  count_faults(state);
  state.busy = false;
  const Scope & scope = state.scope();
  for (std::size_t i = 0; i < kGuardKinds; ++i) {
    counts->counts[i] = scope.counts[i];
  }
}

const GuardAccount * read_account()
{
  return account();
}

int watches_executors()
{
  return settings().executors ? 1 : 0;
}

constexpr takt_rt::GuardInterface kInterface{
  takt_rt::GuardInterface::kVersion,
  &add_name,
  &prepare_thread,
  &enter,
  &leave,
  &counts,
  &read_account,
  &note_block,
  &listen,
  &watches_executors};

__attribute__((destructor)) void ended()
{
  if (GuardAccount * const all = account(); all != nullptr) {
    all->ended.store(1, std::memory_order_relaxed);
  }
}

}  // namespace
}  // namespace takt_guard

__attribute__((visibility("default"))) const takt_rt::GuardInterface * takt_guard_interface()
{
  return &takt_guard::kInterface;
}
