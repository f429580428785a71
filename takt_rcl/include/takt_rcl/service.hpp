// Services of ordinary rosidl types.
//
// Requests stay in the middleware, which only announces them. The thread that runs the callback
// takes the request right before the run. See request_handler.hpp for the callback signatures. If
// the callback throws, no response is sent.
#ifndef TAKT_RCL__SERVICE_HPP_
#define TAKT_RCL__SERVICE_HPP_

#include <rcl/event_callback.h>
#include <rmw/types.h>

#include <cstdint>
#include <memory>
#include <rosidl_typesupport_cpp/service_type_support.hpp>
#include <string>
#include <utility>

#include "takt_rcl/entity.hpp"
#include "takt_rcl/qos.hpp"
#include "takt_rcl/request_handler.hpp"

namespace takt_rcl
{

/// Options of Node::create_service.
struct ServiceOptions : EntityOptions
{
  QoS qos = ServicesQoS();
  /// Arrivals remembered; 0: the history's depth.
  std::uint32_t depth = 0;
};

struct ServiceShared;

/// A service of any type.
class ServiceBase : public Entity
{
public:
  /// For Node::create_service. Set-up only. Throws `Error` if rcl refuses the name or the service,
  /// or if the kernel refuses a thread of the middleware an attribute that the schedule requires.
  ServiceBase(
    std::shared_ptr<NodeState> node, const rosidl_service_type_support_t & type,
    const std::string & name, std::unique_ptr<RequestHandler> handler,
    const ServiceOptions & options);
  /// Waits for runs of the callback on other threads. Later responses to taken requests are
  /// refused.
  ~ServiceBase() override;

  /// Fully qualified and remapped. Real-time safe.
  const std::string & service() const noexcept;
  /// As rclcpp's. Real-time safe.
  const char * get_service_name() const noexcept { return service().c_str(); }

  // ---- real-time safe ----

  /// Requests taken and given to the callback.
  std::uint64_t taken_requests() const noexcept;
  /// Responses that the middleware has sent.
  std::uint64_t sent_responses() const noexcept;
  /// Responses that the middleware refused, for instance because the client has ended.
  std::uint64_t failed_responses() const noexcept;
  /// Requests lost between their client and this callback, including overwritten ones, by gaps in
  /// the clients' numbers. 0 with middlewares other than Fast DDS, which may not number each
  /// client's requests by themselves.
  std::uint64_t lost_requests() const noexcept;
  /// Takes that the middleware refused.
  std::uint64_t failed_takes() const noexcept;

protected:
  bool send(const rmw_request_id_t & request, const void * response) noexcept;

private:
  std::shared_ptr<takt_core::Callback> make(
    Engine & engine, takt_core::CallbackOptions options,
    const takt_core::adapter::CallbackSettings & settings) override;
  void connect(takt_core::Executor &, takt_core::Callback & callback) override;
  void disconnect(takt_core::Callback & callback) noexcept override;
  void removed(takt_core::Callback & callback) noexcept override;

  static void on_early_request(const void * self, std::size_t count);
  void listen(rcl_event_callback_t listener, const void * data);
  void stop_listening() noexcept;

  ServiceBase(std::shared_ptr<ServiceShared> shared, const ServiceOptions & options);

  const std::shared_ptr<ServiceShared> shared_;
};

/// A service of type `Srv`.
template <typename Srv>
class Service : public ServiceBase
{
public:
  using SharedPtr = std::shared_ptr<Service>;
  using Request = typename Srv::Request;
  using Response = typename Srv::Response;

  /// For Node::create_service. As ServiceBase.
  template <typename Function>
  Service(
    std::shared_ptr<NodeState> node, const std::string & name, Function && function,
    const ServiceOptions & options)
  : ServiceBase(
      std::move(node), *rosidl_typesupport_cpp::get_service_type_support_handle<Srv>(), name,
      detail::make_request_handler<Srv>(std::forward<Function>(function)), options)
  {
  }

  /// As PendingResponse::respond, for programs that keep request ids.
  bool send_response(const rmw_request_id_t & request, const Response & response) noexcept
  {
    return send(request, &response);
  }
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__SERVICE_HPP_
