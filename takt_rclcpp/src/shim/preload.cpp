// The preloaded shim: defines the spins of rclcpp's executors, so that a compiled program runs
// under takt without a change.
//
//     LD_PRELOAD=libtakt_preload.so TAKT_SCHEDULE=schedule.yaml program
//
// It does not know rclcpp's classes and links nothing of ROS, so it may be loaded into every
// program that a launcher starts. In a program without rclcpp only its constructor runs. When the
// program initialises rclcpp, the shim loads the implementation that lies beside it and was built
// for the loaded rclcpp; without rclcpp::init, it does so at the first spin. If a part does not
// fit, rclcpp's own loop runs, and the shim prints one sentence why.
#include <dlfcn.h>
#include <sched.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "shim/creations.hpp"
#include "shim/environment.hpp"
#include "shim/hooked_symbols.h"
#include "shim/interface.h"
#include "shim/librclcpp.hpp"
#include "shim/publisher_types.hpp"
#include "shim/say.hpp"
#include "shim/stock_note.hpp"
#include "shim/vtables.hpp"

namespace takt_preload
{
namespace
{

// The cores with which the program was started: its threads may have pinned themselves before takt
// is loaded.
constinit cpu_set_t g_cores{};

std::string folder_of_this_library()
{
  Dl_info info{};
  if (::dladdr(reinterpret_cast<void *>(&folder_of_this_library), &info) == 0) {
    return {};
  }
  const std::string path = info.dli_fname;
  return path.substr(0, path.rfind('/') + 1);
}

std::atomic<const takt_interface *> g_implementation{nullptr};
std::atomic<bool> g_called{false};  // the program called a spin that this library defines

const takt_interface * load()
{
  const char * const named = std::getenv("TAKT_IMPLEMENTATION");
  const std::string path =
    named != nullptr ? named : folder_of_this_library() + "libtakt_rclcpp.so";
  void * const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    say("takt's library for rclcpp cannot be loaded: " + std::string(::dlerror()));
    return nullptr;
  }
  using Get = const takt_interface * (*)();
  const auto get = reinterpret_cast<Get>(::dlsym(library, TAKT_INTERFACE_SYMBOL));
  const takt_interface * const found = get == nullptr ? nullptr : get();
  if (found == nullptr || found->version != TAKT_INTERFACE_VERSION) {
    say(path + " does not fit libtakt_preload.so; install both from one version of takt");
    return nullptr;
  }
  found->begin(taken_variables(), &g_cores);
  return found;
}

const takt_interface * implementation()
{
  static const takt_interface * const loaded = [] {
    take_variables();
    const takt_interface * const found = load();
    g_implementation.store(found, std::memory_order_release);
    return found;
  }();
  return loaded;
}

// With TAKT_STRICT=1 rclcpp's own loop must not run.
void end_if_strict()
{
  if (std::strcmp(variable("TAKT_STRICT"), "1") == 0) {
    say("the program ends here, because takt cannot run it and --strict (TAKT_STRICT=1) is given");
    std::_Exit(2);
  }
}

void must_run_stock()
{
  end_if_strict();
  say("rclcpp's own loop runs instead of takt's, because takt's library was not loaded");
}

template <typename Function>
Function stock(const char * symbol)
{
  void * const found = stock_symbol(symbol);
  if (found == nullptr) {
    say(
      std::string("rclcpp's function ") + symbol + " is not to be found; the program cannot go on");
    std::abort();
  }
  return reinterpret_cast<Function>(found);
}

// Notes the first call of a function that takt leaves as it is.
template <typename Function>
Function noted_stock(const char * symbol, const char * name)
{
  g_called.store(true);
  take_variables();
  note_stock(name);
  return stock<Function>(symbol);
}

void spin(void * executor, takt_host_kind kind, const char * symbol)
{
  g_called.store(true);
  if (const takt_interface * const takt = implementation(); takt == nullptr) {
    must_run_stock();
  } else if (takt->spin(executor, kind) == 0) {
    return;
  }
  stock<void (*)(void *)>(symbol)(executor);
}

// Only needed if librclcpp's own calls bypass the dynamic symbols. Otherwise rclcpp makes an
// executor for the node, and its spin comes through `spin`.
void spin_node(void * node, bool whole, const char * symbol)
{
  g_called.store(true);
  if (calls_are_bound_inside()) {
    if (const takt_interface * const takt = implementation(); takt == nullptr) {
      must_run_stock();
    } else if ((whole ? takt->spin_whole_node : takt->spin_node)(node) == 0) {
      return;
    }
  }
  stock<void (*)(void *)>(symbol)(node);
}

// Notes an executor that takt cannot adopt.
void note_not_adopted(const char * name)
{
  g_called.store(true);
  take_variables();
  note_stock(
    (std::string("spin of an ") + name).c_str(), "takt does not run executors of this class yet");
  if (std::strcmp(variable("TAKT_QUIET"), "1") != 0 || *variable("TAKT_STRICT") != '\0') {
    say(std::string(name) + " spins by itself: takt does not run executors of this class yet");
  }
  end_if_strict();
}

__attribute__((constructor)) void begin()
{
  ::sched_getaffinity(0, sizeof g_cores, &g_cores);
  if (librclcpp() != nullptr) {
    // Early, while no other thread reads the environment.
    take_variables();
    patch_vtables();
  }
}

// If the program has rclcpp but called no spin that takt knows, the report says why it is empty.
__attribute__((destructor)) void end()
{
  if (!g_called.load() && librclcpp() != nullptr) {
    note_unseen();
  }
}

}  // namespace
}  // namespace takt_preload

