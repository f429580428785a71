// The arrival words (arrival_word.hpp) of a crew's callbacks. Threads look at them before each
// dispatch, and sleep on them.
//
// Two rules let a source wake just one sleeper. A thread sleeps only on words of callbacks that it
// may run. And a set-up function that takes a word from a thread first waits until the thread has
// left the sleep on the word, and then wakes all threads: the first thread may have got a wake-up
// that was meant for another one.
//
// A thread that goes to sleep first notes the generation and then collects its words. Set-up first
// changes the words and then the generation. So a thread that noted the newest generation has the
// present words.
#ifndef TAKT_CORE__SRC__ARRIVAL_WORDS_HPP_
#define TAKT_CORE__SRC__ARRIVAL_WORDS_HPP_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "takt_core/arrival_word.hpp"
#include "takt_core/scheduler.hpp"
#include "takt_core/waker.hpp"
#include "takt_rt/futex.hpp"
#include "takt_rt/pi_mutex.hpp"

namespace takt_core
{

/// The words on which one thread sleeps. On the thread's stack.
class SleepWords
{
public:
  explicit SleepWords(const std::atomic<std::uint32_t> & own) noexcept { add(own, 0, false); }

  bool full() const noexcept { return count_ == all_.size(); }
  void add(const std::atomic<std::uint32_t> & word, std::uint32_t expected, bool shared) noexcept
  {
    all_[count_++] = {&word, expected, shared};
  }
  /// Sleeps until a wake-up on one of the words, or until `until`. Blocks by design.
  void sleep(Time until) const noexcept { takt_rt::futex_wait_any(all_.data(), count_, until); }

private:
  std::array<takt_rt::AwaitedWord, takt_rt::kMostAwaitedWords> all_;
  std::size_t count_ = 0;
};

class ArrivalWords
{
public:
  /// The words of the callbacks of `scheduler`. `scheduler` may be constructed after this object,
  /// and must be destroyed before it. `waker` wakes the scheduler's `threads` and its visitor.
  ArrivalWords(Scheduler & scheduler, std::uint32_t threads, Waker & waker);

  // ---- set-up: one caller at a time; may block ----

  std::size_t size() const noexcept { return count_.load(std::memory_order_seq_cst); }
  /// Adds the word of a callback that is in the scheduler. At most ArrivalWord::kMost.
  void add(Callback & callback, ArrivalWord & word);
  /// Call before the scheduler removes the callback. Afterwards no thread uses the word or sleeps
  /// on it.
  void remove(const Callback & callback);
  /// Call after callbacks have moved to other threads.
  void moved();

  // ---- a thread of the crew, or the visitor; real-time safe ----

  bool empty() const noexcept { return count_.load(std::memory_order_seq_cst) == 0; }
  /// Lets the changed words of the thread's callbacks announce their messages. Costs one load if
  /// there are no words.
  void look(std::uint32_t thread) noexcept
  {
    if (!empty()) {
      look_at_all(thread);
    }
  }
  /// For a thread that is registered as idle: adds the words of its callbacks to `words`. False if
  /// a word has changed: then the thread must not sleep.
  bool collect(std::uint32_t thread, SleepWords & words) noexcept;
  /// Call after each `collect`, when the thread does not sleep or has woken up.
  void awake(std::uint32_t thread) noexcept { asleep_[thread].store(0, std::memory_order_seq_cst); }

private:
  struct Entry
  {
    Callback * callback = nullptr;
    ArrivalWord * source = nullptr;
    const std::atomic<std::uint32_t> * word = nullptr;
    std::uint32_t last = 0;  // the word's value at the last look

    bool has_changed() const noexcept { return word->load(std::memory_order_seq_cst) != last; }
  };

  void look_at_all(std::uint32_t thread) noexcept;
  bool may_run(const Entry & entry, std::uint32_t thread) const noexcept;
  void renew_sleeps();

  Scheduler & scheduler_;
  const std::uint32_t visitor_;
  Waker & waker_;
  std::atomic<std::size_t> count_{0};
  std::atomic<std::uint64_t> generation_{1};
  // One for each thread and the visitor; 0: awake.
  const std::unique_ptr<std::atomic<std::uint64_t>[]> asleep_;
  takt_rt::PiMutex mutex_;
  // The first `count_` entries are in use. Guarded by mutex_.
  std::array<Entry, ArrivalWord::kMost> entries_{};
};

}  // namespace takt_core

#endif  // TAKT_CORE__SRC__ARRIVAL_WORDS_HPP_
