// A service's message objects and the user's function, behind one untyped interface.
//
// A lane is one concurrent run: an exclusive group has one, a reentrant group one per executor
// thread. The signature of the user's function decides how it responds:
//
//     void(const Request &, Response &)      the response is sent when the function returns
//     Response(const Request &)              as above
//     void(PendingResponse<Srv>, const Request &)
//                                            the program responds later, on any thread
//     void(std::shared_ptr<Request>, std::shared_ptr<Response>),
//     void(std::shared_ptr<rmw_request_id_t>, std::shared_ptr<Request>, std::shared_ptr<Response>)
//                                            rclcpp's; the response is sent when it returns
//
// The message objects are reused. A response is reset to its default values before each run, and
// keeps its memory. With shared pointers a message object is replaced by a new one where the
// program kept the last one.
#ifndef TAKT_RCL__REQUEST_HANDLER_HPP_
#define TAKT_RCL__REQUEST_HANDLER_HPP_

#include <rmw/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "takt_rcl/detail/user_function.hpp"

namespace takt_rcl
{

/// Sends responses of one service. Any thread; lives as long as any response may be sent.
class ResponseSender
{
public:
  virtual ~ResponseSender() = default;
  /// False: the middleware refused the response, or the service has ended. Runs at the middleware
  /// ceiling. Allocates nothing. The middleware may wait until it has discovered the client's
  /// reader (Fast DDS: up to 100 ms).
  virtual bool send(const rmw_request_id_t & request, const void * response) noexcept = 0;
};

/// The right to respond to one request, once. Movable; any thread. Until its `respond` or its end
/// it keeps the service's middleware entity alive, also beyond the end of the service's handle:
/// clients still find the service then, and get no response.
template <typename Srv>
class PendingResponse
{
public:
  /// Without a request.
  PendingResponse() = default;
  PendingResponse(std::shared_ptr<ResponseSender> sender, const rmw_request_id_t & request) noexcept
  : sender_(std::move(sender)),
    request_(request)
  {
  }
  PendingResponse(PendingResponse &&) noexcept = default;
  PendingResponse & operator=(PendingResponse &&) noexcept = default;

  /// False after `respond`.
  explicit operator bool() const noexcept { return sender_ != nullptr; }
  /// The client's id and its number of the request.
  const rmw_request_id_t & request_id() const noexcept { return request_; }
  /// As ResponseSender::send; also false if the program has responded already.
  bool respond(const typename Srv::Response & response) noexcept
  {
    const std::shared_ptr<ResponseSender> sender = std::exchange(sender_, nullptr);
    return sender != nullptr && sender->send(request_, &response);
  }

private:
  std::shared_ptr<ResponseSender> sender_;
  rmw_request_id_t request_{};
};

/// The message objects of one executor's runs. Destroyed before their handler.
class RequestLanes
{
public:
  virtual ~RequestLanes() = default;
  /// The buffer for the next request of `lane`.
  virtual void * request(std::uint32_t lane) = 0;
  /// Calls the user's function with the taken request, and sends the response unless the function
  /// defers it.
  virtual void serve(
    std::uint32_t lane, const rmw_request_id_t & request,
    const std::shared_ptr<ResponseSender> & sender) = 0;
};

/// Holds the user's function. It lives as long as its service and all runs.
class RequestHandler
{
public:
  virtual ~RequestHandler() = default;
  /// Room for `lanes` concurrent runs. Set-up only; also while runs of earlier lanes are in
  /// progress.
  virtual std::unique_ptr<RequestLanes> make_lanes(std::uint32_t lanes) = 0;
};

namespace detail
{

template <typename Srv, typename F>
class UserRequestHandler final : public RequestHandler
{
  using Request = typename Srv::Request;
  using Response = typename Srv::Response;
  using SharedRequest = std::shared_ptr<Request>;
  using SharedResponse = std::shared_ptr<Response>;

  static constexpr bool fills = std::is_invocable_v<F &, const Request &, Response &>;
  static constexpr bool returns = std::is_invocable_r_v<Response, F &, const Request &>;
  static constexpr bool defers = std::is_invocable_v<F &, PendingResponse<Srv>, const Request &>;
  static constexpr bool pointers = std::is_invocable_v<F &, SharedRequest, SharedResponse>;
  static constexpr bool header =
    std::is_invocable_v<F &, std::shared_ptr<rmw_request_id_t>, SharedRequest, SharedResponse>;
  static_assert(
    fills || returns || defers || pointers || header,
    "a service's callback is void(const Request &, Response &), Response(const Request &), "
    "void(PendingResponse<Srv>, const Request &), or takes shared pointers as in rclcpp");

public:
  explicit UserRequestHandler(F function) : function_(std::move(function)) {}

  std::unique_ptr<RequestLanes> make_lanes(std::uint32_t lanes) override
  {
    return std::make_unique<Lanes>(function_, lanes);
  }

private:
  struct Lane
  {
    SharedRequest request = std::make_shared<Request>();
    SharedResponse response = std::make_shared<Response>();
  };

  class Lanes final : public RequestLanes
  {
  public:
    Lanes(F & function, std::uint32_t lanes)
    : function_(function),
      lanes_(std::make_unique<Lane[]>(lanes))
    {
    }
    void * request(std::uint32_t lane) override
    {
      SharedRequest & request = lanes_[lane].request;
      if (request.use_count() > 1) {
        request = std::make_shared<Request>();
      }
      return request.get();
    }
    void serve(
      std::uint32_t number, const rmw_request_id_t & id,
      const std::shared_ptr<ResponseSender> & sender) override
    {
      Lane & lane = lanes_[number];
      if constexpr (defers) {
        call_user(function_, PendingResponse<Srv>(sender, id), std::as_const(*lane.request));
      } else {
        answer(lane, id);
        sender->send(id, lane.response.get());
      }
    }

  private:
    void answer(Lane & lane, const rmw_request_id_t & id)
    {
      if (lane.response.use_count() > 1) {
        lane.response = std::make_shared<Response>();
      } else {
        *lane.response = fresh_;  // a copy: strings and sequences keep their memory
      }
      if constexpr (fills) {
        call_user(function_, std::as_const(*lane.request), *lane.response);
      } else if constexpr (returns) {
        *lane.response = call_user(function_, std::as_const(*lane.request));
      } else if constexpr (pointers) {
        call_user(function_, lane.request, lane.response);
      } else {
        call_user(function_, std::make_shared<rmw_request_id_t>(id), lane.request, lane.response);
      }
    }

    F & function_;
    const std::unique_ptr<Lane[]> lanes_;
    const Response fresh_{};
  };

  F function_;
};

template <typename Srv, typename F>
std::unique_ptr<RequestHandler> make_request_handler(F && function)
{
  return std::make_unique<UserRequestHandler<Srv, std::decay_t<F>>>(std::forward<F>(function));
}

}  // namespace detail
}  // namespace takt_rcl

#endif  // TAKT_RCL__REQUEST_HANDLER_HPP_
