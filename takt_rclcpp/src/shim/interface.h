/* What the preloaded shim asks of the implementation that was built for the rclcpp that runs. Plain C: the
 * shim knows nothing of rclcpp's classes. Pointers to executors, nodes and groups are passed through. */
#ifndef SHIM__INTERFACE_H_
#define SHIM__INTERFACE_H_

#include <sched.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAKT_INTERFACE_VERSION 8
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

struct takt_interface
{
  int version;
  /* Before all others: takt's variables that are no longer in the environment ("NAME=value", the last one null; they
   * live as long as the process), and the cores that the program was started with. */
  void (*begin)(const char * const * variables, const cpu_set_t * cores);
  /* Runs the spin of `executor`. 0: it is over. 1: it was not begun, and the reason has been told: rclcpp's own
   * loop is to run. Throws what the program's callbacks threw. */
  int (*spin)(void * executor, enum takt_host_kind kind);
  /* The executor's nodes or groups changed. 1: takt runs it and has been told. 0: rclcpp is to be told. */
  int (*changed)(void * executor);
  /* A node or group comes to the executor or leaves it: a pointer to a std::shared_ptr to a node's base interface or to a
   * group. 1: takt runs the executor, and its collection has it. 0: the executor is to be told. Throws what rclcpp
   * throws. */
  int (*collects)(void * executor, enum takt_collects what, void * object);
  /* `rclcpp::spin` of a node, as a pointer to a std::shared_ptr to its base interface. As `spin`. */
  int (*spin_node)(void * node_base);
  /* The same of a pointer to a std::shared_ptr to an rclcpp::Node. */
  int (*spin_whole_node)(void * node);
  /* A group is added to an executor by itself: pointers to std::shared_ptrs to the group and to the base
   * interface of its node. rclcpp's executors do not keep which node that is. */
  void (*group_added)(void * group, void * node_base);
  /* Around each publish, on the thread that publishes; `publisher` is an rcl_publisher_t. Real-time safe. */
  void (*publish_begins)(const void * publisher);
  void (*publish_ended)(void);
  /* The middleware gave the message that this thread publishes its source time, in nanoseconds. Real-time safe. */
  void (*message_named)(long long source_time);
  /* Somebody sets what an arrival at `handle` (of rcl) calls, as an rcl_event_callback_t. 1: takt listens there, and
   * calls it from here on. 0: rcl is to be told. */
  int (*listener_set)(
    const void * handle, void (*callback)(const void *, unsigned long), const void * data);
  /* The calling thread sent the request of that number by `client`, an rcl_client_t. Real-time safe. */
  void (*request_sent)(const void * client, long long number);
  /* The calling thread begins to tell a client that an action's server accepts its goal, or not; the server has noted the
   * goal. Real-time safe. */
  void (*goal_answer_begins)(void);
  void (*goal_known)(void);
};

/* What the implementation asks of the shim, by its dynamic symbol: `takt_preload_made_as` of an rclcpp::TimerBase,
 * SubscriptionBase, ServiceBase, ClientBase or Waitable gives its number in the order in which the nodes of this
 * process got theirs, from 1 on. 0: nobody saw it. Any thread; may block. */
#define TAKT_MADE_AS_SYMBOL "takt_preload_made_as"
typedef unsigned long long (*takt_made_as)(const void * object);

#ifdef __cplusplus
}
#endif

#endif /* SHIM__INTERFACE_H_ */
