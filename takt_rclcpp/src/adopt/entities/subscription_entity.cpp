// A subscription of the adopted program: typed, serialized or loaned.
#include <dlfcn.h>

#include <algorithm>
#include <typeinfo>
#include <utility>

#include <rmw/error_handling.h>
#include <rmw/rmw.h>

#include "adopt/entity.hpp"
#include "rclcpp/exceptions.hpp"
#include "rclcpp/logging.hpp"
#include "takt_core/middleware_ceiling.hpp"
#include "takt_core/run_costs.hpp"
#include "takt_host/header_stamp.hpp"
#include "takt_host/source_callback.hpp"

namespace takt_rclcpp
{
namespace
{

// An arrival stores its activations. With rings of a thousand and more arrivals for some entities
// of each node the start of 24 nodes took 48 ms; with short rings it takes 7 ms.
constexpr std::uint32_t kMostArrivals = 32;
constexpr std::uint32_t kMostWholeArrivals = 10'000;

struct TakenMessage
{
  rclcpp::SubscriptionBase::SharedPtr subscription;
  std::shared_ptr<void> message;
  std::shared_ptr<rclcpp::SerializedMessage> serialized;
  void * loaned = nullptr;
  rclcpp::MessageInfo info;
};

void give_back_loan(const rclcpp::SubscriptionBase & subscription, void * loaned)
{
  const auto handle = subscription.get_subscription_handle();
  if (rcl_return_loaned_message_from_subscription(handle.get(), loaned) != RCL_RET_OK) {
    RCLCPP_ERROR(
      rclcpp::get_logger("takt"), "%s: a loaned message could not be given back: %s",
      subscription.get_topic_name(), rcl_get_error_string().str);
    rcl_reset_error();
  }
}

void give_back(const TakenMessage & taken) noexcept
{
  if (taken.loaned != nullptr) {
    give_back_loan(*taken.subscription, taken.loaned);
  } else if (taken.serialized != nullptr) {
    auto serialized = taken.serialized;
    taken.subscription->return_serialized_message(serialized);
  } else if (taken.message != nullptr) {
    auto message = taken.message;
    taken.subscription->return_message(message);
  }
}

// A message that waits for its set may outlive its subscription, and its deleter is code of the
// library that made the subscription, which the program may close. So this keeps the library in
// memory until the process ends. glibc does so itself for libraries with unique symbols, as most
// libraries of C++ have them.
void keep_library_of(const rclcpp::SubscriptionBase & subscription)
{
  Dl_info library{};
  if (::dladdr(&typeid(subscription), &library) == 0 || library.dli_fname == nullptr) {
    return;
  }
  void * const opened = ::dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  if (opened != nullptr) {
    ::dlclose(opened);
  } else {
    ::dlerror();  // it is the program itself; an error is not left for the program to find
  }
}

struct SubscriptionAccess : rclcpp::SubscriptionBase
{
  static OwnListener::Function own_function(rclcpp::SubscriptionBase & subscription)
  {
    return kept_function(
      subscription.*(&SubscriptionAccess::on_new_message_callback_),
      subscription.*(&SubscriptionAccess::callback_mutex_));
  }
};

class SubscriptionEntity final : public ListeningEntity<rclcpp::SubscriptionBase>
{
public:
  SubscriptionEntity(
    const rclcpp::SubscriptionBase::SharedPtr & subscription, takt_core::CallbackOptions options,
    const EntitySettings & settings)
  : ListeningEntity(
      subscription, std::move(options), settings,
      // A content filter leaves the same gap in the sequence numbers as a lost message.
      {subscription->get_actual_qos().reliability() == rclcpp::ReliabilityPolicy::Reliable,
       publication_sequence_supported() && !subscription->is_cft_enabled(),
       takt_host::NamedBy::source_time}),
    measures_(settings.measure_messages),
    lanes_(settings.lanes)
  {
  }

