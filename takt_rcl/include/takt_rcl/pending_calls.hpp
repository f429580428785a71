// The unanswered requests of one client: a bounded number of places, which `Client` makes at its
// creation.
//
//     free ──► pending ──► running ──► free        a request with a callback
//                     └──► ready   ──► free        one with a future, which frees the place
//
// Each use of a place has a number of its own, so that a future notices that its request was
// forgotten.
#ifndef TAKT_RCL__PENDING_CALLS_HPP_
#define TAKT_RCL__PENDING_CALLS_HPP_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "takt_rt/pi_mutex.hpp"
#include "takt_rt/time.hpp"

namespace takt_rcl
{

class Context;

/// The result of waiting for a response.
enum class FutureStatus : std::uint8_t
{
  ready,
  timeout,
  forgotten,  ///< no response will come: the request was refused, forgotten or answered and taken,
              ///< or its client ended. Of a wait, too: the context ended before the response came.
};

/// The message objects of one executor's runs, one per lane.
class ResponseLanes
{
public:
  virtual ~ResponseLanes() = default;
  virtual void * response(std::uint32_t lane) = 0;
};

/// One use of a place.
struct PendingCall
{
  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::uint32_t place = kNone;
  std::uint32_t use = 0;
  bool future = false;  ///< the response goes to a future, not to a callback
  explicit operator bool() const noexcept { return place != kNone; }
};

/// The places, without their types. Any thread. Real-time safe unless stated otherwise: waits at
/// most for another call of the same client, with priority inheritance. Moves of responses, and of
/// functions into their place, run under the mutex. Moves of functions out of their place, and
/// destructors of functions, do not.
class PendingCalls
{
public:
  /// Set-up only.
  explicit PendingCalls(std::uint32_t places);
  virtual ~PendingCalls() = default;
  PendingCalls(const PendingCalls &) = delete;
  PendingCalls & operator=(const PendingCalls &) = delete;

  /// Waits end when `context` has ended. Set-up only, before the first request.
  void end_waits_with(std::weak_ptr<const Context> context);
  /// Room for `lanes` concurrent runs. Set-up only.
  virtual std::unique_ptr<ResponseLanes> make_lanes(std::uint32_t lanes) const = 0;

  /// Held while a request is sent, so that its response finds its place.
  takt_rt::PiMutex & mutex() noexcept { return mutex_; }

  // ---- with the mutex held ----

  /// A free place, or none.
  PendingCall reserve(bool future) noexcept;
  /// The request was sent with this number.
  void await(const PendingCall & call, std::int64_t number, takt_rt::Time now) noexcept;
  /// The request was not sent.
  void release(const PendingCall & call) noexcept;

  // ---- without ----

  /// The run of this response begins; none: the client does not wait for it.
  PendingCall begin(std::int64_t number) noexcept;
  /// Gives the response to the callback or the future, and ends the run.
  void finish(const PendingCall & call, void * response, std::int64_t number);

  /// Forgets one request; false if it is not pending. Its function is destroyed here.
  bool forget(std::int64_t number);
  /// Forgets requests older than `sent`; returns their number.
  std::size_t forget_older(takt_rt::Time sent);
  /// A future ends: its place becomes free.
  void abandon(const PendingCall & call) noexcept;
  /// Requests without a response.
  std::size_t pending() const noexcept;

  FutureStatus status(const PendingCall & call) const noexcept;
  /// May block: until the response is there, the request is forgotten, the context has ended, or
  /// the time has come.
  FutureStatus wait(const PendingCall & call, takt_rt::Time until) const noexcept;

protected:
  /// Takes the function out of the place, frees the place, and calls the function. Without the
  /// mutex.
  virtual void call(const PendingCall & call, const void * response, std::int64_t number) = 0;
  /// Moves the response into the place. With the mutex.
  virtual void keep(std::uint32_t place, void * response) noexcept = 0;
  /// Destroys the function of the place. Without the mutex, while the place is not free yet.
  virtual void drop(std::uint32_t place) noexcept = 0;

private:
  enum class State : std::uint32_t
  {
    free,
    pending,
    running,
    ready,
    forgetting,  // of a request with a callback, whose function is being destroyed
  };
  struct Place
  {
    std::atomic<std::uint32_t> word{0};  // number of the use, and the state
    bool future = false;
    std::int64_t number = 0;
    takt_rt::Time sent{};
  };

  static constexpr std::uint32_t kStates = 8;
  static State state(std::uint32_t word) noexcept { return static_cast<State>(word % kStates); }
  static std::uint32_t use(std::uint32_t word) noexcept { return word / kStates; }
  static State state(const Place & place) noexcept { return state(place.word.load()); }
  bool context_ended() const noexcept;
  bool is(const PendingCall & call, State expected) const noexcept;
  // With the mutex: changes the state and wakes futures that wait; a free place gets its next use.
  static void set(Place & place, State next) noexcept;
  // Without the mutex: forgets the first pending request that `which` chooses; false: none.
  template <typename Which>
  bool forget_one(Which which);

  std::vector<Place> places_;
  std::optional<std::weak_ptr<const Context>> context_;
  mutable takt_rt::PiMutex mutex_;
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__PENDING_CALLS_HPP_
