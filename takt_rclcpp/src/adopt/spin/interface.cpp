// The implementation of shim/interface.h.
#include "shim/interface.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <vector>

#include "adopt/entities/group_nodes.hpp"
#include "adopt/held_messages.hpp"
#include "adopt/host_access.hpp"
#include "adopt/process_settings.hpp"
#include "adopt/publishing.hpp"
#include "adopt/report.hpp"
#include "adopt/spin/adoption.hpp"
#include "adopt/spin/end_of_context.hpp"
#include "listen/events_host.hpp"
#include "listen/goal_gate.hpp"
#include "listen/own_listeners.hpp"
#include "listen/rcl_functions.hpp"
#include "rclcpp/contexts/default_context.hpp"
#include "rclcpp/executors/multi_threaded_executor.hpp"
#include "rclcpp/executors/single_threaded_executor.hpp"
#include "rclcpp/node.hpp"
#include "rclcpp/version.h"

namespace takt_rclcpp
{
namespace
{

// Never destroyed: a thread or an object of the program may spin until the process has ended.
struct Adoptions
{
  std::timed_mutex mutex;
  std::atomic<pid_t> process{0};  // the process of the last adoption; a child of fork has none
  std::map<const void *, Adoption *> by_host;
};

constinit std::atomic<Adoptions *> g_adoptions{nullptr};

// A child of fork gets a new table: it has no adoptions, and its parent's threads may have locked
// the old table.
Adoptions & adoptions()
{
  static const int g_once =
    ::pthread_atfork(nullptr, nullptr, [] { g_adoptions.store(new Adoptions); });
  static_cast<void>(g_once);
  Adoptions * found = g_adoptions.load();
  if (found == nullptr) {
    auto made = std::make_unique<Adoptions>();
    if (g_adoptions.compare_exchange_strong(found, made.get())) {
      found = made.release();
    }
  }
  return *found;
}

HostKind kind_of(rclcpp::Executor & host, takt_host_kind kind)
{
  switch (kind) {
    case TAKT_HOST_MULTI_THREADED:
      return HostKind::multi_threaded;
    case TAKT_HOST_EVENTS:
      return runs_timers_apart(host) ? HostKind::events_and_timers : HostKind::events;
    case TAKT_HOST_SINGLE_THREADED:
      break;
  }
  return HostKind::single_threaded;
}

// rclcpp's own loop will run: prints the reason and adds it to the report. If the user requires
// takt (--strict), ends the program.
int stock(const std::string & executor, const takt_rt::Faults & faults)
{
  std::string reason;
  for (const auto & fault : faults) {
    say(executor + ": " + takt_rt::to_string(fault), true);
    reason += (reason.empty() ? "" : "; ") + takt_rt::to_string(fault);
  }
  write_stock_note(executor, reason, process_settings().report_directory);
  if (process_settings().strict) {
    say(
      "the program ends here, because takt cannot run it and --strict (TAKT_STRICT=1) is given",
      true);
    std::_Exit(2);
  }
  say(executor + ": rclcpp's own loop runs instead of takt's, without the schedule", true);
  return 1;
}

// While it lives, `adoptions` knows the host's adoption.
class Known
{
public:
  Known(const void * host, Adoption & adoption) : host_(host)
  {
    const std::lock_guard lock(adoptions().mutex);
    adoptions().process.store(::getpid());
    adoptions().by_host[host_] = &adoption;
  }
  ~Known()
  {
    const std::lock_guard lock(adoptions().mutex);
    adoptions().by_host.erase(host_);
  }
  Known(const Known &) = delete;
  Known & operator=(const Known &) = delete;

private:
  const void * const host_;
};

// Nothing if the context has ended meanwhile: then the caller needs no result.
std::optional<takt_rt::Result<std::unique_ptr<Adoption>>> adopt(
  rclcpp::Executor & host, HostKind kind, std::size_t threads)
{
  try {
    return Adoption::create(host, kind, process_settings(), threads);
  } catch (const std::exception &) {
    if (rclcpp::ok(HostAccess::context_of(host))) {
      throw;
    }
    return std::nullopt;
  }
}

// The result of `layouts_agree`, checked once. Nothing: the context has ended, so the check was not
// possible.
std::optional<bool> layouts_agree_for_good(const std::shared_ptr<rclcpp::Context> & context)
{
  constexpr int kUnknown = -1;
  static std::atomic<int> g_agree{kUnknown};
  if (g_agree.load() == kUnknown) {
    bool agree = false;
    try {
      agree = layouts_agree(context);
    } catch (const std::exception &) {
      if (rclcpp::ok(context)) {
        throw;
      }
    }
    if (!agree && !rclcpp::ok(context)) {
      return std::nullopt;
    }
    g_agree.store(agree ? 1 : 0);
  }
  return g_agree.load() == 1;
}

int spin(void * executor, takt_host_kind kind)
{
  // rclcpp::Executor is the primary base of all executors of rclcpp, so the object begins with it.
  auto & host = *static_cast<rclcpp::Executor *>(executor);
  const auto context = HostAccess::context_of(host);
  if (!rclcpp::ok(context)) {
    return 1;  // rclcpp's own loop will return at once
  }
  const auto agree = layouts_agree_for_good(context);
  if (!agree) {
    return 1;  // the context has ended meanwhile, as above
  }
  if (!*agree) {
    const std::string & found = found_rclcpp();
    return stock(
      name_executor(host),
      {"this program runs with rclcpp " + (found.empty() ? "of another version" : found) +
       ", and takt was built for " RCLCPP_VERSION_STR
       "; source the ROS 2 that the program uses, and build takt again"});
  }
  const HoldsTheEnd holds(context);
  if (HostAccess::spinning_of(host).exchange(true)) {
    throw std::runtime_error("spin() called while already spinning");
  }
  struct Spinning
  {
    std::atomic_bool & flag;
    ~Spinning() { flag.store(false); }
  };
  std::optional<Spinning> spinning{std::in_place, HostAccess::spinning_of(host)};
  auto * const pool = dynamic_cast<rclcpp::executors::MultiThreadedExecutor *>(&host);
  takt_rt::Faults faults;
  {
    const auto adoption =
      adopt(host, kind_of(host, kind), pool == nullptr ? 1 : pool->get_number_of_threads());
    if (!adoption) {
      return 1;  // the context has ended meanwhile
    }
    faults = adoption->faults();
    if (adoption->ok()) {
      const Known known(executor, ***adoption);
      faults = (**adoption)->spin();
    }
  }
  if (faults.empty()) {
    return 0;
  }
  spinning.reset();
  return stock(name_executor(host), faults);
}

void begin(const char * const * variables, const cpu_set_t * cores)
{
  leave_requests_to_the_shim();
  for (; *variables != nullptr; ++variables) {
    tell_variable(*variables);
  }
  std::vector<int> usable;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, cores)) {
      usable.push_back(core);
    }
  }
  if (!usable.empty()) {
    takt_rt::set_usable_cores(usable);
  }
  // Check now and not in the first spin, because the program may cancel a spin during the check.
  if (const auto context = rclcpp::contexts::get_global_default_context(); rclcpp::ok(context)) {
    try {
      static_cast<void>(layouts_agree_for_good(context));
    } catch (const std::exception &) {  // the first spin checks again, and can report it
    }
  }
}

