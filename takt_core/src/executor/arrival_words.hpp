// The arrival words (arrival_word.hpp) of a crew's callbacks: looked at before each dispatch, and slept on.
//
// Two rules let a source wake just one sleeper. A thread sleeps only on words of callbacks that it may run. And a set-up function that
// takes a word from a thread returns after the thread has left the sleep on it, and then has the others look
// again: the thread may have got a wake-up that was meant for them.
//
// A thread that goes to sleep notes the present generation first and collects its words then; set-up changes the words first, and
// then the generation. So a thread whose noted generation is not old has the present words.
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

/// What one thread sleeps on. On its stack.
class SleepWords
{
public:
  explicit SleepWords(const std::atomic<std::uint32_t> & own) noexcept { add(own, 0, false); }

  bool full() const noexcept { return count_ == all_.size(); }
  void add(const std::atomic<std::uint32_t> & word, std::uint32_t expected, bool shared) noexcept
  {
    all_[count_++] = {&word, expected, shared};
  }
  /// Until one of the words is woken, or `until`. Blocks by design.
  void sleep(Time until) const noexcept { takt_rt::futex_wait_any(all_.data(), count_, until); }

private:
  std::array<takt_rt::AwaitedWord, takt_rt::kMostAwaitedWords> all_;
  std::size_t count_ = 0;
};

class ArrivalWords
{
public:
  /// Of `scheduler`, which may be made and ended later and earlier. `waker` wakes its `threads` and its visitor.
  ArrivalWords(Scheduler & scheduler, std::uint32_t threads, Waker & waker);

  // ---- set-up: one caller at a time; may block ----

  std::size_t size() const noexcept { return count_.load(std::memory_order_seq_cst); }
  /// The callback is in the scheduler. At most ArrivalWord::kMost.
  void add(Callback & callback, ArrivalWord & word);
  /// Before the scheduler removes the callback. Afterwards no thread uses the word or sleeps on it.
  void remove(const Callback & callback);
  /// Callbacks have moved to other threads.
  void moved();

  // ---- a thread of the crew, or the visitor; real-time safe ----

  bool empty() const noexcept { return count_.load(std::memory_order_seq_cst) == 0; }
  /// Lets the changed words of the thread's callbacks announce their messages. One load without words.
  void look(std::uint32_t thread) noexcept
  {
    if (!empty()) {
      look_at_all(thread);
    }
  }
  /// For a thread that is registered as idle: adds its words. False if one has changed: then it must not sleep.
  bool collect(std::uint32_t thread, SleepWords & words) noexcept;
  /// The thread does not sleep, or not any more. After each `collect`.
  void awake(std::uint32_t thread) noexcept { asleep_[thread].store(0, std::memory_order_seq_cst); }

private:
  struct Entry
  {
    Callback * callback = nullptr;
    ArrivalWord * source = nullptr;
    const std::atomic<std::uint32_t> * word = nullptr;
    std::uint32_t last = 0;  // its value at the last look

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
  const std::unique_ptr<std::atomic<std::uint64_t>[]> asleep_;  // per thread and visitor; 0: awake
  takt_rt::PiMutex mutex_;
  std::array<Entry, ArrivalWord::kMost> entries_{};  // guarded by mutex_, the first count_
};

}  // namespace takt_core

#endif  // TAKT_CORE__SRC__ARRIVAL_WORDS_HPP_
