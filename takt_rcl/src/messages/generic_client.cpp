#include "takt_rcl/generic_client.hpp"

#include <exception>
#include <utility>

#include "takt_rcl/error.hpp"
#include "takt_rcl/message_type.hpp"

namespace takt_rcl
{
namespace detail
{
namespace
{

class Lanes final : public ResponseLanes
{
public:
  Lanes(const NamedType & type, std::uint32_t lanes)
  {
    for (std::uint32_t i = 0; i < lanes; ++i) {
      responses_.push_back(type.make());
    }
  }
  void * response(std::uint32_t lane) override { return responses_[lane].get(); }

private:
  std::vector<NamedType::Object> responses_;
};

}  // namespace

TypedCalls<SerializedService>::TypedCalls(std::uint32_t places, const std::string & response_type)
: KeptCalls(places),
  type_(response_type)
{
}

std::unique_ptr<ResponseLanes> TypedCalls<SerializedService>::make_lanes(std::uint32_t lanes) const
{
  return std::make_unique<Lanes>(type_, lanes);
}

void TypedCalls<SerializedService>::call(
  const PendingCall & call, const void * response, std::int64_t number)
{
  Function function = take_function(call);
  SerializedMessage bytes;
  type_.serialize(response, bytes);
  function(bytes, number);
}

// Without memory the future gets an empty message.
void TypedCalls<SerializedService>::keep(std::uint32_t place, void * response) noexcept
{
  try {
    type_.serialize(response, kept_response(place));
  } catch (const std::exception &) {
    kept_response(place).clear();
  }
}

}  // namespace detail

GenericClient::GenericClient(
  std::shared_ptr<NodeState> node, const std::string & name, const std::string & type,
  const ClientOptions & options)
: ClientBase(
    std::move(node), service_type_support(type), name,
    [response = service_type_name(type) + "_Response"](std::uint32_t places) {
      return std::make_shared<Calls>(places, response);
    },
    options),
  request_(service_type_name(type) + "_Request")
{
}

GenericClient::Future GenericClient::async_send_request(const SerializedMessage & request)
{
  const auto [call, number] = send_request(request, nullptr);
  return Future(std::static_pointer_cast<Calls>(shared_calls()), weak_from_this(), call, number);
}

std::pair<PendingCall, std::int64_t> GenericClient::send_request(
  const SerializedMessage & request, Calls::Function * function)
{
  const auto object = request_.make();
  if (!request_.deserialize(request, object.get())) {
    throw Error(
      id() + ": a request of " + std::to_string(request.size()) + " bytes is no message of type '" +
      request_.name() + "'");
  }
  return send_call(static_cast<Calls &>(calls()), object.get(), function);
}

}  // namespace takt_rcl