#define TAKT_HOOK extern "C" __attribute__((visibility("default")))

// Loads the implementation before threads of the program spin: loading takes a tenth of a second,
// and rclcpp loses a cancel that comes before the executor says that it spins. A node on simulated
// time begins such a spin, and a short-lived node cancels it at once.
TAKT_HOOK void TAKT_INIT(
  int count, const char * const * arguments, const void * options, int signal_handlers)
{
  using Function = void (*)(int, const char * const *, const void *, int);
  takt_preload::stock<Function>(TAKT_STRING(TAKT_INIT))(count, arguments, options, signal_handlers);
  static_cast<void>(takt_preload::implementation());
}

#define TAKT_SPIN(symbol, kind)                  \
  TAKT_HOOK void symbol(void * executor)         \
  {                                              \
    takt_preload::spin(executor, kind, #symbol); \
  }
TAKT_SPIN_SYMBOLS(TAKT_SPIN)

#define TAKT_SPIN_OF_NODE(symbol, whole)           \
  TAKT_HOOK void symbol(void * node)               \
  {                                                \
    takt_preload::spin_node(node, whole, #symbol); \
  }
TAKT_SPIN_NODE_SYMBOLS(TAKT_SPIN_OF_NODE)

TAKT_HOOK void TAKT_CBG_SPIN(void * executor)
{
  takt_preload::note_not_adopted("EventsCBGExecutor");
  takt_preload::stock<void (*)(void *)>(TAKT_STRING(TAKT_CBG_SPIN))(executor);
}

TAKT_HOOK void TAKT_CBG_SPIN_HANDLING(void * executor, const void * handler)
{
  takt_preload::note_not_adopted("EventsCBGExecutor");
  takt_preload::stock<void (*)(void *, const void *)>(TAKT_STRING(TAKT_CBG_SPIN_HANDLING))(
    executor, handler);
}

// `node` points to the std::shared_ptr that the caller passes.
#define TAKT_ADDED_NODE(symbol)                                     \
  TAKT_HOOK void symbol(void * executor, void * node, bool notify)  \
  {                                                                 \
    takt_preload::note_class(executor);                             \
    using Function = void (*)(void *, void *, bool);                \
    takt_preload::stock<Function>(#symbol)(executor, node, notify); \
  }
TAKT_ADD_NODE_SYMBOLS(TAKT_ADDED_NODE)

// Without this function an EventsExecutor would listen to new entities by itself while takt
// listens.
TAKT_HOOK void TAKT_EVENTS_UPDATED(void * executor, bool notify)
{
  const takt_interface * const takt =
    takt_preload::g_implementation.load(std::memory_order_acquire);
  if (takt == nullptr || takt->changed(executor) == 0) {
    takt_preload::stock<void (*)(void *, bool)>(TAKT_STRING(TAKT_EVENTS_UPDATED))(executor, notify);
  }
}

namespace takt_preload
{
namespace
{

bool takt_collects_it(void * executor, enum takt_collects what, void * object)
{
  const takt_interface * const takt = g_implementation.load(std::memory_order_acquire);
  return takt != nullptr && takt->collects(executor, what, object) != 0;
}

}  // namespace
}  // namespace takt_preload

#define TAKT_COLLECT(symbol, what, function)                            \
  TAKT_HOOK void symbol(void * executor, void * object, bool notify)    \
  {                                                                     \
    if (!takt_preload::takt_collects_it(executor, what, object)) {      \
      using Function = void (*)(void *, void *, bool);                  \
      takt_preload::stock<Function>(#symbol)(executor, object, notify); \
    }                                                                   \
  }
TAKT_COLLECT_SYMBOLS(TAKT_COLLECT)

TAKT_HOOK void TAKT_EVENTS_ADD_GROUP(void * executor, void * group, void * node_base, bool notify)
{
  if (const takt_interface * const takt = takt_preload::implementation(); takt != nullptr) {
    takt->group_added(group, node_base);
  }
  if (!takt_preload::takt_collects_it(executor, TAKT_ADDS_GROUP, group)) {
    using Function = void (*)(void *, void *, void *, bool);
    takt_preload::stock<Function>(TAKT_STRING(TAKT_EVENTS_ADD_GROUP))(
      executor, group, node_base, notify);
  }
}

#define TAKT_STOCK(symbol, name)                                                         \
  TAKT_HOOK void symbol(void * executor, std::int64_t duration)                          \
  {                                                                                      \
    using Function = void (*)(void *, std::int64_t);                                     \
    static const Function g_stock = takt_preload::noted_stock<Function>(#symbol, #name); \
    g_stock(executor, duration);                                                         \
  }
TAKT_STOCK_SYMBOLS(TAKT_STOCK)

TAKT_HOOK int TAKT_SPIN_UNTIL_FUTURE_COMPLETE(
  void * executor, std::int64_t timeout, const void * wait_for_future)
{
  using Function = int (*)(void *, std::int64_t, const void *);
  static const Function g_stock = takt_preload::noted_stock<Function>(
    TAKT_STRING(TAKT_SPIN_UNTIL_FUTURE_COMPLETE), "spin_until_future_complete");
  return g_stock(executor, timeout, wait_for_future);
}

// The executor does not store a group's node, so record it here.
#define TAKT_ADDED_GROUP(symbol)                                                               \
  TAKT_HOOK void symbol(void * executor, void * group, void * node_base, bool notify)          \
  {                                                                                            \
    if (const takt_interface * const takt = takt_preload::implementation(); takt != nullptr) { \
      takt->group_added(group, node_base);                                                     \
    }                                                                                          \
    using Function = void (*)(void *, void *, void *, bool);                                   \
    takt_preload::stock<Function>(#symbol)(executor, group, node_base, notify);                \
  }
TAKT_ADD_GROUP_SYMBOLS(TAKT_ADDED_GROUP)

// Equal ids are numbered in the order in which the node got their objects. rclcpp does not store
// this order.
#define TAKT_MADE(symbol, function)                                     \
  TAKT_HOOK void symbol(void * part, void * object, void * group)       \
  {                                                                     \
    using Function = void (*)(void *, void *, void *);                  \
    static const auto g_stock = takt_preload::stock<Function>(#symbol); \
    takt_preload::note_made(object);                                    \
    g_stock(part, object, group);                                       \
  }
TAKT_MADE_SYMBOLS(TAKT_MADE)

namespace takt_preload
{
namespace
{

using Publish = int (*)(const void *, const void *, void *);

// Publishing takes locks of the middleware that do not inherit priority, so executor threads
// publish at their middleware ceiling. The hook also records the topics that callbacks publish, for
// a model of the program.
int publish(
  std::atomic<Publish> & known, const char * symbol, takt_form form, const void * publisher,
  const void * message, void * allocation)
{
  Publish function = known.load(std::memory_order_relaxed);
  if (function == nullptr) {
    function = stock<Publish>(symbol);
    known.store(function, std::memory_order_relaxed);
  }
  const takt_interface * const takt = g_implementation.load(std::memory_order_acquire);
  if (takt == nullptr) {
    return function(publisher, message, allocation);
  }
  if (takt->hold(publisher, message, form) != 0) {
    return 0;  // RCL_RET_OK
  }
  takt->publish_begins(publisher);
  const int result = function(publisher, message, allocation);
  takt->publish_ended();
  return result;
}

}  // namespace
}  // namespace takt_preload

#define TAKT_PUBLISH(symbol, form)                                                        \
  TAKT_HOOK int symbol(const void * publisher, const void * message, void * allocation)   \
  {                                                                                       \
    static std::atomic<takt_preload::Publish> g_stock{nullptr};                           \
    return takt_preload::publish(g_stock, #symbol, form, publisher, message, allocation); \
  }
TAKT_PUBLISH(rcl_publish, TAKT_MESSAGE)
TAKT_PUBLISH(rcl_publish_serialized_message, TAKT_SERIALIZED)
TAKT_PUBLISH(rcl_publish_loaned_message, TAKT_LOANED)

// Records the types of publishers: a message that is held back is serialised.
TAKT_HOOK int rcl_publisher_init(
  void * publisher, const void * node, const void * type, const char * topic, const void * options)
{
  using Init = int (*)(void *, const void *, const void *, const char *, const void *);
  static const auto g_stock = takt_preload::stock<Init>("rcl_publisher_init");
  const int result = g_stock(publisher, node, type, topic, options);
  if (result == 0) {
    takt_preload::note_publisher(publisher, type);
  }
  return result;
}

TAKT_HOOK int rcl_publisher_fini(void * publisher, void * node)
{
  using Fini = int (*)(void *, void *);
  static const auto g_stock = takt_preload::stock<Fini>("rcl_publisher_fini");
  if (
    const takt_interface * const takt =
      takt_preload::g_implementation.load(std::memory_order_acquire)) {
    takt->publisher_ends(publisher);
  }
  takt_preload::forget_publisher(publisher);
  return g_stock(publisher, node);
}

// Keeps takt's listener in force: this listener calls the function that the program sets.
#define TAKT_LISTENER(Handle, symbol)                                                            \
  TAKT_HOOK int symbol(                                                                          \
    const void * handle, void (*callback)(const void *, unsigned long), const void * data)       \
  {                                                                                              \
    using Function = int (*)(const void *, void (*)(const void *, unsigned long), const void *); \
    static const Function g_stock = takt_preload::stock<Function>(#symbol);                      \
    const takt_interface * const takt =                                                          \
      takt_preload::g_implementation.load(std::memory_order_acquire);                            \
    if (takt != nullptr && takt->listener_set(handle, callback, data) != 0) {                    \
      return 0; /* RCL_RET_OK */                                                                 \
    }                                                                                            \
    return g_stock(handle, callback, data);                                                      \
  }
TAKT_RCL_LISTENERS(TAKT_LISTENER)

// Records requests: a model of the program needs to know which callbacks wait for each other.
TAKT_HOOK int rcl_send_request(
  const void * client, const void * request, std::int64_t * sequence_number)
{
  using Send = int (*)(const void *, const void *, std::int64_t *);
  static const auto g_stock = takt_preload::stock<Send>("rcl_send_request");
  const int result = g_stock(client, request, sequence_number);
  const takt_interface * const takt =
    takt_preload::g_implementation.load(std::memory_order_acquire);
  if (takt != nullptr && result == 0 && sequence_number != nullptr) {
    takt->request_sent(client, *sequence_number);
  }
  return result;
}

// rclcpp_action answers the client before it records the goal, and the client may ask for the
// result in between.
TAKT_HOOK int rcl_action_send_goal_response(const void * server, void * header, void * response)
{
  using Send = int (*)(const void *, void *, void *);
  static const auto g_stock = takt_preload::stock<Send>("rcl_action_send_goal_response");
  if (
    const takt_interface * const takt =
      takt_preload::g_implementation.load(std::memory_order_acquire)) {
    takt->goal_answer_begins();
  }
  return g_stock(server, header, response);
}

TAKT_HOOK void * rcl_action_accept_new_goal(void * server, const void * goal)
{
  using Accept = void * (*)(void *, const void *);
  static const auto g_stock = takt_preload::stock<Accept>("rcl_action_accept_new_goal");
  void * const handle = g_stock(server, goal);
  if (
    const takt_interface * const takt =
      takt_preload::g_implementation.load(std::memory_order_acquire)) {
    takt->goal_known();
  }
  return handle;
}

// The middleware's tracepoint, if it has one. Only it knows the source time, by which a later take
// recognises the message.
TAKT_HOOK void ros_trace_rmw_publish(
  const void * publisher, const void * message, std::int64_t source_time)
{
  using Trace = void (*)(const void *, const void *, std::int64_t);
  static const auto g_stock =
    reinterpret_cast<Trace>(takt_preload::stock_symbol("ros_trace_rmw_publish"));
  if (g_stock != nullptr) {
    g_stock(publisher, message, source_time);
  }
  if (
    const takt_interface * const takt =
      takt_preload::g_implementation.load(std::memory_order_acquire)) {
    takt->message_named(source_time);
  }
}
