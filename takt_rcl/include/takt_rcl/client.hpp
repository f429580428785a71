// Clients of services of ordinary rosidl types.
//
// A client's callback takes one response and gives it to the function or to the future of its
// request. The client has a bounded number of places for unanswered requests. A request that finds
// no place is refused and counted; nothing grows while a service is silent.
//
//     client->async_send_request(request, [](const Response & response) { ... });
//
//     auto future = client->async_send_request(request);
//     if (future.wait_for(100ms) == FutureStatus::ready) { use(*future.get()); }
//
// `wait_for` throws `Error` where waiting would hold up the executor thread that alone could take
// the response, or could serve the request: on this thread of this executor, or in the same
// mutually exclusive group. A wait ends, with `forgotten`, when the context ends: by a signal or by
// a shutdown. The end of an executor ends no wait, because another executor may take the response.
#ifndef TAKT_RCL__CLIENT_HPP_
#define TAKT_RCL__CLIENT_HPP_

#include <rcl/event_callback.h>
#include <rmw/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <rosidl_typesupport_cpp/service_type_support.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "takt_core/middleware_ceiling.hpp"
#include "takt_rcl/entity.hpp"
#include "takt_rcl/memory/inline_function.hpp"
#include "takt_rcl/message_info.hpp"
#include "takt_rcl/pending_calls.hpp"
#include "takt_rcl/qos.hpp"

namespace takt_rcl
{

/// Options of Node::create_client.
struct ClientOptions : EntityOptions
{
  QoS qos = ServicesQoS();
  /// Places for requests without a response, and for responses of futures that the program keeps;
  /// 0: the history's depth. More responses than that depth may be lost if they come faster than
  /// the callback takes them.
  std::uint32_t pending = 0;
  /// A request that finds no place takes that of a request which has waited for longer than this.
  /// Without it, requests that a service has left unanswered, for instance because it ended, keep
  /// their places until the program forgets them.
  takt_rt::Duration forget_after = takt_rt::kForever;
};

struct ClientShared;

/// A client of any type.
class ClientBase : public Entity, public std::enable_shared_from_this<ClientBase>
{
public:
  /// Makes so many places for requests.
  using MakeCalls = std::function<std::shared_ptr<PendingCalls>(std::uint32_t places)>;

  /// For Node::create_client. Set-up only. Throws `Error` as the constructor of ServiceBase.
  ClientBase(
    std::shared_ptr<NodeState> node, const rosidl_service_type_support_t & type,
    const std::string & name, const MakeCalls & make_calls, const ClientOptions & options);
  /// Waits for runs of the callback on other threads, and forgets all requests.
  ~ClientBase() override;

  /// Fully qualified and remapped. Real-time safe.
  const std::string & service() const noexcept;
  /// As rclcpp's. Real-time safe.
  const char * get_service_name() const noexcept { return service().c_str(); }

  // ---- real-time safe ----

  /// The client's id in the requests that a service takes (`rmw_request_id_t::writer_guid`).
  const Gid & gid() const noexcept;
  /// Responses taken and given to their function or future.
  std::uint64_t taken_responses() const noexcept;
  /// Responses to requests that were forgotten.
  std::uint64_t unexpected_responses() const noexcept;
  /// Requests without a place, and requests that the middleware refused. The client logs its first
  /// request without a place.
  std::uint64_t refused_requests() const noexcept;
  /// Requests that this client has forgotten.
  std::uint64_t forgotten_requests() const noexcept;
  /// Takes that the middleware refused.
  std::uint64_t failed_takes() const noexcept;
  /// Requests without a response.
  std::size_t pending_requests() const noexcept;

  // ---- the functions of forgotten requests are destroyed here; otherwise real-time safe ----

  /// Forgets a request; its response will be dropped. False if there is no such request without a
  /// response.
  bool remove_pending_request(std::int64_t request);
  /// Forgets all requests; returns their number.
  std::size_t prune_pending_requests();
  /// Forgets requests that have waited for longer than `age`; returns their number.
  std::size_t prune_requests_older_than(takt_rt::Duration age);