int changed(void * executor)
{
  const std::lock_guard lock(adoptions().mutex);
  const auto found = adoptions().by_host.find(executor);
  if (found == adoptions().by_host.end()) {
    return 0;
  }
  found->second->changed();
  return 1;
}

int collects(void * executor, takt_collects what, void * object)
{
  const std::lock_guard lock(adoptions().mutex);
  const auto found = adoptions().by_host.find(executor);
  if (found == adoptions().by_host.end()) {
    return 0;
  }
  auto & collector = HostAccess::collector_of(*static_cast<rclcpp::Executor *>(executor));
  const auto node = [&]() -> auto &
  {
    return *static_cast<rclcpp::node_interfaces::NodeBaseInterface::SharedPtr *>(object);
  };
  const auto group = [&]() -> auto &
  {
    return *static_cast<rclcpp::CallbackGroup::SharedPtr *>(object);
  };
  switch (what) {
    case TAKT_ADDS_NODE:
      collector.add_node(node());
      break;
    case TAKT_REMOVES_NODE:
      collector.remove_node(node());
      break;
    case TAKT_ADDS_GROUP:
      collector.add_callback_group(group());
      break;
    case TAKT_REMOVES_GROUP:
      collector.remove_callback_group(group());
      break;
  }
  found->second->changed();
  return 1;
}

