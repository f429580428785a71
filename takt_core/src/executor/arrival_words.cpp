#include "executor/arrival_words.hpp"

#include <cassert>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>

#include "takt_core/activation.hpp"
#include "takt_core/message_key.hpp"
#include "takt_core/wake_deferral.hpp"

namespace takt_core
{

ArrivalWords::ArrivalWords(Scheduler & scheduler, std::uint32_t threads, Waker & waker)
: scheduler_(scheduler),
  visitor_(threads),
  waker_(waker),
  asleep_(std::make_unique<std::atomic<std::uint64_t>[]>(threads + 1))
{
}

void ArrivalWords::add(Callback & callback, ArrivalWord & word)
{
  {
    const std::lock_guard lock(mutex_);
    const std::size_t count = size();
    assert(count < entries_.size());
    const std::atomic<std::uint32_t> & slept_on = word.word();
    // The value before the present one, so that the first look finds the word changed.
    entries_[count] = {&callback, &word, &slept_on, slept_on.load(std::memory_order_seq_cst) - 1};
    count_.store(count + 1, std::memory_order_seq_cst);
  }
  renew_sleeps();
}

void ArrivalWords::remove(const Callback & callback)
{
  {
    const std::lock_guard lock(mutex_);
    const std::size_t count = size();
    std::size_t place = 0;
    while (place < count && entries_[place].callback != &callback) {
      ++place;
    }
    if (place == count) {
      return;
    }
    entries_[place] = entries_[count - 1];
    entries_[count - 1] = {};
    count_.store(count - 1, std::memory_order_seq_cst);
  }
  renew_sleeps();
}

void ArrivalWords::moved()
{
  if (!empty()) {
    renew_sleeps();
  }
}

// Wakes the threads that sleep with old words, and waits until they have left the sleep. To leave,
// a thread needs no lock, only its core.
void ArrivalWords::renew_sleeps()
{
  const std::uint64_t present = generation_.fetch_add(1, std::memory_order_seq_cst) + 1;
  const auto wake_all = [&] {
    for (std::uint32_t thread = 0; thread <= visitor_; ++thread) {
      waker_.wake(thread);
    }
  };
  wake_all();
  for (std::uint32_t thread = 0; thread <= visitor_; ++thread) {
    for (;;) {
      const std::uint64_t noted = asleep_[thread].load(std::memory_order_seq_cst);
      if (noted == 0 || noted >= present) {
        break;
      }
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
  // A message may have woken a thread that left, in place of one that sleeps with the new words.
  wake_all();
}

bool ArrivalWords::may_run(const Entry & entry, std::uint32_t thread) const noexcept
{
  return thread == visitor_ || (scheduler_.threads(*entry.callback) >> thread & 1) != 0;
}

void ArrivalWords::look_at_all(std::uint32_t thread) noexcept
{
  const std::lock_guard lock(mutex_);
  const std::size_t count = size();
  for (std::size_t i = 0; i < count; ++i) {
    Entry & entry = entries_[i];
    // The taker of a non-triggering callback may be on another thread than the callback's own.
    const bool mine = may_run(entry, thread) || entry.callback->non_triggering();
    if (!entry.has_changed() || !mine) {
      continue;
    }
    // Read the word before `changed` looks for messages: a message that comes later changes the
    // word again.
    entry.last = entry.word->load(std::memory_order_seq_cst);
    // The visitor may be inside a callback of another executor. These messages do not belong to
    // that callback's activations.
    static const ActivationSet nobody;
    const ActivationScope scope(nobody);
    const MessageScope unnamed(0);
    // This thread looks for work next, so the messages need not wake another thread.
    std::optional<WakeDeferral> deferral;
    if (thread != visitor_) {
      deferral.emplace(scheduler_, thread);
    }
    entry.source->changed();
  }
}

bool ArrivalWords::collect(std::uint32_t thread, SleepWords & words) noexcept
{
  asleep_[thread].store(generation_.load(std::memory_order_seq_cst), std::memory_order_seq_cst);
  const std::lock_guard lock(mutex_);
  const std::size_t count = size();
  for (std::size_t i = 0; i < count; ++i) {
    const Entry & entry = entries_[i];
    // A non-triggering callback's messages wake no thread: `look_at_all` finds them when the
    // taker's thread looks.
    if (!may_run(entry, thread) || entry.callback->non_triggering()) {
      continue;
    }
    if (entry.has_changed() || words.full()) {
      return false;
    }
    words.add(*entry.word, entry.last, true);
  }
  return true;
}

}  // namespace takt_core
