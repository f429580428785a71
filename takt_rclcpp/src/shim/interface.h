/* The functions that the shim calls in the implementation, which was built for the loaded rclcpp.
 * Plain C, because the shim does not know rclcpp's classes: it passes on pointers to executors,
 * nodes and groups. */
#ifndef SHIM__INTERFACE_H_
#define SHIM__INTERFACE_H_

#include <sched.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAKT_INTERFACE_VERSION 9
#define TAKT_INTERFACE_SYMBOL "takt_rclcpp_interface"

enum takt_host_kind
{
  TAKT_HOST_SINGLE_THREADED = 1,
  TAKT_HOST_MULTI_THREADED = 2,
  TAKT_HOST_EVENTS = 3
};

enum takt_collects
{
  TAKT_ADDS_NODE = 1,
  TAKT_REMOVES_NODE = 2,
  TAKT_ADDS_GROUP = 3,
  TAKT_REMOVES_GROUP = 4
};

enum takt_form
{
  TAKT_MESSAGE = 1,
  TAKT_SERIALIZED = 2,
  TAKT_LOANED = 3
};

struct takt_interface
{
  int version;
  /* Called first: takt's variables that were removed from the environment ("NAME=value", the last
   * one null; they live as long as the process), and the cores with which the program was started.
   */
  void (*begin)(const char * const * variables, const cpu_set_t * cores);
  /* Runs the spin of `executor`. 0: the spin is over. 1: it did not begin, the reason is printed,
   * and rclcpp's own loop must run. Rethrows the exceptions of the program's callbacks. */
  int (*spin)(void * executor, enum takt_host_kind kind);
  /* The executor's nodes or groups changed. 1: takt runs the executor and follows the change. 0:
   * the shim must tell rclcpp. */
  int (*changed)(void * executor);
  /* A node or group is added to the executor or removed: a pointer to a std::shared_ptr to a node's
   * base interface or to a group. 1: takt runs the executor, and has changed its collection. 0: the
   * shim must tell the executor. Throws rclcpp's exceptions. */
  int (*collects)(void * executor, enum takt_collects what, void * object);
  /* `rclcpp::spin` of a node; `node_base`: pointer to a std::shared_ptr to its base interface.
   * Returns as `spin`. */
  int (*spin_node)(void * node_base);
  /* As `spin_node`; `node`: pointer to a std::shared_ptr to an rclcpp::Node. */
  int (*spin_whole_node)(void * node);
  /* A group is added to an executor by itself: pointers to std::shared_ptrs to the group and to the
   * base interface of its node. rclcpp's executors do not store this node. */
  void (*group_added)(void * group, void * node_base);
  /* Called around each publish, on the publishing thread; `publisher` is an rcl_publisher_t.
   * Real-time safe. */
  void (*publish_begins)(const void * publisher);
  void (*publish_ended)(void);
  /* Called before a publish. 1: takt publishes the message later, and the publish has succeeded. 0:
   * the shim must publish. A message of the form TAKT_LOANED belongs to takt from then on. */
  int (*hold)(const void * publisher, const void * message, enum takt_form form);
  /* rcl ends this rcl_publisher_t after this call. */
  void (*publisher_ends)(const void * publisher);
  /* The middleware gave the message that this thread publishes its source time, in nanoseconds.
   * Real-time safe. */
  void (*message_named)(long long source_time);
  /* The program sets `callback`, an rcl_event_callback_t, for arrivals at `handle`, an object of
   * rcl. 1: takt listens there, and calls `callback` from here on. 0: the shim must tell rcl. */
  int (*listener_set)(
    const void * handle, void (*callback)(const void *, unsigned long), const void * data);
  /* The calling thread sent a request of this number by `client`, an rcl_client_t. Real-time safe.
   */
  void (*request_sent)(const void * client, long long number);
  /* The calling thread begins to answer a client whether an action's server accepts its goal.
   * Real-time safe. */
  void (*goal_answer_begins)(void);
  /* The server has recorded the goal. Real-time safe. */
  void (*goal_known)(void);
};

/* The shim's functions that the implementation calls, by their dynamic symbols.
 * `takt_preload_made_as` returns the number of an rclcpp::TimerBase, SubscriptionBase, ServiceBase,
 * ClientBase or Waitable in the order in which the nodes of this process got theirs, from 1 on. 0:
 * unknown. Any thread; may block. */
#define TAKT_MADE_AS_SYMBOL "takt_preload_made_as"
typedef unsigned long long (*takt_made_as)(const void * object);
/* `takt_preload_type_of` returns the rosidl_message_type_support_t of an rcl_publisher_t. Null:
 * unknown. Any thread; may block. */
#define TAKT_TYPE_OF_SYMBOL "takt_preload_type_of"
typedef const void * (*takt_type_of)(const void * publisher);

#ifdef __cplusplus
}
#endif

#endif /* SHIM__INTERFACE_H_ */