  // ---- may block (graph lock) ----

  /// Whether the middleware has matched a service.
  bool service_is_ready() const;
  /// Waits for a service; false if the time is over or the context ended. Negative: for ever.
  template <typename Rep, typename Period>
  bool wait_for_service(std::chrono::duration<Rep, Period> timeout) const
  {
    return wait_for_service_for(std::chrono::duration_cast<takt_rt::Duration>(timeout));
  }
  bool wait_for_service() const { return wait_for_service_for(takt_rt::Duration(-1)); }

  /// Throws `Error` if the calling thread runs a callback, and the response would have to wait for
  /// its end. May block, and allocates in a callback.
  void must_not_wait() const;

protected:
  PendingCalls & calls() const noexcept;
  std::shared_ptr<PendingCalls> shared_calls() const noexcept;
  /// With the mutex of the calls held: the request's number, or 0 if the middleware refused it.
  std::int64_t send(const void * request) noexcept;
  /// Without the mutex: makes room as `forget_after` says.
  void make_room();
  /// Without the mutex: counts a request without a place; logs the first one.
  void no_place();

  /// Sends the request in a place of `all`, with the function of its response; null: its future
  /// takes the response. Nothing: it is refused.
  template <typename Calls>
  std::pair<PendingCall, std::int64_t> send_call(
    Calls & all, const void * request, typename Calls::Function * function)
  {
    make_room();
    {
      const takt_core::MiddlewareCeilingScope ceiling;
      const std::lock_guard lock(all.mutex());
      if (const PendingCall call = all.reserve(function == nullptr)) {
        const std::int64_t number = send(request);
        if (number == 0) {
          all.release(call);
          return {};
        }
        if (function != nullptr) {
          all.function(call) = std::move(*function);
        }
        all.await(call, number, takt_rt::now());
        return {call, number};
      }
    }
    no_place();
    return {};
  }

private:
  std::shared_ptr<takt_core::Callback> make(
    Engine & engine, takt_core::CallbackOptions options,
    const takt_core::adapter::CallbackSettings & settings) override;
  void connect(takt_core::Executor &, takt_core::Callback & callback) override;
  void disconnect(takt_core::Callback & callback) noexcept override;
  void removed(takt_core::Callback & callback) noexcept override;

  static void on_early_response(const void * self, std::size_t count);
  void listen(rcl_event_callback_t listener, const void * data);
  void stop_listening() noexcept;
  bool wait_for_service_for(takt_rt::Duration timeout) const;

  ClientBase(std::shared_ptr<ClientShared> shared, const ClientOptions & options);

  const std::shared_ptr<ClientShared> shared_;
  const takt_rt::Duration forget_after_;
};

/// The response as a function of rclcpp expects it: `response.get()->...`. Only valid within that
/// function.
template <typename Srv>
class ResponseView
{
public:
  explicit ResponseView(const typename Srv::Response & response) noexcept : response_(&response) {}
  const typename Srv::Response * get() const noexcept { return response_; }

private:
  const typename Srv::Response * response_;
};

namespace detail
{

/// The calls of a client: for each place a function, and the response that a future has kept.
template <typename KeptResponse>
class KeptCalls : public PendingCalls
{
public:
  using Response = KeptResponse;
  using Function = InlineFunction<void(const Response &, std::int64_t)>;

  explicit KeptCalls(std::uint32_t places) : PendingCalls(places), kept_(places) {}

  Function & function(const PendingCall & call) noexcept { return kept_[call.place].function; }
  const Response & response(const PendingCall & call) const noexcept
  {
    return kept_[call.place].response;
  }

protected:
  /// Frees the call's place, so that the function may send the next request. Real-time safe.
  Function take_function(const PendingCall & call)
  {
    Function function = std::move(kept_[call.place].function);
    const std::lock_guard lock(mutex());
    release(call);
    return function;
  }
  Response & kept_response(std::uint32_t place) noexcept { return kept_[place].response; }

private:
  struct Kept
  {
    Function function;
    Response response;
  };

