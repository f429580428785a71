#include "messages/type_description_service.hpp"

// Since Iron.
#if __has_include(<type_description_interfaces/srv/get_type_description.h>)
#include <type_description_interfaces/srv/get_type_description.h>

#include <utility>
#include <vector>

namespace takt_rcl
{
namespace
{

using Request = type_description_interfaces__srv__GetTypeDescription_Request;
using Response = type_description_interfaces__srv__GetTypeDescription_Response;

// rcl answers, with messages of C.
class Handler final : public RequestHandler
{
public:
  Handler(std::shared_ptr<rcl_node_t> node, std::mutex & mutex)
  : node_(std::move(node)),
    mutex_(mutex)
  {
  }

  std::unique_ptr<RequestLanes> make_lanes(std::uint32_t lanes) override
  {
    return std::make_unique<Lanes>(*this, lanes);
  }

private:
  class Lanes final : public RequestLanes
  {
  public:
    Lanes(Handler & handler, std::uint32_t lanes) : handler_(handler), requests_(lanes)
    {
      for (Request & one : requests_) {
        type_description_interfaces__srv__GetTypeDescription_Request__init(&one);
      }
    }
    ~Lanes() override
    {
      for (Request & one : requests_) {
        type_description_interfaces__srv__GetTypeDescription_Request__fini(&one);
      }
    }
    void * request(std::uint32_t lane) override { return &requests_[lane]; }
    void serve(
      std::uint32_t lane, const rmw_request_id_t & id,
      const std::shared_ptr<ResponseSender> & sender) override
    {
      Response response{};  // which rcl initialises
      {
        const std::lock_guard lock(handler_.mutex_);
        rcl_node_type_description_service_handle_request(
          handler_.node_.get(), &id, &requests_[lane], &response);
      }
      sender->send(id, &response);
      type_description_interfaces__srv__GetTypeDescription_Response__fini(&response);
    }

  private:
    Handler & handler_;
    std::vector<Request> requests_;
  };

  const std::shared_ptr<rcl_node_t> node_;
  std::mutex & mutex_;
};

}  // namespace

const rosidl_service_type_support_t * type_description_support() noexcept
{
  return ROSIDL_GET_SRV_TYPE_SUPPORT(type_description_interfaces, srv, GetTypeDescription);
}

std::unique_ptr<RequestHandler> make_type_description_handler(
  std::shared_ptr<rcl_node_t> node, std::mutex & mutex)
{
  return std::make_unique<Handler>(std::move(node), mutex);
}

}  // namespace takt_rcl

#else

namespace takt_rcl
{

const rosidl_service_type_support_t * type_description_support() noexcept
{
  return nullptr;
}

std::unique_ptr<RequestHandler> make_type_description_handler(
  std::shared_ptr<rcl_node_t>, std::mutex &)
{
  return nullptr;
}

}  // namespace takt_rcl

#endif
