/* The functions of librclcpp that the shim stands in for, by their mangled names, and from which distribution
 * on each is there. `test/symbols_test` compares this list with the librclcpp that is found. */
#ifndef SHIM__HOOKED_SYMBOLS_H_
#define SHIM__HOOKED_SYMBOLS_H_

#include "shim/interface.h"

#define TAKT_STRING_OF(text) #text
#define TAKT_STRING(text) TAKT_STRING_OF(text)

/* X(symbol, kind). Humble to Lyrical, but for the static executor (to Kilted) and the events executor (from
 * Jazzy on). EventsCBGExecutor keeps entities in a storage of its own and is not adopted. */
#define TAKT_SPIN_SYMBOLS(X)                                                              \
  X(_ZN6rclcpp9executors22SingleThreadedExecutor4spinEv, TAKT_HOST_SINGLE_THREADED)       \
  X(_ZN6rclcpp9executors21MultiThreadedExecutor4spinEv, TAKT_HOST_MULTI_THREADED)         \
  X(_ZN6rclcpp9executors28StaticSingleThreadedExecutor4spinEv, TAKT_HOST_SINGLE_THREADED) \
  X(_ZN6rclcpp12experimental9executors14EventsExecutor4spinEv, TAKT_HOST_EVENTS)

/* rclcpp::spin(NodeBaseInterface::SharedPtr), rclcpp::spin(Node::SharedPtr). */
#define TAKT_SPIN_NODE_BASE _ZN6rclcpp4spinESt10shared_ptrINS_15node_interfaces17NodeBaseInterfaceEE
#define TAKT_SPIN_NODE _ZN6rclcpp4spinESt10shared_ptrINS_4NodeEE

/* EventsExecutor::handle_updated_entities(bool), from Kilted on. */
#define TAKT_EVENTS_UPDATED \
  _ZN6rclcpp12experimental9executors14EventsExecutor23handle_updated_entitiesEb

/* Executor::add_callback_group(CallbackGroup::SharedPtr, NodeBaseInterface::SharedPtr, bool); other names in
 * Lyrical. */
#define TAKT_ADD_GROUP \
  _ZN6rclcpp8Executor18add_callback_groupESt10shared_ptrINS_13CallbackGroupEES1_INS_15node_interfaces17NodeBaseInterfaceEEb

#endif /* SHIM__HOOKED_SYMBOLS_H_ */
