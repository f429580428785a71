// Services of a type that the program knows by name only, at run time.
#ifndef TAKT_RCL__GENERIC_SERVICE_HPP_
#define TAKT_RCL__GENERIC_SERVICE_HPP_

#include <functional>
#include <memory>
#include <string>

#include "takt_rcl/serialized_message.hpp"
#include "takt_rcl/service.hpp"

namespace takt_rcl
{

/// A service whose callback gets the serialised request, and writes the serialised response, which
/// is that of a response with default values before. As ServiceBase. Each run allocates: the
/// middleware knows requests and responses as objects only, and takt converts them.
class GenericService : public ServiceBase
{
public:
  using SharedPtr = std::shared_ptr<GenericService>;
  using Function =
    std::function<void(const SerializedMessage & request, SerializedMessage & response)>;

  /// For Node::create_generic_service. As ServiceBase; also throws as `service_type_support`, and
  /// if the type's package has no library for introspection. If `function` writes bytes of another
  /// type, its run ends with an `Error`, and no response is sent.
  GenericService(
    std::shared_ptr<NodeState> node, const std::string & name, const std::string & type,
    Function function, const ServiceOptions & options);
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__GENERIC_SERVICE_HPP_