  Took take_one(takt_host::Taking & taking) override
  {
    TakenMessage taken;
    taken.subscription = lock();
    if (taken.subscription == nullptr) {
      return Took::nothing;
    }
    taken.info.get_rmw_message_info().from_intra_process = false;
    try {
      const takt_core::MiddlewareCeilingScope ceiling;
      if (!take_into(taken)) {
        return is_copy(taken) ? Took::skipped : Took::nothing;
      }
    } catch (const rclcpp::exceptions::RCLError & error) {
      RCLCPP_ERROR(
        rclcpp::get_logger("takt"), "%s: a message could not be taken: %s", id().c_str(),
        error.what());
      return Took::skipped;
    }
    if (measures_) {
      measure(taken);
    }
    if (keeps_for_set()) {
      taking.run().stamp = stamp_of(taken);
      taken.subscription.reset();  // the program may destroy it while the message waits
    }
    // This needs no mutex, because takes run one after the other.
    taking.found(key_of(taken.info.get_rmw_message_info()));
    lanes_[taking.run()] = std::move(taken);
    return Took::message;
  }

  void leave_out(const takt_core::Run & run) noexcept override
  {
    const Holds holds(*this);
    TakenMessage taken = std::exchange(lanes_[run], {});
    if (hold_subscription(taken)) {
      give_back(taken);
    }
  }

  void run(const takt_core::Run & run) override
  {
    const auto alone = facts.owner->exclude();
    const Holds holds(*this);
    TakenMessage taken = std::exchange(lanes_[run], {});
    if (!hold_subscription(taken)) {
      return;
    }
    rclcpp::SubscriptionBase & subscription = *taken.subscription;
    if (taken.loaned != nullptr) {
      struct GiveBack
      {
        const rclcpp::SubscriptionBase & subscription;
        void * loaned;
        ~GiveBack() { give_back_loan(subscription, loaned); }
      } const give_back{subscription, taken.loaned};
      subscription.handle_loaned_message(taken.loaned, taken.info);
    } else if (taken.serialized != nullptr) {
      subscription.handle_serialized_message(taken.serialized, taken.info);
      subscription.return_serialized_message(taken.serialized);
    } else {
      subscription.handle_message(taken.message, taken.info);
      subscription.return_message(taken.message);
    }
  }

private:
  rcl_ret_t set_listener(
    rclcpp::SubscriptionBase & subscription, rcl_event_callback_t callback,
    const void * data) override
  {
    return rcl_subscription_set_on_new_message_callback(
      subscription.get_subscription_handle().get(), callback, data);
  }
  const void * handle_of(const rclcpp::SubscriptionBase & subscription) const override
  {
    return subscription.get_subscription_handle().get();
  }
  OwnListener::Function own_function(rclcpp::SubscriptionBase & subscription) const override
  {
    return SubscriptionAccess::own_function(subscription);
  }
  rclcpp::QoS qos_of(const rclcpp::SubscriptionBase & subscription) const override
  {
    return subscription.get_actual_qos();
  }
  // A message that waited for its set holds no subscription. False: the program has destroyed it.
  bool hold_subscription(TakenMessage & taken) const
  {
    if (taken.subscription == nullptr) {
      taken.subscription = lock();
    }
    return taken.subscription != nullptr;
  }
  static takt_rt::Time stamp_of(const TakenMessage & taken) noexcept
  {
    if (taken.serialized != nullptr) {
      const auto & bytes = taken.serialized->get_rcl_serialized_message();
      return takt_host::stamp_of_bytes({bytes.buffer, bytes.buffer_length});
    }
    return takt_host::stamp_of_message(
      taken.loaned != nullptr ? taken.loaned : taken.message.get());
  }
  // True if rclcpp took a message and returned that there was none, because the message also comes
  // within the process.
  static bool is_copy(TakenMessage & taken)
  {
    return taken.info.get_rmw_message_info().publisher_gid.implementation_identifier != nullptr;
  }
  static bool take_into(TakenMessage & taken)
  {
    rclcpp::SubscriptionBase & subscription = *taken.subscription;
    switch (subscription.get_delivered_message_kind()) {
      case rclcpp::DeliveredMessageKind::SERIALIZED_MESSAGE:
        taken.serialized = subscription.create_serialized_message();
        if (!subscription.take_serialized(*taken.serialized, taken.info)) {
          subscription.return_serialized_message(taken.serialized);
          return false;
        }
        return true;
      case rclcpp::DeliveredMessageKind::ROS_MESSAGE:
        break;
      default:
        throw std::runtime_error(
          std::string(subscription.get_topic_name()) +
          ": subscriptions of dynamic messages cannot be run, neither by rclcpp's executors nor by "
          "takt's");
    }
    if (subscription.can_loan_messages()) {
      const rcl_ret_t result = rcl_take_loaned_message(
        subscription.get_subscription_handle().get(), &taken.loaned,
        &taken.info.get_rmw_message_info(), nullptr);
      if (result != RCL_RET_OK && result != RCL_RET_SUBSCRIPTION_TAKE_FAILED) {
        rclcpp::exceptions::throw_from_rcl_error(result);
      }
      return result == RCL_RET_OK;
    }
    taken.message = subscription.create_message();
    if (!subscription.take_type_erased(taken.message.get(), taken.info)) {
      subscription.return_message(taken.message);
      return false;
    }
    return true;
  }

