#include "takt_rcl/pending_calls.hpp"

#include <algorithm>
#include <chrono>
#include <climits>
#include <mutex>
#include <utility>

#include "takt_rcl/context.hpp"
#include "takt_rt/futex.hpp"

namespace takt_rcl
{

PendingCalls::PendingCalls(std::uint32_t places) : places_(std::max(places, 1U))
{
}

void PendingCalls::end_waits_with(std::weak_ptr<const Context> context)
{
  context_ = std::move(context);
}

void PendingCalls::set(Place & place, State next) noexcept
{
  const std::uint32_t word = place.word.load(std::memory_order_relaxed);
  const std::uint32_t number = next == State::free ? use(word) + 1 : use(word);
  place.word.store(number * kStates + static_cast<std::uint32_t>(next), std::memory_order_release);
  if (place.future && (next == State::ready || next == State::free)) {
    takt_rt::futex_wake(place.word, INT_MAX);
  }
}

bool PendingCalls::is(const PendingCall & call, State expected) const noexcept
{
  if (!call) {
    return false;
  }
  const std::uint32_t word = places_[call.place].word.load(std::memory_order_acquire);
  return use(word) == call.use && state(word) == expected;
}

PendingCall PendingCalls::reserve(bool future) noexcept
{
  for (std::uint32_t i = 0; i < places_.size(); ++i) {
    Place & place = places_[i];
    if (state(place) == State::free) {
      place.future = future;
      place.number = 0;
      return {i, use(place.word.load(std::memory_order_relaxed)), future};
    }
  }
  return {};
}

void PendingCalls::await(const PendingCall & call, std::int64_t number, takt_rt::Time now) noexcept
{
  Place & place = places_[call.place];
  place.number = number;
  place.sent = now;
  set(place, State::pending);
}

void PendingCalls::release(const PendingCall & call) noexcept
{
  set(places_[call.place], State::free);
}

PendingCall PendingCalls::begin(std::int64_t number) noexcept
{
  const std::lock_guard lock(mutex_);
  for (std::uint32_t i = 0; i < places_.size(); ++i) {
    Place & place = places_[i];
    if (state(place) == State::pending && place.number == number) {
      set(place, State::running);
      return {i, use(place.word.load(std::memory_order_relaxed)), place.future};
    }
  }
  return {};
}

// A future may end between `begin` and here: then the place is free, or has another use.
void PendingCalls::finish(const PendingCall & call, void * response, std::int64_t number)
{
  if (call.future) {
    const std::lock_guard lock(mutex_);
    if (is(call, State::running)) {
      keep(call.place, response);
      set(places_[call.place], State::ready);
    }
    return;
  }
  this->call(call, response, number);
}

template <typename Which>
bool PendingCalls::forget_one(Which which)
{
  std::uint32_t found = PendingCall::kNone;
  {
    const std::lock_guard lock(mutex_);
    for (std::uint32_t i = 0; i < places_.size() && found == PendingCall::kNone; ++i) {
      Place & place = places_[i];
      if (state(place) == State::pending && which(place)) {
        found = i;
        set(place, place.future ? State::free : State::forgetting);
      }
    }
    if (found == PendingCall::kNone) {
      return false;
    }
    if (places_[found].future) {
      return true;
    }
  }
  drop(found);
  const std::lock_guard lock(mutex_);
  set(places_[found], State::free);
  return true;
}

bool PendingCalls::forget(std::int64_t number)
{
  return forget_one([&](const Place & place) { return place.number == number; });
}

std::size_t PendingCalls::forget_older(takt_rt::Time sent)
{
  std::size_t count = 0;
  while (forget_one([&](const Place & place) { return place.sent < sent; })) {
    ++count;
  }
  return count;
}

void PendingCalls::abandon(const PendingCall & call) noexcept
{
  if (!call) {
    return;
  }
  const std::lock_guard lock(mutex_);
  Place & place = places_[call.place];
  const std::uint32_t word = place.word.load(std::memory_order_relaxed);
  if (use(word) == call.use && state(word) != State::free) {
    set(place, State::free);
  }
}

std::size_t PendingCalls::pending() const noexcept
{
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
    std::count_if(places_.begin(), places_.end(), [](const Place & place) {
      return state(place) == State::pending || state(place) == State::running;
    }));
}

FutureStatus PendingCalls::status(const PendingCall & call) const noexcept
{
  if (is(call, State::ready)) {
    return FutureStatus::ready;
  }
  return is(call, State::pending) || is(call, State::running) ? FutureStatus::timeout
                                                              : FutureStatus::forgotten;
}

bool PendingCalls::context_ended() const noexcept
{
  if (!context_) {
    return false;
  }
  const auto context = context_->lock();
  return context == nullptr || !context->ok();
}

// A signal ends the context and wakes no future: so this thread looks again within milliseconds.
FutureStatus PendingCalls::wait(const PendingCall & call, takt_rt::Time until) const noexcept
{
  constexpr takt_rt::Duration kLook = std::chrono::milliseconds(10);
  for (;;) {
    if (!call) {
      return FutureStatus::forgotten;
    }
    const auto & word = places_[call.place].word;
    const std::uint32_t seen = word.load(std::memory_order_acquire);
    if (use(seen) != call.use || state(seen) == State::free) {
      return FutureStatus::forgotten;
    }
    if (state(seen) == State::ready) {
      return FutureStatus::ready;
    }
    const takt_rt::Time now = takt_rt::now();
    if (now >= until) {
      return FutureStatus::timeout;
    }
    if (context_ended()) {
      return FutureStatus::forgotten;
    }
    takt_rt::futex_wait(word, seen, std::min(until, now + kLook));
  }
}

}  // namespace takt_rcl