int spin_base(const rclcpp::node_interfaces::NodeBaseInterface::SharedPtr & node)
{
  rclcpp::ExecutorOptions options;
  options.context = node->get_context();
  rclcpp::executors::SingleThreadedExecutor executor(options);
  executor.add_node(node);
  struct Remove
  {
    rclcpp::Executor & executor;
    const rclcpp::node_interfaces::NodeBaseInterface::SharedPtr & node;
    ~Remove()
    {
      try {
        executor.remove_node(node);
      } catch (const std::exception & error) {
        say(std::string("a node could not be removed after its spin: ") + error.what(), true);
      }
    }
  } const remove{executor, node};
  return spin(&executor, TAKT_HOST_SINGLE_THREADED);
}

int spin_node(void * node)
{
  return spin_base(*static_cast<rclcpp::node_interfaces::NodeBaseInterface::SharedPtr *>(node));
}

int spin_whole_node(void * node)
{
  return spin_base((*static_cast<rclcpp::Node::SharedPtr *>(node))->get_node_base_interface());
}

void group_added(void * group, void * node_base)
{
  remember_node(
    *static_cast<rclcpp::CallbackGroup::SharedPtr *>(group),
    *static_cast<rclcpp::node_interfaces::NodeBaseInterface::SharedPtr *>(node_base));
}

int listener_set(
  const void * handle, void (*callback)(const void *, unsigned long), const void * data)
{
  return program_sets(handle, callback, data) ? 1 : 0;
}

void request_sent(const void * client, long long number)
{
  Recorder::note_request(client, number);
}

void goal_answer_begins()
{
  GoalGate::answer_begins();
}

void goal_known()
{
  GoalGate::goal_known();
}

// Reports the spins that still run at process exit. The program's own objects are destroyed by
// then, but threads may spin until the process ends.
__attribute__((destructor)) void report_what_still_spins() noexcept
{
  Adoptions & all = adoptions();
  constexpr std::chrono::seconds kPatience{1};  // `exit` may have been called with the mutex held
  if (all.process.load() != ::getpid() || !all.mutex.try_lock_for(kPatience)) {
    return;
  }
  try {
    for (const auto & [host, adoption] : all.by_host) {
      adoption->report();
    }
  } catch (const std::exception & error) {
    say(std::string("a report cannot be written: ") + error.what(), true);
  }
  all.mutex.unlock();
}

}  // namespace
}  // namespace takt_rclcpp

// Only the preloaded library looks this up.
extern "C" __attribute__((visibility("default"))) const takt_interface * takt_rclcpp_interface()
{
  static const takt_interface interface = {
    TAKT_INTERFACE_VERSION,
    &takt_rclcpp::begin,
    &takt_rclcpp::spin,
    &takt_rclcpp::changed,
    &takt_rclcpp::collects,
    &takt_rclcpp::spin_node,
    &takt_rclcpp::spin_whole_node,
    &takt_rclcpp::group_added,
    &takt_rclcpp::publish_begins,
    &takt_rclcpp::publish_ended,
    [](const void * publisher, const void * message, takt_form form) {
      return takt_rclcpp::hold_message(publisher, message, form) ? 1 : 0;
    },
    &takt_rclcpp::end_held_messages,
    [](long long source_time) { takt_rclcpp::message_named(source_time); },
    &takt_rclcpp::listener_set,
    &takt_rclcpp::request_sent,
    &takt_rclcpp::goal_answer_begins,
    &takt_rclcpp::goal_known};
  return &interface;
}
