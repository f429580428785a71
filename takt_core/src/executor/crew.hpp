// Executor threads with their scheduler. An executor has one crew for the threads of its options,
// and one for each isolated group. Private to the executor's sources.
#ifndef TAKT_CORE__SRC__CREW_HPP_
#define TAKT_CORE__SRC__CREW_HPP_

#include <pthread.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "executor/arrival_words.hpp"
#include "executor/thread_priority.hpp"
#include "takt_core/executor.hpp"

namespace takt_core
{

/// The executor's record of one executor thread.
struct alignas(64) ExecutorThread
{
  std::atomic<std::uint32_t> wake{0};  // futex; 1: the thread must look at its sets
  std::atomic<pid_t> tid{0};
  pthread_t handle{};
  /// takt sets no policy for this thread, so the program may change it: wake-ups follow the
  /// thread's current policy.
  std::atomic<bool> has_programs_policy{false};
  // The urgency that the scheduler knows. Used only with `has_programs_policy`.
  std::atomic<int> urgency{0};
  AttributeReport report;                  // of the thread's start; written before it arrives
  std::optional<ThreadAttributes> at_end;  // attributes at its end; guarded by `there`

  /// A thread that changes this thread's attributes holds this mutex, so that this thread does not
  /// end meanwhile.
  std::mutex there;
  detail::ThreadPriority * priority = nullptr;
};

/// Whether `one` and `other` have the same policy with its parameters, and the same cores.
inline bool same_scheduling(const ThreadAttributes & one, const ThreadAttributes & other)
{
  ThreadAttributes alike = other;
  alike.name = one.name;
  alike.stack_size = one.stack_size;
  return one == alike;
}

struct Crew final : Waker
{
  enum class Gate : std::uint32_t
  {
    closed,
    open,
    abandoned
  };

  /// `first`: the number of the crew's first thread. `visitor`: the executor's visitor, which all
  /// crews share. `main`: the crew for the threads of the options, which lives longer; null if this
  /// is that crew. `phases`: the executor's; may be null.
  Crew(
    const ExecutorOptions & executor, std::vector<ExecutorThreadOptions> threads,
    std::uint32_t first, ExecutorThread & visitor, Phases * phases, Crew * main);

  void wake(std::uint32_t thread) noexcept override;
  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(options.size()); }
  bool isolated() const noexcept { return first != 0; }

  const std::uint32_t first;
  const std::unique_ptr<ExecutorThread[]> threads;
  ExecutorThread & visitor;
  std::atomic<std::uint32_t> gate{0};     // futex: the threads sleep on it
  std::atomic<std::uint32_t> arrived{0};  // futex: number of threads that have their attributes
  std::atomic<std::uint32_t> left{0};     // number of threads that are about to end
  std::atomic<bool> ending{false};        // the crew's group has no member left
  Crew * next = nullptr;                  // links all isolated crews; never changes

  // --- guarded by the executor's `setup` and `crews_mutex`: a writer holds both, a reader one of
  // them ---
  std::vector<ExecutorThreadOptions> options;
  const Group * group = nullptr;  // of an isolated crew; null: no group uses the crew

  // --- guarded by the executor's `crews_mutex` ---
  bool staffed = false;  // the crew's threads run or are not joined yet
  bool joining = false;  // the thread that ends the spin joins the crew's threads

  // --- used by the visitor ---
  std::uint64_t visit_ends = UINT64_MAX;  // the visit ignores callbacks with later release numbers
  bool visitor_sleeps = false;

  std::vector<AttributeReport> reports;  // guarded by the executor's `told_mutex`

  ArrivalWords words;

  // Destroyed before the other members: the scheduler frees callbacks, whose captures may call
  // `Executor::remove`.
  Scheduler scheduler;
};

}  // namespace takt_core

#endif  // TAKT_CORE__SRC__CREW_HPP_
