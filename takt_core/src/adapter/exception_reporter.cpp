#include "takt_core/adapter/exception_reporter.hpp"

#include <pthread.h>
#include <sched.h>

#include <climits>
#include <utility>
#include <vector>

#include "takt_rt/futex.hpp"

namespace takt_core::adapter
{

using takt_rt::add_saturated;
using takt_rt::futex_wait;
using takt_rt::futex_wake;
using takt_rt::now;
using takt_rt::WaitResult;

ExceptionReporter::ExceptionReporter(Sink sink, Duration period)
: sink_(std::move(sink)),
  period_(period),
  thread_([this] { work(); })
{
}

ExceptionReporter::~ExceptionReporter()
{
  ended_.store(1);
  pending_.store(1);
  futex_wake(ended_, INT_MAX);
  futex_wake(pending_, INT_MAX);
  thread_.join();
}

void ExceptionReporter::on_added(const Callback & callback)
{
  std::lock_guard lock(mutex_);
  ids_[callback.number()] = callback.id();
}

void ExceptionReporter::on_removed(const Callback & callback)
{
  std::lock_guard lock(mutex_);
  bool untold = false;
  for (Slot & slot : slots_) {
    if (slot.callback.load(std::memory_order_relaxed) != callback.number()) {
      continue;
    }
    if (slot.count.load(std::memory_order_relaxed) == 0) {
      free(slot);
    } else {
      slot.removed = true;
      untold = true;
    }
  }
  if (!untold) {
    ids_.erase(callback.number());
  }
}

// Frees the slot. With the mutex held.
void ExceptionReporter::free(Slot & slot)
{
  slot.told = 0;
  slot.removed = false;
  if (!slot.writing.exchange(true, std::memory_order_acquire)) {
    slot.text.front() = '\0';
    slot.writing.store(false, std::memory_order_release);
  }
  slot.callback.store(0, std::memory_order_release);
}

// Searches all slots for the callback's own slot before claiming a free one: the removal of another
// callback may have freed an earlier slot.
ExceptionReporter::Slot * ExceptionReporter::slot_of(std::uint32_t callback) noexcept
{
  const auto nth = [&](std::size_t i) -> Slot & { return slots_[(callback + i) % kCallbacks]; };
  for (std::size_t i = 0; i < kCallbacks; ++i) {
    if (nth(i).callback.load(std::memory_order_acquire) == callback) {
      return &nth(i);
    }
  }
  for (std::size_t i = 0; i < kCallbacks; ++i) {
    Slot & slot = nth(i);
    std::uint32_t owner = slot.callback.load(std::memory_order_acquire);
    if (
      owner == 0 && slot.callback.compare_exchange_strong(
                      owner, callback, std::memory_order_acq_rel, std::memory_order_acquire)) {
      return &slot;
    }
    if (owner == callback) {  // another run of the same callback claimed the slot meanwhile
      return &slot;
    }
  }
  return nullptr;
}

void ExceptionReporter::copy_text(Slot & slot, const std::exception_ptr & exception) noexcept
{
  if (slot.writing.exchange(true, std::memory_order_acquire)) {
    return;
  }
  const auto copy = [&](const char * text) {
    std::size_t n = 0;
    for (; n + 1 < slot.text.size() && text[n] != '\0'; ++n) {
      slot.text[n] = static_cast<unsigned char>(text[n]) < ' ' ? ' ' : text[n];
    }
    slot.text[n] = '\0';
  };
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception & error) {
    copy(error.what());
  } catch (...) {
    copy("");
  }
  slot.writing.store(false, std::memory_order_release);
}

void ExceptionReporter::on_exception(const Run & run, const std::exception_ptr & exception) noexcept
{
  if (Slot * const slot = slot_of(run.callback->number()); slot == nullptr) {
    others_.fetch_add(1, std::memory_order_relaxed);
  } else if (slot->count.fetch_add(1, std::memory_order_release) == 0) {
    copy_text(*slot, exception);
  }
  if (pending_.exchange(1, std::memory_order_seq_cst) == 0) {
    futex_wake(pending_, 1);
  }
}

void ExceptionReporter::work()
{
  // The reporter must not inherit the creator's priority.
  const sched_param ordinary{};
  ::pthread_setschedparam(::pthread_self(), SCHED_OTHER, &ordinary);
  ::pthread_setname_np(::pthread_self(), "takt.report");
  while (ended_.load() == 0) {
    while (pending_.load(std::memory_order_seq_cst) == 0) {
      futex_wait(pending_, 0);
    }
    // After this exchange the counts of each thread that set `pending_`, or found it set, are
    // visible.
    pending_.exchange(0, std::memory_order_acq_rel);
    tell();
    const Time until = add_saturated(now(), period_);
    while (ended_.load() == 0 && futex_wait(ended_, 0, until) != WaitResult::timed_out) {
    }
  }
  tell();
}

void ExceptionReporter::tell()
{
  std::vector<std::string> lines;
  {
    std::lock_guard lock(mutex_);
    std::uint64_t left = others_.exchange(0, std::memory_order_relaxed);
    for (Slot & slot : slots_) {
      const std::uint64_t count = slot.count.exchange(0, std::memory_order_acquire);
      if (count == 0) {
        continue;
      }
      // 0: `on_removed` freed the slot after the throwing thread had found it and before that
      // thread counted.
      const std::uint32_t number = slot.callback.load(std::memory_order_relaxed);
      slot.told += count;
      if (number != 0 && lines.size() < kLines) {
        lines.push_back(sentence(slot, count));
      } else {
        left += count;
      }
      // A callback that was removed inside its own run may throw after `on_removed`.
      if (slot.removed || ids_.count(number) == 0) {
        free(slot);
        ids_.erase(number);
      }
    }
    if (left > 0) {
      lines.push_back("further callbacks threw " + std::to_string(left) + " times");
    }
  }
  for (const std::string & line : lines) {
    sink_(line);
  }
}

// The line about a callback that threw `count` times. With the mutex held.
std::string ExceptionReporter::sentence(Slot & slot, std::uint64_t count)
{
  const std::uint32_t number = slot.callback.load(std::memory_order_relaxed);
  const auto found = ids_.find(number);
  std::string text =
    "callback " + (found != ids_.end() ? found->second : "number " + std::to_string(number)) +
    " threw " + (count == 1 ? std::string("once") : std::to_string(count) + " times");
  if (slot.told != count) {
    text += ", " + std::to_string(slot.told) + " times in all";
  }
  if (!slot.writing.exchange(true, std::memory_order_acquire)) {
    if (slot.text.front() != '\0') {
      text += std::string("; it said: ") + slot.text.data();
    }
    slot.writing.store(false, std::memory_order_release);
  }
  return text;
}

}  // namespace takt_core::adapter
