// The executor's state; private to its sources.
#ifndef TAKT_CORE__SRC__EXECUTOR_IMPL_HPP_
#define TAKT_CORE__SRC__EXECUTOR_IMPL_HPP_

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "executor/crew.hpp"
#include "takt_core/executor.hpp"

namespace takt_core
{

using takt_rt::own_rights;

/// The sentence of a callback that cannot be bound, because its group is isolated.
std::string has_own_threads(const Callback & callback);

/// With a thread if there is none, and with names for those that have none.
ExecutorOptions with_defaults(ExecutorOptions options);

struct Executor::Impl final : ParkingListener
{
  Impl(ExecutorOptions o, Executor & owner);
  ~Impl();

  enum class Use : std::uint32_t
  {
    none,
    threads,
    visitor
  };

  // executor_thread.cpp
  void thread_main(Crew & crew, std::uint32_t index);
  // `named`: the kernel gets the name, too.
  void set_up_thread(
    Crew & crew, std::uint32_t index, const ThreadAttributes & attributes, bool named);
  void end_thread(Crew & crew, std::uint32_t index);
  void run_thread(Crew & crew, std::uint32_t index);
  void loop(Crew & crew, std::uint32_t index);
  void sleep(Crew & crew, std::uint32_t index, Time wake_at);
  static void follow_programs_policy(Crew & crew, std::uint32_t index) noexcept;
  void execute(Crew & crew, Run & run) noexcept;
  void failed(const Run & run) noexcept;
  void parked(const Callback & callback) noexcept override;

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
  Faults ask_process_rights();
  Faults start_threads(First first, std::optional<Time> epoch);
  Result<std::shared_ptr<Ending>> begin(First first, std::optional<Time> epoch);
  void await(Ending & ending, bool joins);
  void join_all(std::uint32_t begin);
  SpinOutcome finish(Ending & ending);
  void notify() noexcept;
  std::exception_ptr take_exception();

  // executor_crews.cpp
  Crew & crew_of(const Callback & callback) noexcept;
  template <typename Function>
  void for_each_crew(Crew * head, const Function & function)
  {
    function(main);
    for (Crew * crew = head; crew != nullptr; crew = crew->next) {
      function(*crew);
    }
  }
  template <typename Function>
  void for_each_crew(const Function & function)
  {
    for_each_crew(crews.load(std::memory_order_acquire), function);
  }
  Crew & crew_for(const Group & group, const Isolation & isolation);
  void release(Crew & crew);
  Faults create_threads(Crew & crew, std::uint32_t begin);
  static void await_arrival(Crew & crew);
  bool waits_for_all(const Crew & crew) const noexcept
  {
    return crew.isolated() || !options.begins_with_first;
  }
  void expect_reports(Crew & crew);
  Faults staff(Crew & crew);
  Faults collect_reports(Crew & crew);
  void open_gate(Crew & crew, Crew::Gate gate);
  void join_threads(Crew & crew, std::uint32_t begin);
  bool reap();

  // executor_visit.cpp
  Crew * begin_visit(Time begin);
  Crew * visit(Crew * head, Time now, Run & run);
  void sleep(Crew * head, Time now, Time until);
  void end_visit(Crew * head);

  // executor_reconfigure.cpp
  struct ThreadPlace;
  ThreadPlace find_thread(std::uint32_t number);
  std::vector<ExecutorThreadOptions> threads_after(
    const std::vector<Reconfiguration::ThreadChange> & changes, Faults & faults);
  Faults check_after(const Reconfiguration & change);
  Status set_chains(const std::vector<ChainOptions> & chains);
  Status rebind(Callback & callback, const Binding & binding);
  void tell_rebound(const Callback & callback);
  AttributeReport change_thread(const ThreadPlace & place, const ThreadAttributes & attributes);

