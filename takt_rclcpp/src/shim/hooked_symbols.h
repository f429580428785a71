/* The functions of librclcpp and rcl that the shim replaces; those of librclcpp by their mangled
 * names, with the first distribution that has each. `test/symbols_test` compares these with the
 * librclcpp that is found. */
#ifndef SHIM__HOOKED_SYMBOLS_H_
#define SHIM__HOOKED_SYMBOLS_H_

#include "shim/interface.h"

#define TAKT_STRING_OF(text) #text
#define TAKT_STRING(text) TAKT_STRING_OF(text)

/* rclcpp::init(int, const char * const *, const InitOptions &, SignalHandlerOptions), Humble to
 * Lyrical. */
#define TAKT_INIT _ZN6rclcpp4initEiPKPKcRKNS_11InitOptionsENS_20SignalHandlerOptionsE

/* X(symbol, kind). Humble to Lyrical, except the static executor (until Kilted) and the events
 * executor (from Jazzy on). */
#define TAKT_SPIN_SYMBOLS(X)                                                              \
  X(_ZN6rclcpp9executors22SingleThreadedExecutor4spinEv, TAKT_HOST_SINGLE_THREADED)       \
  X(_ZN6rclcpp9executors21MultiThreadedExecutor4spinEv, TAKT_HOST_MULTI_THREADED)         \
  X(_ZN6rclcpp9executors28StaticSingleThreadedExecutor4spinEv, TAKT_HOST_SINGLE_THREADED) \
  X(_ZN6rclcpp12experimental9executors14EventsExecutor4spinEv, TAKT_HOST_EVENTS)

/* EventsCBGExecutor::spin() and spin(const std::function<void(const std::exception &)> &), from
 * Jazzy 28.1.20 and Kilted 29.5.9 on. This executor stores entities in its own way. takt does not
 * adopt it, and says so. */
#define TAKT_CBG_SPIN _ZN6rclcpp9executors17EventsCBGExecutor4spinEv
#define TAKT_CBG_SPIN_HANDLING \
  _ZN6rclcpp9executors17EventsCBGExecutor4spinERKSt8functionIFvRKSt9exceptionEE

/* From Lyrical on the functions of the next three lists take references. Both forms pass a pointer
 * to the std::shared_ptr. */

/* Executor::add_node(NodeBaseInterface::SharedPtr, bool) and add_node(Node::SharedPtr, bool).
 * X(symbol). Executors of other libraries inherit it, even those with their own spin. */
#define TAKT_ADD_NODE_SYMBOLS(X)                                                              \
  X(_ZN6rclcpp8Executor8add_nodeESt10shared_ptrINS_15node_interfaces17NodeBaseInterfaceEEb)   \
  X(_ZN6rclcpp8Executor8add_nodeESt10shared_ptrINS_4NodeEEb)                                  \
  X(_ZN6rclcpp8Executor8add_nodeERKSt10shared_ptrINS_15node_interfaces17NodeBaseInterfaceEEb) \
  X(_ZN6rclcpp8Executor8add_nodeERKSt10shared_ptrINS_4NodeEEb)

/* rclcpp::spin(NodeBaseInterface::SharedPtr), rclcpp::spin(Node::SharedPtr). X(symbol, whether it
 * gets the whole node). */
#define TAKT_SPIN_NODE_SYMBOLS(X)                                                      \
  X(_ZN6rclcpp4spinESt10shared_ptrINS_15node_interfaces17NodeBaseInterfaceEE, false)   \
  X(_ZN6rclcpp4spinESt10shared_ptrINS_4NodeEE, true)                                   \
  X(_ZN6rclcpp4spinERKSt10shared_ptrINS_15node_interfaces17NodeBaseInterfaceEE, false) \
  X(_ZN6rclcpp4spinERKSt10shared_ptrINS_4NodeEE, true)

/* Executor::add_callback_group(CallbackGroup::SharedPtr, NodeBaseInterface::SharedPtr, bool).
 * X(symbol). */
#define TAKT_ADD_GROUP_SYMBOLS(X)                                                                                              \
  X(_ZN6rclcpp8Executor18add_callback_groupESt10shared_ptrINS_13CallbackGroupEES1_INS_15node_interfaces17NodeBaseInterfaceEEb) \
  X(_ZN6rclcpp8Executor18add_callback_groupERKSt10shared_ptrINS_13CallbackGroupEERKS1_INS_15node_interfaces17NodeBaseInterfaceEEb)

/* EventsExecutor::handle_updated_entities(bool), from Kilted on. */
#define TAKT_EVENTS_UPDATED \
  _ZN6rclcpp12experimental9executors14EventsExecutor23handle_updated_entitiesEb

