// Runs real lock-free code through every interleaving of its accesses to shared words.
//
// The code under test is a template over its words, and on its mutex where it has one. On
// `SteppedWord` each access switches to the explorer, which chooses the next thread. Threads are
// fibers. An execution is repeated from its start for each choice. A state (the values of all words
// and all that each thread has read so far) is explored once, so loops are allowed.
//
// A store that is not sequentially consistent waits in its thread's buffer until the explorer makes
// it visible, as the C++ memory model allows and x86 does; so the test finds a store that needs to
// be sequentially consistent and is not. `Weakness` makes the words weaker than requested: a broken
// twin of the real code without one fence or one re-check.
#ifndef SUPPORT__STEPPER_HPP_
#define SUPPORT__STEPPER_HPP_

#include <ucontext.h>

#include <atomic>
#include <bit>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

namespace takt_rt::test
{

struct Weakness
{
  bool no_fences = false;            ///< sequentially consistent stores are plain stores
  bool stale_relaxed_loads = false;  ///< a relaxed load returns what this thread saw last
};

class Stepper
{
public:
  /// Explores `Model`, which is constructed anew for each execution, at the same address. Its
  /// `threads()` are its threads' functions; its `at_end()` judges it when no thread can continue.
  /// Returns the first result of `at_end()` that is not good, else a default one. Models must not
  /// own memory that a thread's stack owns.
  template <typename Model, typename... Arguments>
  auto explore(Weakness weakness, const Arguments &... arguments)
  {
    using Verdict = decltype(std::declval<Model &>().at_end());
    alignas(64) static unsigned char place[sizeof(Model)];
    weakness_ = weakness;
    visited_.clear();
    path_.clear();
    executions_ = 0;
    Verdict verdict;
    do {
      words_.clear();
      active_ = this;
      auto * const model = new (place) Model(arguments...);
      start(model->threads());
      verdict = execute() ? model->at_end() : Verdict{};
      model->~Model();
      active_ = nullptr;
      ++executions_;
    } while (verdict.good() && advance());
    return verdict;
  }

  /// The number of distinct states of the last exploration.
  std::size_t states() const noexcept { return visited_.size(); }
  std::size_t executions() const noexcept { return executions_; }

  /// The explorer in progress, or nullptr.
  static Stepper * active() noexcept { return active_; }

  // ---- for words: called by a thread of the model, or while the model is set up or judged ----

  void add(std::uint64_t * word) { words_.push_back(word); }
  std::uint64_t load(std::uint64_t * word, std::memory_order order);
  void store(std::uint64_t * word, std::uint64_t value, std::memory_order order);
  /// Reads and writes the word in one step, once `may_go_on` returns true (null: at once).
  std::uint64_t modify(
    std::uint64_t * word, const std::function<std::uint64_t(std::uint64_t)> & change,
    std::function<bool()> may_go_on = nullptr);

  /// Waits until `may_go_on` returns true, which must depend on words only.
  void wait(std::function<bool()> may_go_on);

  /// Adds `value` to the thread's part of the state: for data that is guarded by a mutex.
  void remember(std::uint64_t value) noexcept;
  std::uint64_t memory() const noexcept;

private:
  struct Store
  {
    std::uint64_t * word;
    std::uint64_t value;
  };
  struct Fiber
  {
    ucontext_t context{};
    std::function<void()> body;
    std::function<bool()> may_go_on;  // null: always
    std::deque<Store> buffer;
    std::map<const std::uint64_t *, std::uint64_t> seen;
    std::uint64_t memory = 0;
    bool done = false;
  };
  struct Choice
  {
    std::size_t chosen;
    std::size_t of;
  };

  static void run_fiber();
  void start(std::vector<std::function<void()>> bodies);
  bool execute();
  bool advance();
  std::pair<std::uint64_t, std::uint64_t> state() const;
  void step(std::function<bool()> may_go_on = nullptr);
  void resume(std::size_t fiber);
  void flush_one(Fiber & fiber);

  inline static Stepper * active_ = nullptr;

