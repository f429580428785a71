// Services and clients of the adopted program.
#include <string>
#include <string_view>
#include <utility>

#include "adopt/entity.hpp"
#include "adopt/recorder.hpp"
#include "rclcpp/exceptions.hpp"
#include "rclcpp/logging.hpp"
#include "takt_core/middleware_ceiling.hpp"

namespace takt_rclcpp
{
namespace
{

template <typename Object>
struct TakenCall
{
  std::shared_ptr<Object> object;
  std::shared_ptr<rmw_request_id_t> header;
  std::shared_ptr<void> message;
};

struct ServiceAccess : rclcpp::ServiceBase
{
  static OwnListener::Function own_function(rclcpp::ServiceBase & service)
  {
    return kept_function(
      service.*(&ServiceAccess::on_new_request_callback_),
      service.*(&ServiceAccess::callback_mutex_));
  }
};

struct ClientAccess : rclcpp::ClientBase
{
  static OwnListener::Function own_function(rclcpp::ClientBase & client)
  {
    return kept_function(
      client.*(&ClientAccess::on_new_response_callback_), client.*(&ClientAccess::callback_mutex_));
  }
};

// The three steps of a service and of a client, under common names.
struct ServiceSteps
{
  using Object = rclcpp::ServiceBase;
  static std::string serves(Object & service) { return service.get_service_name(); }
  static const void * answers(Object &) { return nullptr; }
  static const void * handle_of(Object & service) { return service.get_service_handle().get(); }
  static OwnListener::Function own_function(Object & service)
  {
    return ServiceAccess::own_function(service);
  }
  static rcl_ret_t set_listener(Object & service, rcl_event_callback_t callback, const void * data)
  {
    return rcl_service_set_on_new_request_callback(
      service.get_service_handle().get(), callback, data);
  }
  static std::shared_ptr<void> message(Object & service) { return service.create_request(); }
  static bool take(Object & service, void * message, rmw_request_id_t & header)
  {
    return service.take_type_erased_request(message, header);
  }
  static void handle(TakenCall<Object> & call)
  {
    call.object->handle_request(call.header, call.message);
  }
  static void begins(const TakenCall<Object> & call)
  {
    Recorder::note_served(call.object->get_service_name(), call.header->sequence_number);
  }
  static rclcpp::QoS qos(const Object & service)
  {
    return service.get_request_subscription_actual_qos();
  }
};

struct ClientSteps
{
  using Object = rclcpp::ClientBase;
  static std::string serves(Object &) { return {}; }
  static const void * answers(Object & client) { return client.get_client_handle().get(); }
  static const void * handle_of(Object & client) { return client.get_client_handle().get(); }
  static OwnListener::Function own_function(Object & client)
  {
    return ClientAccess::own_function(client);
  }
  static rcl_ret_t set_listener(Object & client, rcl_event_callback_t callback, const void * data)
  {
    return rcl_client_set_on_new_response_callback(
      client.get_client_handle().get(), callback, data);
  }
  static std::shared_ptr<void> message(Object & client) { return client.create_response(); }
  static bool take(Object & client, void * message, rmw_request_id_t & header)
  {
    return client.take_type_erased_response(message, header);
  }
  static void handle(TakenCall<Object> & call)
  {
    call.object->handle_response(call.header, call.message);
  }
  static void begins(const TakenCall<Object> & call)
  {
    Recorder::note_answered(call.object->get_client_handle().get(), call.header->sequence_number);
  }
  static rclcpp::QoS qos(const Object & client)
  {
    return client.get_response_subscription_actual_qos();
  }
};

template <typename Steps>
class CallEntity final : public ListeningEntity<typename Steps::Object>
{
  using Object = typename Steps::Object;
  using Base = ListeningEntity<Object>;

public:
  CallEntity(
    const std::shared_ptr<Object> & object, takt_core::CallbackOptions options,
    const EntitySettings & settings)
  : Base(object, std::move(options), settings),
    service_(Steps::serves(*object)),
    client_(Steps::answers(*object)),
    lanes_(settings.lanes)
  {
  }

  bool serves(std::string_view service) const noexcept override
  {
    return !service_.empty() && service_ == service;
  }
  bool answers(const void * client) const noexcept override
  {
    return client_ != nullptr && client_ == client;
  }
  bool is_client() const noexcept override { return client_ != nullptr; }

  takt_host::Took take_one(takt_host::Taking & taking) override
  {
    TakenCall<Object> call{this->lock(), nullptr, nullptr};
    if (call.object == nullptr) {
      return takt_host::Took::nothing;
    }
    call.header = call.object->create_request_header();
    call.message = Steps::message(*call.object);
    try {
      const takt_core::MiddlewareCeilingScope ceiling;
      if (!Steps::take(*call.object, call.message.get(), *call.header)) {
        return takt_host::Took::nothing;
      }
    } catch (const rclcpp::exceptions::RCLError & error) {
      RCLCPP_ERROR(
        rclcpp::get_logger("takt"), "%s: a message could not be taken: %s", this->id().c_str(),
        error.what());
      return takt_host::Took::skipped;
    }
    lanes_[taking.run()] = std::move(call);
    return takt_host::Took::message;
  }

  void run(const takt_core::Run & run) override
  {
    const auto alone = this->facts.owner->exclude();
    const typename ListeningEntity<Object>::Holds holds(*this);
    TakenCall<Object> call = std::exchange(lanes_[run], {});
    Steps::begins(call);
    Steps::handle(call);
  }

private:
  rcl_ret_t set_listener(Object & object, rcl_event_callback_t callback, const void * data) override
  {
    return Steps::set_listener(object, callback, data);
  }
  const void * handle_of(const Object & object) const override
  {
    return Steps::handle_of(
      const_cast<Object &>(object));  // const objects of rclcpp return const handles
  }
  OwnListener::Function own_function(Object & object) const override
  {
    return Steps::own_function(object);
  }
  rclcpp::QoS qos_of(const Object & object) const override { return Steps::qos(object); }

  const std::string service_;  // empty: a client
  const void * const client_;  // rcl's client, used only as an address; null: a service
  Lanes<TakenCall<Object>> lanes_;
};

}  // namespace

std::shared_ptr<Entity> make_entity(
  const rclcpp::ServiceBase::SharedPtr & service, takt_core::CallbackOptions options,
  const EntitySettings & settings)
{
  options.depth = arrival_depth(ServiceSteps::qos(*service), settings.whole_history);
  return std::make_shared<CallEntity<ServiceSteps>>(service, std::move(options), settings);
}

std::shared_ptr<Entity> make_entity(
  const rclcpp::ClientBase::SharedPtr & client, takt_core::CallbackOptions options,
  const EntitySettings & settings)
{
  options.depth = arrival_depth(ClientSteps::qos(*client), settings.whole_history);
  return std::make_shared<CallEntity<ClientSteps>>(client, std::move(options), settings);
}

}  // namespace takt_rclcpp
