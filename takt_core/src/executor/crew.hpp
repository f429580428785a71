// Executor threads with the scheduler that says what they run. An executor has one crew with the threads of its
// options, and one for each isolated group. Private to the executor's sources.
#ifndef TAKT_CORE__SRC__CREW_HPP_
#define TAKT_CORE__SRC__CREW_HPP_

#include <pthread.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "executor/thread_priority.hpp"
#include "takt_core/executor.hpp"

namespace takt_core
{

/// One executor thread as the executor sees it.
struct alignas(64) ExecutorThread
{
  std::atomic<std::uint32_t> wake{0};  // futex: 1 = look at your sets
  std::atomic<pid_t> tid{0};
  pthread_t handle{};
  /// The program may change its policy, because takt gives it none: it is woken in the order of what it has.
  std::atomic<bool> has_programs_policy{false};
  std::atomic<int> urgency{0};  // that the scheduler knows; of such a thread only
  AttributeReport report;       // of its start; the thread writes it before it has arrived
  std::optional<ThreadAttributes> at_end;  // what the thread had then; guarded by `there`

  /// Whoever changes the thread's attributes holds this: the thread is there as long.
  std::mutex there;
  detail::ThreadPriority * priority = nullptr;
};

/// Whether both have the same policy with its numbers, and the same cores.
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

  /// `first`: the number of its first thread. `visitor`: of the executor; it visits all crews. `main`: the crew of the
  /// options, which lives longer; null for that one. `phases`: of the executor; null: it has none.
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
  std::atomic<std::uint32_t> arrived{0};  // futex: threads that have their attributes
  std::atomic<std::uint32_t> left{0};     // threads that are about to end
  std::atomic<bool> ending{false};        // its group has gone
  Crew * next = nullptr;                  // of all isolated crews; does not change

  // --- guarded by the executor's `setup` and `crews_mutex`: both to change it, either to read it ---
  std::vector<ExecutorThreadOptions> options;
  const Group * group = nullptr;  // of an isolated crew; null: it is free for another group

  // --- guarded by the executor's `crews_mutex` ---
  bool staffed = false;  // its threads have not been joined
  bool joining = false;  // whoever ends the spin joins them

  // --- the visitor's ---
  std::uint64_t visit_ends = UINT64_MAX;  // what was released later is not for this visit
  bool visitor_sleeps = false;

  std::vector<AttributeReport> reports;  // guarded by the executor's `told_mutex`

  // Destroyed first: it frees callbacks, and what these captured may call `Executor::remove`.
  Scheduler scheduler;
};

}  // namespace takt_core

#endif  // TAKT_CORE__SRC__CREW_HPP_
