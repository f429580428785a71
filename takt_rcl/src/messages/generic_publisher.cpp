#include "takt_rcl/generic_publisher.hpp"

#include <utility>

#include "takt_rcl/message_type.hpp"

namespace takt_rcl
{
namespace
{

PublisherOptions without_pointers(PublisherOptions options)
{
  options.use_intra_process_comm = IntraProcessSetting::Disable;
  return options;
}

}  // namespace

GenericPublisher::GenericPublisher(
  std::shared_ptr<NodeState> node, const std::string & topic, const std::string & type,
  const QoS & qos, PublisherOptions options)
: PublisherBase(
    std::move(node), message_type_support(type), typeid(SerializedMessage), detail::MessageLayout{},
    topic, qos, without_pointers(std::move(options)), nullptr)
{
}

std::uint64_t GenericPublisher::publish(const SerializedMessage & message) noexcept
{
  if (takt_core::LogicalTime * const group = takt_core::LogicalTime::current()) {
    if (refuses_to_hold()) {
      return 0;
    }
    if (auto self = weak_from_this().lock()) {
      held_.hold(*group, std::move(self), message);
      return kHeld;
    }
  }
  return publish_serialized(message);
}

std::uint64_t GenericPublisher::publish(UniqueMessage<SerializedMessage> message) noexcept
{
  if (message == nullptr) {
    return publish_message(nullptr);
  }
  if (takt_core::LogicalTime * const group = takt_core::LogicalTime::current()) {
    if (refuses_to_hold()) {
      return 0;
    }
    if (auto self = weak_from_this().lock()) {
      held_.hold(*group, std::move(self), std::move(message));
      return kHeld;
    }
  }
  return publish_serialized(*message);
}

}  // namespace takt_rcl
