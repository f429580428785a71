// The executor's state; private to its sources.
#ifndef TAKT_CORE__SRC__EXECUTOR_IMPL_HPP_
#define TAKT_CORE__SRC__EXECUTOR_IMPL_HPP_

#include <pthread.h>

#include <atomic>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "takt_core/executor.hpp"

namespace takt_core
{

/// With a thread if there is none, and with names for those that have none.
ExecutorOptions with_defaults(ExecutorOptions options);

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
  void set_up_thread(std::uint32_t index, const ThreadAttributes & attributes);
  void run_thread(std::uint32_t index);
  void loop(std::uint32_t index);
  void execute(Run & run) noexcept;
  void failed(const Run & run) noexcept;
  void follow(std::uint32_t index, const Callback & callback) noexcept;
  void unfollow(std::uint32_t index) noexcept;

  /// How one spin of the threads ended: shared by all who wait for it.
  struct Ending
  {
    std::atomic<bool> over{false};
    std::exception_ptr exception;
    bool caller_joins = false;  ///< the thread that called `spin_on_caller`; nobody else
  };

  /// Which threads a spin creates: all, or all but the first, which is the caller of the spin.
  enum class First : std::uint32_t
  {
    created,
    caller
  };

  // executor_spin.cpp
  Faults create_threads(First first);
  void join_threads(std::size_t begin, std::size_t end);
  Faults start_threads(First first, std::optional<Time> epoch);
  Result<std::shared_ptr<Ending>> begin(First first, std::optional<Time> epoch);
  void await(Ending & ending, bool joins);
  SpinOutcome finish(Ending & ending);
  Faults ask_process_rights();
  void notify() noexcept;
  std::exception_ptr take_exception();

  /// Serialises set-up. Ends with freeing what was removed from inside itself and has ended; what
  /// its destructors do may be set-up again.
  class SetUp
  {
  public:
    explicit SetUp(Impl & impl) : impl_(impl) { impl_.setup.lock(); }
    ~SetUp()
    {
      impl_.setup.unlock();
      impl_.scheduler.reap();
    }
    SetUp(const SetUp &) = delete;
    SetUp & operator=(const SetUp &) = delete;

  private:
    Impl & impl_;
  };

  /// Where a callback is to be, and with which priority.
  struct NewBinding
  {
    const Callback * callback;
    ThreadMask threads;
    int priority;
  };

  // executor_checks.cpp
  Faults check(const std::vector<NewBinding> & bindings) const;
  void check_following(const NewBinding & binding, Faults & faults) const;
  bool check_group(
    const NewBinding & binding, const std::vector<NewBinding> & bindings, Faults & faults) const;
  std::vector<NewBinding> bindings_after(std::string_view name, const ChainOptions * chain) const;
  bool has(const Callback & callback) const;

  bool cancelled() const noexcept { return cancel.load(std::memory_order_seq_cst) != 0; }

  Executor & owner;
  const ExecutorOptions options;
  std::vector<ExecutorThread> threads;  // the last one is the visitor's
  std::vector<std::shared_ptr<Observer>> observers;

  std::atomic<std::uint32_t> cancel{0};
  std::atomic<std::uint32_t> events{0};   // futex: `wait` sleeps on it; cancelled, over, retired
  std::atomic<std::uint32_t> gate{0};     // futex: the threads sleep on it
  std::atomic<std::uint32_t> arrived{0};  // futex: threads that have their attributes
  std::atomic<Use> use{Use::none};
  std::atomic<std::uint64_t> exceptions{0};
  std::mutex told_mutex;
  std::exception_ptr exception;          // the first one under `stop`
  Faults refusals;                       // of the process's rights, at the last start
  std::vector<AttributeReport> reports;  // of all threads, at the last start
  std::atomic<int> ceiling{0};

  std::mutex lifecycle;             // starting, joining
  std::shared_ptr<Ending> current;  // the spin that goes on; null: none

  std::mutex setup;  // add, remove, bind, observers
  std::unordered_map<const Group *, std::vector<Callback *>> members;
  bool uniform = true;  // its threads are: groups need no check

  // Destroyed first: it frees callbacks, and what these captured may call `Executor::remove`, which
  // uses the members above.
  Scheduler scheduler;
};

}  // namespace takt_core

#endif  // TAKT_CORE__SRC__EXECUTOR_IMPL_HPP_