  void drop(std::uint32_t place) noexcept override { kept_[place].function.reset(); }

  std::vector<Kept> kept_;
};

template <typename Srv>
class TypedCalls final : public KeptCalls<typename Srv::Response>
{
public:
  using Response = typename Srv::Response;

  using KeptCalls<Response>::KeptCalls;
  static std::shared_ptr<PendingCalls> make(std::uint32_t places)
  {
    return std::make_shared<TypedCalls>(places);
  }

  std::unique_ptr<ResponseLanes> make_lanes(std::uint32_t lanes) const override
  {
    return std::make_unique<Lanes>(lanes);
  }

private:
  class Lanes final : public ResponseLanes
  {
  public:
    explicit Lanes(std::uint32_t lanes) : responses_(std::make_unique<Response[]>(lanes)) {}
    void * response(std::uint32_t lane) override { return &responses_[lane]; }

  private:
    const std::unique_ptr<Response[]> responses_;
  };

  void call(const PendingCall & call, const void * response, std::int64_t number) override
  {
    this->take_function(call)(*static_cast<const Response *>(response), number);
  }
  void keep(std::uint32_t place, void * response) noexcept override
  {
    std::swap(this->kept_response(place), *static_cast<Response *>(response));
  }
};

/// Wraps `void(const Response &)`, `void(const Response &, std::int64_t request)`,
/// `void(ResponseView<Srv>)`.
template <typename Srv, typename F>
typename TypedCalls<Srv>::Function response_function(F && function)
{
  using Response = typename Srv::Response;
  using G = std::decay_t<F>;
  if constexpr (std::is_invocable_v<G &, const Response &, std::int64_t>) {
    return std::forward<F>(function);
  } else if constexpr (std::is_invocable_v<G &, const Response &>) {
    return [f = std::forward<F>(function)](const Response & response, std::int64_t) mutable {
      f(response);
    };
  } else {
    static_assert(
      std::is_invocable_v<G &, ResponseView<Srv>>,
      "a request's callback takes const Response &, const Response & and the request's number, or "
      "Client<Srv>::SharedFuture");
    return [f = std::forward<F>(function)](const Response & response, std::int64_t) mutable {
      f(ResponseView<Srv>(response));
    };
  }
}

}  // namespace detail

/// The response to one request. Movable; one thread at a time. Its end frees the request's place: a
/// response that comes later is dropped.
template <typename Srv>
class ResponseFuture
{
  using Calls = detail::TypedCalls<Srv>;

public:
  using Response = typename Srv::Response;

  /// Without a request.
  ResponseFuture() = default;
  ResponseFuture(
    std::shared_ptr<Calls> calls, std::weak_ptr<ClientBase> client, const PendingCall & call,
    std::int64_t request) noexcept
  : calls_(std::move(calls)),
    client_(std::move(client)),
    call_(call),
    request_id(request)
  {
  }
  ResponseFuture(ResponseFuture && other) noexcept
  : calls_(std::move(other.calls_)),
    client_(std::move(other.client_)),
    call_(std::exchange(other.call_, {})),
    request_id(std::exchange(other.request_id, 0))
  {
  }
  ResponseFuture & operator=(ResponseFuture && other) noexcept
  {
    if (this != &other) {
      end();
      calls_ = std::move(other.calls_);
      client_ = std::move(other.client_);
      call_ = std::exchange(other.call_, {});
      request_id = std::exchange(other.request_id, 0);
    }
    return *this;
  }
  ~ResponseFuture() { end(); }

  /// False if the request was refused. Real-time safe.
  bool valid() const noexcept { return static_cast<bool>(call_); }
  /// Whether the response is there. Real-time safe.
  bool ready() const noexcept { return status() == FutureStatus::ready; }
  /// `timeout`: the response may still come. Real-time safe.
  FutureStatus status() const noexcept
  {
    return calls_ != nullptr ? calls_->status(call_) : FutureStatus::forgotten;
  }

