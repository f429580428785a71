// Subscriptions to a type that the program knows by name only, at run time.
#ifndef TAKT_RCL__GENERIC_SUBSCRIPTION_HPP_
#define TAKT_RCL__GENERIC_SUBSCRIPTION_HPP_

#include <memory>
#include <string>
#include <utility>

#include "takt_rcl/message_type.hpp"
#include "takt_rcl/subscription.hpp"

namespace takt_rcl
{

/// A subscription to serialised messages. As SubscriptionBase. It gets no messages by pointer.
class GenericSubscription : public SubscriptionBase
{
public:
  using SharedPtr = std::shared_ptr<GenericSubscription>;

  /// For Node::create_generic_subscription. As SubscriptionBase; also throws as
  /// `message_type_support`.
  template <typename Function>
  GenericSubscription(
    std::shared_ptr<NodeState> node, const std::string & topic, const std::string & type,
    const QoS & qos, Function && function, const SubscriptionOptions & options)
  : SubscriptionBase(
      std::move(node), message_type_support(type), typeid(SerializedMessage),
      detail::MessageLayout{}, topic, qos,
      detail::make_serialized_handler(
        std::forward<Function>(function), options.serialized_buffers, options.extra_messages),
      options)
  {
  }
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__GENERIC_SUBSCRIPTION_HPP_
