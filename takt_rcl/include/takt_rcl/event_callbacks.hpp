// Callbacks for events of publishers and subscriptions, with rclcpp's names: a peer came or went, a
// peer's quality of service does not fit, a deadline passed, a publisher is no longer alive, a
// message was lost.
//
// An event's callback is a callback of the executor as any other: its id is
// `/ns/node:waitable(event)`, and its group is that of the options. A second event has the id
// `/ns/node:waitable(event)#2`: ids are numbered in the order in which the node made its publishers
// and subscriptions, and within one of them in the order of the members below.
//
// A callback gets the status of its event: totals, and the changes since its last run. Events that
// come before the callback runs lead to one run, also those before the node is in an executor.
// Takes allocate nothing in takt.
#ifndef TAKT_RCL__EVENT_CALLBACKS_HPP_
#define TAKT_RCL__EVENT_CALLBACKS_HPP_

#include <rmw/events_statuses/events_statuses.h>

#include <functional>

#include "takt_rcl/error.hpp"

namespace takt_rcl
{

using QOSDeadlineRequestedInfo = rmw_requested_deadline_missed_status_t;
using QOSDeadlineOfferedInfo = rmw_offered_deadline_missed_status_t;
using QOSLivelinessChangedInfo = rmw_liveliness_changed_status_t;
using QOSLivelinessLostInfo = rmw_liveliness_lost_status_t;
using QOSMessageLostInfo = rmw_message_lost_status_t;
using QOSOfferedIncompatibleQoSInfo = rmw_offered_qos_incompatible_event_status_t;
using QOSRequestedIncompatibleQoSInfo = rmw_requested_qos_incompatible_event_status_t;
using IncompatibleTypeInfo = rmw_incompatible_type_status_t;
using MatchedInfo = rmw_matched_status_t;

using QOSDeadlineRequestedCallbackType = std::function<void(QOSDeadlineRequestedInfo &)>;
using QOSDeadlineOfferedCallbackType = std::function<void(QOSDeadlineOfferedInfo &)>;
using QOSLivelinessChangedCallbackType = std::function<void(QOSLivelinessChangedInfo &)>;
using QOSLivelinessLostCallbackType = std::function<void(QOSLivelinessLostInfo &)>;
using QOSMessageLostCallbackType = std::function<void(QOSMessageLostInfo &)>;
using QOSOfferedIncompatibleQoSCallbackType = std::function<void(QOSOfferedIncompatibleQoSInfo &)>;
using QOSRequestedIncompatibleQoSCallbackType =
  std::function<void(QOSRequestedIncompatibleQoSInfo &)>;
using IncompatibleTypeCallbackType = std::function<void(IncompatibleTypeInfo &)>;
using PublisherMatchedCallbackType = std::function<void(MatchedInfo &)>;
using SubscriptionMatchedCallbackType = std::function<void(MatchedInfo &)>;

/// Callbacks for the events of a publisher. Empty: none.
struct PublisherEventCallbacks
{
  /// The publisher published nothing for the period of its QoS::deadline.
  QOSDeadlineOfferedCallbackType deadline_callback;
  /// The publisher did not assert its liveliness within its lease.
  QOSLivelinessLostCallbackType liveliness_callback;
  /// A subscription requests what the publisher does not offer, and gets none of its messages.
  QOSOfferedIncompatibleQoSCallbackType incompatible_qos_callback;
  /// A subscription of the same topic has another type.
  IncompatibleTypeCallbackType incompatible_type_callback;
  /// A subscription was matched, or a matched one went.
  PublisherMatchedCallbackType matched_callback;
};

/// Callbacks for the events of a subscription. Empty: none.
struct SubscriptionEventCallbacks
{
  /// No message came for the period of the subscription's QoS::deadline.
  QOSDeadlineRequestedCallbackType deadline_callback;
  /// A publisher became alive, or is no longer alive.
  QOSLivelinessChangedCallbackType liveliness_callback;
  /// A publisher does not offer what the subscription requests, which gets none of its messages.
  QOSRequestedIncompatibleQoSCallbackType incompatible_qos_callback;
  /// The middleware lost messages before they reached the subscription's history.
  QOSMessageLostCallbackType message_lost_callback;
  /// A publisher of the same topic has another type.
  IncompatibleTypeCallbackType incompatible_type_callback;
  /// A publisher was matched, or a matched one went.
  SubscriptionMatchedCallbackType matched_callback;
};

/// The middleware does not report events for which the options have a callback.
class UnsupportedEventTypeException : public Error
{
public:
  using Error::Error;
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__EVENT_CALLBACKS_HPP_