  /// Waits for the response. With a timeout above zero throws `Error` as the head of this file
  /// says. May block. In a callback a wait allocates: it looks at the executor's callbacks.
  template <typename Rep, typename Period>
  FutureStatus wait_for(std::chrono::duration<Rep, Period> timeout) const
  {
    const auto duration = std::chrono::duration_cast<takt_rt::Duration>(timeout);
    return wait_until(takt_rt::add_saturated(takt_rt::now(), duration));
  }
  /// As wait_for, until `time` on the monotonic clock.
  FutureStatus wait_until(takt_rt::Time time) const
  {
    const FutureStatus now = status();
    if (now != FutureStatus::timeout || time <= takt_rt::now()) {
      return now;
    }
    if (const auto client = client_.lock(); client != nullptr) {
      client->must_not_wait();
    }
    return calls_->wait(call_, time);
  }
  /// As wait_for without an end.
  FutureStatus wait() const { return wait_until(takt_rt::kNever); }
  /// Waits as `wait`. The response, which lives as long as the future; nullptr if it was forgotten,
  /// or if the context ended before it came.
  const Response * get() const
  {
    return wait() == FutureStatus::ready ? &calls_->response(call_) : nullptr;
  }

private:
  void end() noexcept
  {
    if (calls_ != nullptr) {
      calls_->abandon(std::exchange(call_, {}));
    }
  }

  std::shared_ptr<Calls> calls_;
  std::weak_ptr<ClientBase> client_;
  PendingCall call_;

public:
  std::int64_t request_id = 0;  ///< for remove_pending_request; 0: the request was refused
};

/// A client of type `Srv`.
template <typename Srv>
class Client : public ClientBase
{
  using Calls = detail::TypedCalls<Srv>;

public:
  using SharedPtr = std::shared_ptr<Client>;
  using Request = typename Srv::Request;
  using Response = typename Srv::Response;
  using Future = ResponseFuture<Srv>;
  using SharedFuture = ResponseView<Srv>;  ///< the argument of ported callbacks

  /// For Node::create_client. As ClientBase.
  Client(std::shared_ptr<NodeState> node, const std::string & name, const ClientOptions & options)
  : ClientBase(
      std::move(node), *rosidl_typesupport_cpp::get_service_type_support_handle<Srv>(), name,
      &Calls::make, options)
  {
  }

  /// Sends the request. `callback` runs on an executor thread as the client's callback: `void(const
  /// Response &)`, `void(const Response &, std::int64_t request)` or
  /// `void(Client<Srv>::SharedFuture)`. Returns the request's number, or 0 if it is refused: no
  /// place is free, or the middleware refuses it. Any thread. Real-time safe within takt if the
  /// callable has at most 64 bytes, except for the client's first request without a place, which is
  /// logged; the middleware's own locks may block.
  template <typename Callback>
  std::int64_t async_send_request(const Request & request, Callback && callback)
  {
    auto function = detail::response_function<Srv>(std::forward<Callback>(callback));
    return send_request(request, &function).second;
  }
  /// As above, with a future; the future is not valid if the request is refused.
  Future async_send_request(const Request & request)
  {
    const auto [call, number] = send_request(request, nullptr);
    return Future(std::static_pointer_cast<Calls>(shared_calls()), weak_from_this(), call, number);
  }
  /// For ported code.
  template <typename Callback>
  std::int64_t async_send_request(const std::shared_ptr<Request> & request, Callback && callback)
  {
    return async_send_request(*request, std::forward<Callback>(callback));
  }
  Future async_send_request(const std::shared_ptr<Request> & request)
  {
    return async_send_request(*request);
  }

private:
  std::pair<PendingCall, std::int64_t> send_request(
    const Request & request, typename Calls::Function * function)
  {
    return send_call(static_cast<Calls &>(calls()), &request, function);
  }
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__CLIENT_HPP_
