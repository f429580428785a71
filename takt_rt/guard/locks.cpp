// Calls that wait for a lock that another thread holds, and calls that wait for other threads.
#include <pthread.h>
#include <semaphore.h>

#include <cerrno>

#include "next_function.hpp"

namespace
{

// glibc's bits for PTHREAD_MUTEX_PRIO_INHERIT_NP and PTHREAD_MUTEX_PRIO_PROTECT_NP in a mutex's
// kind.
constexpr int kInherits = 32;
constexpr int kProtects = 64;

bool bounds_inversion(const pthread_mutex_t & mutex) noexcept
{
  return (mutex.__data.__kind & (kInherits | kProtects)) != 0;
}

// New programs use this version of the symbol. A search without a version may find the one of 2003.
#if defined(__x86_64__)
constexpr const char * kConditionVersion = "GLIBC_2.3.2";
#else
constexpr const char * kConditionVersion = nullptr;
#endif

}  // namespace

TAKT_GUARD_NEXT(pthread_mutex_lock, int (*)(pthread_mutex_t *))
TAKT_GUARD_EXPORT int pthread_mutex_lock(pthread_mutex_t * mutex) noexcept
{
  if (!takt_guard::watching() || bounds_inversion(*mutex)) {
    return next_pthread_mutex_lock()(mutex);
  }
  if (const int result = ::pthread_mutex_trylock(mutex); result != EBUSY) {
    return result;
  }
  TAKT_GUARD_EVENT(lock, pthread_mutex_lock);
  event.waits(mutex);
  return next_pthread_mutex_lock()(mutex);
}

#define TAKT_GUARD_TIMED_LOCK(name, parameters, arguments)                    \
  TAKT_GUARD_NEXT(name, int(*) parameters)                                    \
  TAKT_GUARD_EXPORT int name parameters noexcept                              \
  {                                                                           \
    if (!takt_guard::watching() || bounds_inversion(*mutex)) {                \
      return next_##name() arguments;                                         \
    }                                                                         \
    if (const int result = ::pthread_mutex_trylock(mutex); result != EBUSY) { \
      return result;                                                          \
    }                                                                         \
    TAKT_GUARD_EVENT(lock, name);                                             \
    event.waits(mutex);                                                       \
    return next_##name() arguments;                                           \
  }
TAKT_GUARD_TIMED_LOCK(
  pthread_mutex_timedlock, (pthread_mutex_t * mutex, const timespec * until), (mutex, until))
TAKT_GUARD_TIMED_LOCK(
  pthread_mutex_clocklock, (pthread_mutex_t * mutex, clockid_t clock, const timespec * until),
  (mutex, clock, until))

#define TAKT_GUARD_RW_LOCK(name, tries, parameters, arguments) \
  TAKT_GUARD_NEXT(name, int(*) parameters)                     \
  TAKT_GUARD_EXPORT int name parameters noexcept               \
  {                                                            \
    if (!takt_guard::watching()) {                             \
      return next_##name() arguments;                          \
    }                                                          \
    if (const int result = ::tries(lock); result != EBUSY) {   \
      return result;                                           \
    }                                                          \
    TAKT_GUARD_EVENT(lock, name);                              \
    event.waits(lock);                                         \
    return next_##name() arguments;                            \
  }
TAKT_GUARD_RW_LOCK(
  pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, (pthread_rwlock_t * lock), (lock))
TAKT_GUARD_RW_LOCK(
  pthread_rwlock_wrlock, pthread_rwlock_trywrlock, (pthread_rwlock_t * lock), (lock))
TAKT_GUARD_RW_LOCK(
  pthread_rwlock_timedrdlock, pthread_rwlock_tryrdlock,
  (pthread_rwlock_t * lock, const timespec * until), (lock, until))
TAKT_GUARD_RW_LOCK(
  pthread_rwlock_timedwrlock, pthread_rwlock_trywrlock,
  (pthread_rwlock_t * lock, const timespec * until), (lock, until))

#define TAKT_GUARD_CONDITION(name, parameters, arguments)             \
  TAKT_GUARD_NEXT_VERSION(name, kConditionVersion, int(*) parameters) \
  TAKT_GUARD_EXPORT int name parameters                               \
  {                                                                   \
    if (!takt_guard::watching()) {                                    \
      return next_##name() arguments;                                 \
    }                                                                 \
    TAKT_GUARD_EVENT(wait, name);                                     \
    event.waits(condition);                                           \
    return next_##name() arguments;                                   \
  }
TAKT_GUARD_CONDITION(
  pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t * mutex), (condition, mutex))
TAKT_GUARD_CONDITION(
  pthread_cond_timedwait,
  (pthread_cond_t * condition, pthread_mutex_t * mutex, const timespec * until),
  (condition, mutex, until))
TAKT_GUARD_CONDITION(
  pthread_cond_clockwait,
  (pthread_cond_t * condition, pthread_mutex_t * mutex, clockid_t clock, const timespec * until),
  (condition, mutex, clock, until))

#define TAKT_GUARD_SEMAPHORE(name, parameters, arguments) \
  TAKT_GUARD_NEXT(name, int(*) parameters)                \
  TAKT_GUARD_EXPORT int name parameters                   \
  {                                                       \
    if (!takt_guard::watching()) {                        \
      return next_##name() arguments;                     \
    }                                                     \
    if (::sem_trywait(semaphore) == 0) {                  \
      return 0;                                           \
    }                                                     \
    TAKT_GUARD_EVENT(wait, name);                         \
    event.waits(semaphore);                               \
    return next_##name() arguments;                       \
  }
TAKT_GUARD_SEMAPHORE(sem_wait, (sem_t * semaphore), (semaphore))
TAKT_GUARD_SEMAPHORE(sem_timedwait, (sem_t * semaphore, const timespec * until), (semaphore, until))
TAKT_GUARD_SEMAPHORE(
  sem_clockwait, (sem_t * semaphore, clockid_t clock, const timespec * until),
  (semaphore, clock, until))

TAKT_GUARD_FUNCTION(
  wait, true, int, pthread_join, (pthread_t thread, void ** result), (thread, result))
TAKT_GUARD_FUNCTION(
  wait, true, int, pthread_barrier_wait, (pthread_barrier_t * barrier), (barrier), noexcept)

// Signals are not events, but another callback may wait for them.
#define TAKT_GUARD_SIGNAL(name, version, object, parameters) \
  TAKT_GUARD_NEXT_VERSION(name, version, int(*) parameters)  \
  TAKT_GUARD_EXPORT int name parameters noexcept             \
  {                                                          \
    if (takt_guard::watching()) {                            \
      takt_guard::signals(object);                           \
    }                                                        \
    return next_##name()(object);                            \
  }
TAKT_GUARD_SIGNAL(pthread_cond_signal, kConditionVersion, condition, (pthread_cond_t * condition))
TAKT_GUARD_SIGNAL(
  pthread_cond_broadcast, kConditionVersion, condition, (pthread_cond_t * condition))
TAKT_GUARD_SIGNAL(sem_post, nullptr, semaphore, (sem_t * semaphore))
