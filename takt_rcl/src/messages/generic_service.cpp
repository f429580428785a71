#include "takt_rcl/generic_service.hpp"

#include <string>
#include <utility>
#include <vector>

#include "takt_rcl/error.hpp"
#include "takt_rcl/message_type.hpp"
#include "takt_rcl/named_type.hpp"

namespace takt_rcl
{
namespace
{

// The type's name in full. Throws `Error` if there is no such service, and not for its messages.
std::string known(const std::string & type)
{
  service_type_support(type);
  return service_type_name(type);
}

class Handler final : public RequestHandler
{
public:
  Handler(const std::string & type, GenericService::Function function)
  : request_(type + "_Request"),
    response_(type + "_Response"),
    function_(std::move(function))
  {
    if (!function_) {
      throw Error("a service of type '" + type + "' needs a function");
    }
  }

  std::unique_ptr<RequestLanes> make_lanes(std::uint32_t lanes) override
  {
    return std::make_unique<Lanes>(*this, lanes);
  }

private:
  class Lanes final : public RequestLanes
  {
  public:
    Lanes(Handler & handler, std::uint32_t lanes) : handler_(handler)
    {
      for (std::uint32_t i = 0; i < lanes; ++i) {
        requests_.push_back(handler.request_.make());
      }
    }
    void * request(std::uint32_t lane) override { return requests_[lane].get(); }
    void serve(
      std::uint32_t lane, const rmw_request_id_t & request,
      const std::shared_ptr<ResponseSender> & sender) override
    {
      SerializedMessage question;
      SerializedMessage answer;
      const auto response = handler_.response_.make();
      handler_.request_.serialize(requests_[lane].get(), question);
      handler_.response_.serialize(response.get(), answer);
      handler_.function_(question, answer);
      if (!handler_.response_.deserialize(answer, response.get())) {
        throw Error(
          "the function of a generic service wrote " + std::to_string(answer.size()) +
          " bytes, which are no message of type '" + handler_.response_.name() + "'");
      }
      sender->send(request, response.get());
    }

  private:
    Handler & handler_;
    std::vector<detail::NamedType::Object> requests_;
  };

  const detail::NamedType request_;
  const detail::NamedType response_;
  const GenericService::Function function_;
};

}  // namespace

GenericService::GenericService(
  std::shared_ptr<NodeState> node, const std::string & name, const std::string & type,
  Function function, const ServiceOptions & options)
: ServiceBase(
    std::move(node), service_type_support(type), name,
    std::make_unique<Handler>(known(type), std::move(function)), options)
{
}

}  // namespace takt_rcl