  // Measures the first messages and then one in 64. Measuring costs as much as a publish, and does
  // not belong to the program's work.
  void measure(const TakenMessage & taken) noexcept
  {
    const std::uint64_t number = measured_++;
    if (number >= 3 && number % 64 != 0) {
      return;
    }
    const takt_core::NotOfTheRun pause;
    if (taken.serialized != nullptr) {
      has_message_of(taken.serialized->size());
      return;
    }
    try {
      rclcpp::SerializedMessage serialized;
      const void * const message = taken.loaned != nullptr ? taken.loaned : taken.message.get();
      const rmw_ret_t result = rmw_serialize(
        message, &taken.subscription->get_message_type_support_handle(),
        &serialized.get_rcl_serialized_message());
      if (result == RMW_RET_OK) {
        has_message_of(serialized.size());
      } else {
        rmw_reset_error();
      }
    } catch (const std::exception &) {
      // The size stays unknown.
    }
  }

  static takt_core::MessageKey key_of(const rmw_message_info_t & info) noexcept
  {
    takt_core::MessageKey key;
    static_assert(sizeof(info.publisher_gid.data) == sizeof(key.publisher));
    std::copy(
      std::begin(info.publisher_gid.data), std::end(info.publisher_gid.data),
      key.publisher.begin());
    const bool numbered =
      !info.from_intra_process &&
      info.publication_sequence_number != RMW_MESSAGE_INFO_SEQUENCE_NUMBER_UNSUPPORTED;
    key.sequence = numbered ? info.publication_sequence_number : 0;
    key.source_time = info.source_timestamp;
    return key;
  }

  const bool measures_;
  std::uint64_t measured_ = 0;  // only takes use it, one after the other
  Lanes<TakenMessage> lanes_;
};

}  // namespace

bool publication_sequence_supported()
{
  return rmw_feature_supported(RMW_FEATURE_MESSAGE_INFO_PUBLICATION_SEQUENCE_NUMBER);
}

std::uint32_t history_depth(const rclcpp::QoS & qos)
{
  if (qos.history() == rclcpp::HistoryPolicy::KeepAll) {
    return takt_core::MessageCounts::kKeepsAll;
  }
  return static_cast<std::uint32_t>(std::clamp<std::size_t>(qos.depth(), 1, UINT32_MAX));
}

std::uint32_t arrival_depth(const rclcpp::QoS & qos, bool whole)
{
  return std::min(history_depth(qos), whole ? kMostWholeArrivals : kMostArrivals);
}

std::shared_ptr<Entity> make_entity(
  const rclcpp::SubscriptionBase::SharedPtr & subscription, takt_core::CallbackOptions options,
  const EntitySettings & settings)
{
  options.depth = arrival_depth(subscription->get_actual_qos(), settings.whole_history);
  options.stamped = takt_host::begins_with_header(subscription->get_message_type_support_handle());
  if (options.group != nullptr) {
    const auto condition = options.group->condition();
    if (condition && condition->spread) {
      keep_library_of(*subscription);
    }
  }
  return std::make_shared<SubscriptionEntity>(subscription, std::move(options), settings);
}

}  // namespace takt_rclcpp
