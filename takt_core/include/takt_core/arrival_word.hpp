// Messages that no thread announces: a publisher, perhaps in another process, only changes a word
// and wakes one thread that sleeps on the word.
//
// A callback has such a word if `Callback::arrival_word` returns one. The executor threads that may
// run the callback look at the word before each dispatch. When idle, they sleep on the word and on
// their own word at the same time. So an arrival wakes the thread that runs the callback, without a
// thread in between.
//
//     source (any process)                      executor thread
//     ────────────────────                      ──────────────────────────────────────────
//     makes the message visible                 word differs from its last value?
//     word.fetch_add(1)                           → changed(): announces what came → dispatch
//     futex_wake_shared(word, 1)      ──►       sleeps while the word has its last value
//
// The source first makes the message visible, then changes the word with sequential consistency.
// The source wakes one sleeper: all idle threads of the callback's set sleep on the word, and the
// kernel wakes the most urgent of these. Other threads do not sleep on the word. When a callback
// leaves its executor or is bound to other threads, its former threads stop sleeping on its word.
#ifndef TAKT_CORE__ARRIVAL_WORD_HPP_
#define TAKT_CORE__ARRIVAL_WORD_HPP_

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace takt_core
{

class ArrivalWord
{
public:
  /// The most callbacks with an arrival word in one executor: the kernel's limit less one, for the
  /// thread's own word.
  static constexpr std::size_t kMost = 127;

  /// The word. It must be the same object as long as the callback is in its executor. Threads sleep
  /// on it by `futex_wait_shared`, so processes may share it. Any thread; real-time safe.
  virtual const std::atomic<std::uint32_t> & word() const noexcept = 0;

  /// Announces the messages that came, as their source's listener would (`Executor::ready`). The
  /// executor calls this function first when the callback was added, then whenever the word has
  /// changed since the last call. The calls come from executor threads, one at a time; another
  /// thread may take messages during a call. Each announcement without a message costs an empty
  /// take. A message without an announcement waits until the next message comes. Real-time safe;
  /// must not call the executor's set-up functions.
  virtual void changed() noexcept = 0;

protected:
  ~ArrivalWord() = default;
};

}  // namespace takt_core

#endif  // TAKT_CORE__ARRIVAL_WORD_HPP_
