// The executor's state; private to its sources.
#ifndef TAKT_CORE__SRC__EXECUTOR_IMPL_HPP_
#define TAKT_CORE__SRC__EXECUTOR_IMPL_HPP_

#include <pthread.h>

#include <atomic>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "takt_core/executor.hpp"

namespace takt_core
{

/// One executor thread as the executor sees it.
struct alignas(64) ExecutorThread
{
  std::atomic<std::uint32_t> wake{0};  // futex: 1 = look at your sets
  std::atomic<pid_t> tid{0};
  pthread_t handle{};
  AttributeReport report;
};

struct Executor::Impl final : Waker
{
  Impl(ExecutorOptions o, Executor & owner);

  enum class Gate : std::uint32_t
  {
    closed,
    open,
    abandoned
  };
  enum class Use : std::uint32_t
  {
    none,
    threads,
    visitor
  };

  // executor_thread.cpp
  void wake(std::uint32_t thread) noexcept override;
  void thread_main(std::uint32_t index);
  void loop(std::uint32_t index);
  void execute(Run & run) noexcept;
  void failed(const Run & run) noexcept;
  void follow(std::uint32_t index, const Callback & callback) noexcept;
  void unfollow(std::uint32_t index) noexcept;

  // executor.cpp
  Faults create_threads();
  void join_threads(std::size_t count);
  int effective_ceiling() const;
  std::exception_ptr take_exception();

  // executor_checks.cpp
  Faults check_following(const Callback & callback, ThreadMask threads, int priority) const;
  Faults check_group(const Callback & callback, ThreadMask threads, int priority) const;
  std::vector<int> urgencies(ThreadMask threads, int priority) const;
  int expected_priority(const std::string & id, const Binding & binding) const;

  bool cancelled() const noexcept { return cancel.load(std::memory_order_seq_cst) != 0; }

  Executor & owner;
  const ExecutorOptions options;
  std::vector<ExecutorThread> threads;  // the last one is the visitor's
  Scheduler scheduler;
  std::vector<std::shared_ptr<Observer>> observers;

  std::atomic<std::uint32_t> cancel{0};   // futex: `wait` sleeps on it
  std::atomic<std::uint32_t> gate{0};     // futex: the threads sleep on it
  std::atomic<std::uint32_t> arrived{0};  // futex: threads that have their attributes
  std::atomic<Use> use{Use::none};
  std::atomic<std::uint64_t> exceptions{0};
  std::mutex exception_mutex;
  std::exception_ptr exception;  // the first one under `stop`
  int ceiling = 0;

  std::mutex setup;  // add, remove, bind, observers
  std::unordered_map<const Group *, std::vector<Callback *>> members;
  std::unordered_set<const Group *> across_priorities;
  bool uniform = true;  // all threads have one urgency and none follows: groups need no check
};

}  // namespace takt_core

#endif  // TAKT_CORE__SRC__EXECUTOR_IMPL_HPP_