  Weakness weakness_;
  std::vector<std::uint64_t *> words_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  Fiber * current_ = nullptr;
  ucontext_t explorer_{};
  std::set<std::pair<std::uint64_t, std::uint64_t>> visited_;
  std::vector<Choice> path_;
  std::size_t executions_ = 0;
};

/// Replaces std::atomic.
template <typename T>
class SteppedWord
{
public:
  SteppedWord() : SteppedWord(T{}) {}
  SteppedWord(T value) : bits_(bits(value))  // NOLINT: as std::atomic
  {
    Stepper::active()->add(&bits_);
  }
  SteppedWord(const SteppedWord &) = delete;
  SteppedWord & operator=(const SteppedWord &) = delete;

  T load(std::memory_order order = std::memory_order_seq_cst) const noexcept
  {
    return value(Stepper::active()->load(&bits_, order));
  }
  void store(T next, std::memory_order order = std::memory_order_seq_cst) noexcept
  {
    Stepper::active()->store(&bits_, bits(next), order);
  }
  T exchange(T next, std::memory_order = std::memory_order_seq_cst) noexcept
  {
    return modified([&](T) { return next; });
  }
  T fetch_add(T n, std::memory_order = std::memory_order_seq_cst) noexcept
  {
    return modified([&](T old) { return static_cast<T>(old + n); });
  }
  T fetch_sub(T n, std::memory_order = std::memory_order_seq_cst) noexcept
  {
    return modified([&](T old) { return static_cast<T>(old - n); });
  }
  T fetch_and(T n, std::memory_order = std::memory_order_seq_cst) noexcept
  {
    return modified([&](T old) { return static_cast<T>(old & n); });
  }
  T fetch_or(T n, std::memory_order = std::memory_order_seq_cst) noexcept
  {
    return modified([&](T old) { return static_cast<T>(old | n); });
  }
  bool compare_exchange_strong(
    T & expected, T next, std::memory_order = std::memory_order_seq_cst,
    std::memory_order = std::memory_order_seq_cst) noexcept
  {
    const T wanted = expected;
    expected = modified([&](T old) { return old == wanted ? next : old; });
    return expected == wanted;
  }
  bool compare_exchange_weak(
    T & expected, T next, std::memory_order = std::memory_order_seq_cst,
    std::memory_order = std::memory_order_seq_cst) noexcept
  {
    return compare_exchange_strong(expected, next);
  }

  /// The value that all threads see; not a step.
  T visible() const noexcept { return value(bits_); }

private:
  static std::uint64_t bits(T value) noexcept
  {
    if constexpr (std::is_pointer_v<T>) {
      return reinterpret_cast<std::uint64_t>(value);
    } else {
      return static_cast<std::uint64_t>(value);
    }
  }
  static T value(std::uint64_t bits) noexcept
  {
    if constexpr (std::is_pointer_v<T>) {
      return reinterpret_cast<T>(bits);
    } else {
      return static_cast<T>(bits);
    }
  }
  template <typename Change>
  T modified(const Change & change) noexcept
  {
    return value(Stepper::active()->modify(
      &bits_, [&](std::uint64_t old) { return bits(change(value(old))); }));
  }

  mutable std::uint64_t bits_;
};

/// Replaces PiMutex. The state of a thread that locks the mutex includes the state of the last
/// holder.
class SteppedMutex
{
public:
  SteppedMutex() { Stepper::active()->add(&locked_); }
  SteppedMutex(const SteppedMutex &) = delete;
  SteppedMutex & operator=(const SteppedMutex &) = delete;

  void lock() noexcept
  {
    Stepper & stepper = *Stepper::active();
    stepper.modify(
      &locked_, [](std::uint64_t) { return 1; }, [this] { return locked_ == 0; });
    stepper.remember(guarded_);
  }
  void unlock() noexcept
  {
    Stepper & stepper = *Stepper::active();
    guarded_ = stepper.memory();
    stepper.store(&locked_, 0, std::memory_order_release);
  }
  /// Whether any thread holds the mutex. For assertions; not a step.
  bool held() const noexcept { return locked_ != 0; }

private:
  std::uint64_t locked_ = 0;
  std::uint64_t guarded_ = 0;
};

struct SteppedSync
{
  template <typename T>
  using Word = SteppedWord<T>;
  using Mutex = SteppedMutex;
};

}  // namespace takt_rt::test

#endif  // SUPPORT__STEPPER_HPP_