  // executor_checks.cpp
  /// Where a callback is to be, and with which priority.
  struct NewBinding
  {
    const Callback * callback;
    ThreadMask threads;
    int priority;
    bool across_priorities = false;  ///< its group's callbacks may be bound so
  };
  Faults check(
    const std::vector<NewBinding> & bindings,
    const std::vector<ExecutorThreadOptions> & threads) const;
  Faults check(const std::vector<NewBinding> & bindings) const
  {
    return check(bindings, main.options);
  }
  static void check_following(
    const NewBinding & binding, const std::vector<ExecutorThreadOptions> & threads,
    Faults & faults);
  bool check_group(
    const NewBinding & binding, const std::vector<NewBinding> & bindings,
    const std::vector<ExecutorThreadOptions> & threads, Faults & faults) const;
  std::vector<NewBinding> bindings_now() const;
  std::vector<NewBinding> bindings_after(std::string_view name, const ChainOptions * chain) const;
  bool has(const Callback & callback) const;
  Faults check_id(const Callback & callback) const;
  void remove(Callback & callback, bool waits);

  /// Serialises set-up. Ends with freeing what was removed from inside itself and has ended; what
  /// its destructors do may be set-up again.
  class SetUp
  {
  public:
    explicit SetUp(Impl & impl) : impl_(impl) { impl_.setup.lock(); }
    ~SetUp()
    {
      impl_.setup.unlock();
      impl_.reap();
    }
    SetUp(const SetUp &) = delete;
    SetUp & operator=(const SetUp &) = delete;

  private:
    Impl & impl_;
  };

  bool cancelled() const noexcept { return cancel.load(std::memory_order_seq_cst) != 0; }
  AttributeSetter & setter() const noexcept
  {
    return options.setter == nullptr ? own_rights() : *options.setter;
  }

  Executor & owner;
  const ExecutorOptions options;
  std::vector<std::shared_ptr<Observer>> observers;
  // Those of them that watch idling, and parking.
  std::vector<Observer *> idle_observers;
  std::vector<Observer *> parking_observers;
  // Those that watch arrivals: messages may come while one is added. The first null ends them.
  static constexpr std::size_t kMostArrivalObservers = 7;
  std::array<std::atomic<Observer *>, kMostArrivalObservers + 1> arrival_observers{};

  std::atomic<std::uint32_t> cancel{0};
  std::atomic<std::uint32_t> events{0};  // futex: `wait` sleeps on it; cancelled, over, retired
  std::atomic<Use> use{Use::none};
  std::atomic<std::uint64_t> exceptions{0};
  mutable std::mutex told_mutex;
  std::exception_ptr exception;  // the first one under `stop`
  Faults refusals;               // of the process's rights, at the last start
  std::atomic<int> ceiling{0};

  std::mutex lifecycle;             // starting, joining
  std::shared_ptr<Ending> current;  // the spin that goes on; null: none

  mutable std::mutex setup;  // add, remove, bind, observers
  std::unordered_map<const Group *, std::vector<Callback *>> members;
  std::unordered_map<std::string_view, Callback *> isolated_ids;  // callbacks of isolated groups

  // Locked after `setup` and after `lifecycle`, and never while threads are joined that may run a callback.
  std::mutex crews_mutex;
  bool running = false;              // the gate is open and nobody joins
  ThreadAttributes starter;          // what the thread had that started
  Time epoch{};                      // of the last start
  std::uint32_t next_number;         // of an isolated thread
  std::atomic<bool> leaving{false};  // some crew is ending

  const std::unique_ptr<Phases> phases;  // null: the options have none

  ExecutorThread visitor;
  Crew * visit_next =
    nullptr;  // of spins on the caller's thread: where the next look begins; null: at `main`
  // Destroyed first, the isolated ones before the other: their schedulers free callbacks, and what these captured may
  // call `Executor::remove`, which uses the members above.
  Crew main;
  std::vector<std::unique_ptr<Crew>> owned_crews;  // set-up
  std::atomic<Crew *> crews{nullptr};              // the isolated ones, for whoever holds no lock
};

}  // namespace takt_core

#endif  // TAKT_CORE__SRC__EXECUTOR_IMPL_HPP_
