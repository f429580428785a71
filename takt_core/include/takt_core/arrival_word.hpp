// Messages that no thread announces: a publisher, perhaps in another process, only changes a word and wakes a sleeper on it.
//
// A callback has such a word if it says so (`Callback::arrival_word`). The executor threads that may run the callback
// then look at the word before each dispatch, and sleep on it beside their own word where they are idle. So an arrival
// wakes the thread that runs the callback, and no thread between.
//
//     source (any process)                      executor thread
//     ────────────────────                      ──────────────────────────────────────────
//     makes the message visible                 word differs from its last value?
//     word.fetch_add(1)                           → changed(): announces what came → dispatch
//     futex_wake_shared(word, 1)      ──►       sleeps while the word has its last value
//
// The source changes the word after the message is visible, and with sequential consistency. It wakes one sleeper: all
// idle threads of the callback's set sleep on the word, and the kernel wakes the most urgent of them. No other thread
// sleeps on it: after a callback has left its executor, or its threads, none does any more.
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
  /// Most callbacks with such a word in one executor: the kernel's limit, with one place for the thread's own word.
  static constexpr std::size_t kMost = 127;

  /// The word: the same one as long as the callback is in its executor. It is slept on as a word that processes share
  /// (`futex_wait_shared`). Any thread; real-time safe.
  virtual const std::atomic<std::uint32_t> & word() const noexcept = 0;

  /// The word has changed since the last call, or this is the first one: announces the messages that came, as their
  /// source's listener would (`Executor::ready`). On an executor thread, one call at a time, perhaps while another
  /// thread takes. Too many announced messages cost an empty take each; too few stay until the next message. Real-time safe;
  /// must not call the executor's set-up functions.
  virtual void changed() noexcept = 0;

protected:
  ~ArrivalWord() = default;
};

}  // namespace takt_core

#endif  // TAKT_CORE__ARRIVAL_WORD_HPP_
