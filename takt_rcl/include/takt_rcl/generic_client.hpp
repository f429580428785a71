// Clients of services of a type that the program knows by name only, at run time.
#ifndef TAKT_RCL__GENERIC_CLIENT_HPP_
#define TAKT_RCL__GENERIC_CLIENT_HPP_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "takt_rcl/client.hpp"
#include "takt_rcl/named_type.hpp"
#include "takt_rcl/serialized_message.hpp"

namespace takt_rcl
{

/// The service type of serialised requests and responses.
struct SerializedService
{
  using Request = SerializedMessage;
  using Response = SerializedMessage;
};

namespace detail
{

/// The responses of a type by name; they are kept as bytes.
template <>
class TypedCalls<SerializedService> final : public KeptCalls<SerializedMessage>
{
public:
  TypedCalls(std::uint32_t places, const std::string & response_type);

  std::unique_ptr<ResponseLanes> make_lanes(std::uint32_t lanes) const override;

private:
  void call(const PendingCall & call, const void * response, std::int64_t number) override;
  void keep(std::uint32_t place, void * response) noexcept override;

  const NamedType type_;
};

}  // namespace detail

/// A client that sends serialised requests, and gets serialised responses. As Client. Each request
/// and each response allocates, because takt converts it.
class GenericClient : public ClientBase
{
  using Calls = detail::TypedCalls<SerializedService>;

public:
  using SharedPtr = std::shared_ptr<GenericClient>;
  using Future = ResponseFuture<SerializedService>;

  /// For Node::create_generic_client. As ClientBase; also throws as `service_type_support`, and if
  /// the type's package has no library for introspection.
  GenericClient(
    std::shared_ptr<NodeState> node, const std::string & name, const std::string & type,
    const ClientOptions & options);

  /// As Client::async_send_request. `callback`: `void(const SerializedMessage &)` or `void(const
  /// SerializedMessage &, std::int64_t request)`. Throws `Error` if these are not the bytes of a
  /// request.
  template <typename Callback>
  std::int64_t async_send_request(const SerializedMessage & request, Callback && callback)
  {
    auto function = detail::response_function<SerializedService>(std::forward<Callback>(callback));
    return send_request(request, &function).second;
  }
  /// As above, with a future; the future is not valid if the request is refused.
  Future async_send_request(const SerializedMessage & request);

private:
  std::pair<PendingCall, std::int64_t> send_request(
    const SerializedMessage & request, Calls::Function * function);

  const detail::NamedType request_;
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__GENERIC_CLIENT_HPP_
