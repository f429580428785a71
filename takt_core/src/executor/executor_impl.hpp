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
#include "executor/logical_times.hpp"
#include "takt_core/executor.hpp"

namespace takt_core
{

using takt_rt::own_rights;

/// The words of a fault: a binding names threads for a callback of an isolated group.
std::string has_own_threads(const Callback & callback);

/// Fills in defaults: one thread if there is none, and thread names.
ExecutorOptions with_defaults(ExecutorOptions options);

inline void append(Faults & to, const Faults & more)
{
  to.insert(to.end(), more.begin(), more.end());
}

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
  // `named`: also sets the kernel's thread name.
  void set_up_thread(
    Crew & crew, std::uint32_t index, const ThreadAttributes & attributes, bool named);
  void end_thread(Crew & crew, std::uint32_t index);
  void run_thread(Crew & crew, std::uint32_t index);
  void loop(Crew & crew, std::uint32_t index);
  void sleep(Crew & crew, std::uint32_t index, Time wake_at);
  static void follow_programs_policy(Crew & crew, std::uint32_t index) noexcept;
  // The end of the run; kNever: no observer asked for it, or the take found no message.
  Time execute(Crew & crew, Run & run) noexcept;
  void run_inputs(Crew & crew, const Run & taker) noexcept;
  Time take_for_set(Crew & crew, Run & taker) noexcept;
  enum class Performs : std::uint8_t
  {
    whole,  // take and function
    input,  // the same, within the run of a taker
    take,   // the take: the message is kept for its set (Condition::spread)
    kept    // the function of a message that was kept
  };
  Time perform(Crew & crew, Run & run, Performs what = Performs::whole) noexcept;
  void failed(const Run & run) noexcept;
  void parked(const Callback & callback) noexcept override;

  /// The end of one spin of the threads: shared by all threads that wait for it.
  struct Ending
  {
    std::atomic<bool> over{false};
    std::exception_ptr exception;
    bool caller_joins = false;  ///< only the caller of `spin_on_caller` may join
  };

  /// The threads that a spin creates: all, or all but the first, which is the spin's caller.
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
  void look_at_words(Crew * head);
  void end_visit(Crew * head);

  // executor_reconfigure.cpp
  struct ThreadPlace;
  ThreadPlace find_thread(std::uint32_t number);
  std::vector<ExecutorThreadOptions> threads_after(
    const std::vector<Reconfiguration::ThreadChange> & changes, Faults & faults);
  Faults check_after(const Reconfiguration & change);
  std::vector<ChainOptions> chains_after(const Reconfiguration & change) const;
  Status set_chain(const ChainOptions & chain);
  Status set_chains(const std::vector<ChainOptions> & chains);
  Status bind(const std::vector<Reconfiguration::CallbackChange> & changes);
  Status rebind(const std::vector<Reconfiguration::CallbackChange> & changes);
  void tell_rebound(const Callback & callback);
  AttributeReport change_thread(const ThreadPlace & place, const ThreadAttributes & attributes);

  // executor_checks.cpp
  /// A callback's intended threads and priority.
  struct NewBinding
  {
    const Callback * callback;
    ThreadMask threads;
    int priority;
    bool across_priorities = false;  ///< the callback's group may span OS priorities
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
  void check_sets(
    const Callback & callback, const std::vector<NewBinding> & bindings, Faults & faults) const;
  /// A callback that runs in a group.
  struct Entrant
  {
    const Callback * callback;
    const Callback * takes;  ///< member whose messages the callback takes; null: it is a member
  };
  std::vector<Entrant> entrants(
    const Group & group, const std::vector<NewBinding> & bindings) const;
  void check_group(
    const Group & group, const std::vector<Entrant> & entrants,
    const std::vector<NewBinding> & bindings, const std::vector<ExecutorThreadOptions> & threads,
    Faults & faults) const;
  Faults check_taken(const Callback & added, const NonTriggering & rule) const;
  bool has(const Callback & callback) const;
  Faults check_id(const Callback & callback) const;
  Faults check_word(const Callback & callback, const ArrivalWord * word) const;
  void remove(Callback & callback, bool waits);
  Status add_publisher(Crew & crew, Callback & timer, const Binding & binding);
  LogicalTimes::Left remove_publisher(Crew & crew, const Callback & timer);

  /// Serialises set-up. At its end it frees the callbacks that were removed from inside themselves
  /// and have ended. The destructors of these callbacks may call set-up again.
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
  // The observers that watch runs.
  std::vector<Observer *> run_observers;
  bool observed() const noexcept
  {
    for (const Observer * const one :
         run_observers) {  // GCC calls std::any_of, which costs 3 % of a hop
      if (one->watches()) {
        return true;
      }
    }
    return false;
  }
  // The observers that watch idling, and those that watch parking.
  std::vector<Observer *> idle_observers;
  std::vector<Observer *> parking_observers;
  // The observers that want arrivals; a null ends the list. Messages may come while an observer is
  // added.
  static constexpr std::size_t kMostArrivalObservers = 7;
  std::array<std::atomic<Observer *>, kMostArrivalObservers + 1> arrival_observers{};

  std::atomic<std::uint32_t> cancel{0};
  std::atomic<std::uint32_t> events{0};  // futex for `wait`: a cancel, an end or a retirement
  std::atomic<Use> use{Use::none};
  std::atomic<std::uint64_t> exceptions{0};
  mutable std::mutex told_mutex;
  std::exception_ptr exception;  // the first one under `stop`
  Faults refusals;               // refused rights of the process, at the last start
  std::atomic<int> ceiling{0};

  std::mutex lifecycle;             // guards starting and joining
  std::shared_ptr<Ending> current;  // the spin in progress; may be null

  mutable std::mutex setup;  // serialises add, remove, bind, add_observer
  std::unordered_map<const Group *, std::vector<Callback *>> members;
  std::unordered_map<std::string_view, Callback *> isolated_ids;  // callbacks of isolated groups

  // Locked after `setup` and after `lifecycle`. Must be free during the join of threads that may
  // run a callback.
  std::mutex crews_mutex;
  bool running = false;              // the gate is open and no thread is being joined
  ThreadAttributes starter;          // attributes of the starting thread
  Time epoch{};                      // of the last start
  std::uint32_t next_number;         // of the next isolated thread
  std::atomic<bool> leaving{false};  // a crew ends; its threads are not joined yet

  LogicalTimes logical_times;
  const std::unique_ptr<Phases> phases;  // null: the options have no phases

  ExecutorThread visitor;
  // For spins on the caller's thread: the crew where the next search begins. Null: `main`.
  Crew * visit_next = nullptr;
  // Destroyed first, the isolated crews before `main`: their schedulers free callbacks, whose
  // captures may call `Executor::remove`, which uses the members above.
  Crew main;
  std::vector<std::unique_ptr<Crew>> owned_crews;  // set-up
  std::atomic<Crew *> crews{nullptr};              // the isolated crews, readable without a lock
};

}  // namespace takt_core

#endif  // TAKT_CORE__SRC__EXECUTOR_IMPL_HPP_
