// Publishers of a type that the program knows by name only, at run time.
#ifndef TAKT_RCL__GENERIC_PUBLISHER_HPP_
#define TAKT_RCL__GENERIC_PUBLISHER_HPP_

#include <cstdint>
#include <memory>
#include <string>

#include "takt_rcl/publisher.hpp"
#include "takt_rcl/serialized_message.hpp"

namespace takt_rcl
{

/// A publisher of serialised messages. As PublisherBase. Its messages never go by pointer.
class GenericPublisher : public PublisherBase, public std::enable_shared_from_this<GenericPublisher>
{
public:
  using SharedPtr = std::shared_ptr<GenericPublisher>;

  /// For Node::create_generic_publisher. As PublisherBase; also throws as `message_type_support`.
  GenericPublisher(
    std::shared_ptr<NodeState> node, const std::string & topic, const std::string & type,
    const QoS & qos, PublisherOptions options);

  /// As Publisher's.
  static constexpr std::uint64_t kHeld = UINT64_MAX;

  /// As Publisher::publish. The middleware sends any bytes, and a subscription cannot read those of
  /// another type.
  std::uint64_t publish(const SerializedMessage & message) noexcept;
  /// As above; keeps the message until it is published.
  std::uint64_t publish(UniqueMessage<SerializedMessage> message) noexcept;

private:
  detail::HeldMessages<SerializedMessage, GenericPublisher> held_;
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__GENERIC_PUBLISHER_HPP_