/* In Jazzy an EventsExecutor listens to new nodes and groups in these functions, before it
 * notifies. X(symbol, what, the function's name in the symbol). Parameters: executor, pointer to a
 * std::shared_ptr to the base interface of a node or to a group, bool. */
#define TAKT_COLLECT_SYMBOLS(X)                                                                                                \
  X(_ZN6rclcpp12experimental9executors14EventsExecutor8add_nodeESt10shared_ptrINS_15node_interfaces17NodeBaseInterfaceEEb,     \
    TAKT_ADDS_NODE, "8add_nodeE")                                                                                              \
  X(_ZN6rclcpp12experimental9executors14EventsExecutor11remove_nodeESt10shared_ptrINS_15node_interfaces17NodeBaseInterfaceEEb, \
    TAKT_REMOVES_NODE, "11remove_nodeE")                                                                                       \
  X(_ZN6rclcpp12experimental9executors14EventsExecutor21remove_callback_groupESt10shared_ptrINS_13CallbackGroupEEb,            \
    TAKT_REMOVES_GROUP, "21remove_callback_groupE")

/* The same for a new group: its node is the second parameter. */
#define TAKT_EVENTS_ADD_GROUP \
  _ZN6rclcpp12experimental9executors14EventsExecutor18add_callback_groupESt10shared_ptrINS_13CallbackGroupEES3_INS_15node_interfaces17NodeBaseInterfaceEEb

/* The functions by which a node's parts register each new timer, subscription, service, client and
 * waitable: (this, pointer to a std::shared_ptr to it, pointer to a std::shared_ptr to its group).
 * X(symbol, the function's name in the symbol). Humble to Kilted. */
#define TAKT_MADE_SYMBOLS(X)                                                                                                  \
  X(_ZN6rclcpp15node_interfaces10NodeTimers9add_timerESt10shared_ptrINS_9TimerBaseEES2_INS_13CallbackGroupEE,                 \
    "9add_timerE")                                                                                                            \
  X(_ZN6rclcpp15node_interfaces10NodeTopics16add_subscriptionESt10shared_ptrINS_16SubscriptionBaseEES2_INS_13CallbackGroupEE, \
    "16add_subscriptionE")                                                                                                    \
  X(_ZN6rclcpp15node_interfaces12NodeServices11add_serviceESt10shared_ptrINS_11ServiceBaseEES2_INS_13CallbackGroupEE,         \
    "11add_serviceE")                                                                                                         \
  X(_ZN6rclcpp15node_interfaces12NodeServices10add_clientESt10shared_ptrINS_10ClientBaseEES2_INS_13CallbackGroupEE,           \
    "10add_clientE")                                                                                                          \
  X(_ZN6rclcpp15node_interfaces13NodeWaitables12add_waitableESt10shared_ptrINS_8WaitableEES2_INS_13CallbackGroupEE,           \
    "12add_waitableE")

/* Functions of rclcpp::Executor that takt leaves to rclcpp; the report says that the program calls
 * them. X(symbol, name). Durations are passed as a number of nanoseconds. */
#define TAKT_STOCK_SYMBOLS(X)                                                                    \
  X(_ZN6rclcpp8Executor9spin_someENSt6chrono8durationIlSt5ratioILl1ELl1000000000EEEE, spin_some) \
  X(_ZN6rclcpp8Executor8spin_allENSt6chrono8durationIlSt5ratioILl1ELl1000000000EEEE, spin_all)   \
  X(_ZN6rclcpp8Executor9spin_onceENSt6chrono8durationIlSt5ratioILl1ELl1000000000EEEE, spin_once)

/* Executor::spin_until_future_complete_impl, from Jazzy on. Returns a number. */
#define TAKT_SPIN_UNTIL_FUTURE_COMPLETE \
  _ZN6rclcpp8Executor31spin_until_future_complete_implENSt6chrono8durationIlSt5ratioILl1ELl1000000000EEEERKSt8functionIFSt13future_statusS5_EE

/* Functions of rcl that set what an arrival calls. X(type of the handle, function). libtakt_rclcpp
 * defines them too, for programs that link it: listen/rcl_functions.cpp. */
#define TAKT_RCL_LISTENERS(X)                                         \
  X(rcl_subscription_t, rcl_subscription_set_on_new_message_callback) \
  X(rcl_service_t, rcl_service_set_on_new_request_callback)           \
  X(rcl_client_t, rcl_client_set_on_new_response_callback)            \
  X(rcl_timer_t, rcl_timer_set_on_reset_callback)                     \
  X(rcl_event_t, rcl_event_set_callback)

#endif /* SHIM__HOOKED_SYMBOLS_H_ */
