// Threads, processes and exceptions.
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "next_function.hpp"

TAKT_GUARD_FUNCTION(
  thread, true, int, pthread_create,
  (pthread_t * thread, const pthread_attr_t * attributes, void * (*function)(void *),
   void * argument),
  (thread, attributes, function, argument), noexcept)
TAKT_GUARD_FUNCTION(thread, true, int, system, (const char * command), (command))
TAKT_GUARD_FUNCTION(
  thread, true, FILE *, popen, (const char * command, const char * mode), (command, mode))
TAKT_GUARD_FUNCTION(
  thread, true, int, posix_spawn,
  (pid_t * process, const char * path, const posix_spawn_file_actions_t * actions,
   const posix_spawnattr_t * attributes, char * const words[], char * const variables[]),
  (process, path, actions, attributes, words, variables))
TAKT_GUARD_FUNCTION(
  thread, true, int, posix_spawnp,
  (pid_t * process, const char * file, const posix_spawn_file_actions_t * actions,
   const posix_spawnattr_t * attributes, char * const words[], char * const variables[]),
  (process, file, actions, attributes, words, variables))
TAKT_GUARD_FUNCTION(thread, true, pid_t, fork, (), (), noexcept)

namespace
{

using Throw = void (*)(void *, void *, void (*)(void *));
using BeginCatch = void * (*)(void *);

// A program in C may open the C++ runtime with a plug-in, with RTLD_LOCAL. Then RTLD_NEXT does not
// find the runtime.
template <typename Function>
Function of_runtime(Function & known, const char * name) noexcept
{
  if (__builtin_expect(known == nullptr, 0)) {
    known = takt_guard::next_function<Function>(name);
  }
  if (__builtin_expect(known == nullptr, 0)) {
    if (void * const runtime = ::dlopen("libstdc++.so.6", RTLD_NOLOAD | RTLD_LAZY);
        runtime != nullptr) {
      known = reinterpret_cast<Function>(::dlsym(runtime, name));
    }
  }
  return known;
}

constinit Throw g_throw = nullptr;
constinit BeginCatch g_begin_catch = nullptr;

__attribute__((constructor)) void find_runtime()
{
  static_cast<void>(of_runtime(g_throw, "__cxa_throw"));
  static_cast<void>(of_runtime(g_begin_catch, "__cxa_begin_catch"));
}

}  // namespace

// The event of a throw lasts until the handler begins. Destructors run before that; their events
// count.

TAKT_GUARD_EXPORT __attribute__((noreturn)) void __cxa_throw(
  void * object, void * type, void (*destroy)(void *))
{
  if (takt_guard::watching()) {
    takt_guard::ThreadState & state = takt_guard::t_state;
    state.busy = true;
    state.thrown_from = takt_guard::find_site(
      state, takt_rt::GuardKind::exception, "throw", __builtin_return_address(0),
      __builtin_frame_address(0));
    state.thrown_at = takt_guard::now();
    takt_guard::count(state, takt_rt::GuardKind::exception, state.thrown_from, state.thrown_at, 0);
    state.busy = false;
  }
  of_runtime(g_throw, "__cxa_throw")(object, type, destroy);
  __builtin_unreachable();
}

TAKT_GUARD_EXPORT void * __cxa_begin_catch(void * object) noexcept
{
  takt_guard::ThreadState & state = takt_guard::t_state;
  if (__builtin_expect(state.thrown_at != 0, 0)) {
    const std::int64_t time = takt_guard::now() - state.thrown_at;
    state.thrown_at = 0;
    if (state.thrown_from != nullptr) {
      takt_guard::add_time(*state.thrown_from, time);
      state.thrown_from = nullptr;
    }
  }
  return of_runtime(g_begin_catch, "__cxa_begin_catch")(object);
}
