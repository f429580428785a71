#include "adopt/spin/engine.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include <rmw/rmw.h>

#include "adopt/entities/hosted_entities.hpp"
#include "adopt/entity.hpp"
#include "takt_core/adapter/callback_ids.hpp"
#include "takt_schedule/choose_executor.hpp"
#include "takt_schedule/pattern.hpp"
#include "takt_schedule/resolver.hpp"
#include "takt_trace/executor_name.hpp"

namespace takt_rclcpp
{
namespace
{

using takt_core::ExceptionPolicy;
using takt_rt::Faults;

// A container is recognised by its service `load_node`: it has no components when it begins to
// spin.
bool is_container(const HostContent & content)
{
  return std::any_of(content.callbacks.begin(), content.callbacks.end(), [](const auto & id) {
    return id.ends_with("/_container/load_node)");
  });
}

HostContent content_of(rclcpp::Executor & host)
{
  HostContent content{{}, nodes_of(host)};
  for (auto & [id, kind] : ids_of(host)) {
    content.callbacks.push_back(std::move(id));
  }
  return content;
}

std::atomic<bool> g_in_container{false};

/// True for the executor of one component, in a container that gives each component its own. The
/// container has already printed the messages that hold for all.
bool is_of_component(const HostContent & content)
{
  return g_in_container.load() && !is_container(content);
}

/// Returns a function that is true for callbacks that may be added after the start: those of nodes
/// with a life cycle and, in a container, of nodes that it has yet to load. Any executor of a
/// container's process may get these.
std::function<bool(std::string_view)> callbacks_to_come(const HostContent & content)
{
  if (is_container(content)) {
    g_in_container.store(true);
  }
  std::vector<std::string> managed;
  for (const std::string & node : content.nodes) {
    const auto service = takt_core::adapter::callback_id(node, "service", node + "/change_state");
    if (
      std::find(content.callbacks.begin(), content.callbacks.end(), service) !=
      content.callbacks.end()) {
      managed.push_back(node);
    }
  }
  return [nodes = content.nodes, managed = std::move(managed),
          in_container = g_in_container.load()](std::string_view pattern) {
    const auto names = [&](const std::string & node) {
      return takt_schedule::may_match_callback_of(pattern, node);
    };
    return std::any_of(managed.begin(), managed.end(), names) ||
           (in_container && std::none_of(nodes.begin(), nodes.end(), names));
  };
}

std::set<std::string> ids_in_chains(const takt_schedule::Schedule & schedule)
{
  std::set<std::string> ids;
  for (const auto & chain : schedule.chains) {
    ids.insert(chain.options.path.begin(), chain.options.path.end());
  }
  return ids;
}

/// The schedule's executor for this host; empty: none. A container has no components when it begins
/// to spin, so its own node identifies it.
takt_schedule::ExecutorChoice choose_executor(
  const takt_schedule::Schedule & schedule, const std::string & asked, const HostContent & content,
  const std::string & first_node)
{
  if (!asked.empty()) {
    return {asked, takt_schedule::rules_of_others(schedule, asked, content.callbacks)};
  }
  auto choice = takt_schedule::choose_executor(
    schedule, content.callbacks, takt_trace::executor_name(first_node), content.nodes);
  // Take the only executor of a schedule if it has no rules, or if the host is a container, whose
  // components come later.
  if (
    choice.name.empty() && schedule.executors.size() == 1 &&
    (schedule.executors.front().callbacks.empty() || is_container(content))) {
    choice.name = schedule.executors.front().name;
  }
  return choice;
}

bool is_exclusive(HostKind kind)
{
  return kind != HostKind::multi_threaded && kind != HostKind::own;
}

// As in rclcpp's pool, the kernel gives the threads the name of the thread that starts them. takt's
// commands distinguish them by numbers.
std::vector<takt_core::ExecutorThreadOptions> inherited_threads(std::size_t count)
{
  std::vector<takt_core::ExecutorThreadOptions> threads(count);
  const std::string name = takt_rt::read_attributes().name;
  for (std::size_t t = 0; t < count; ++t) {
    threads[t].attributes.name = count == 1 ? name : name + "." + std::to_string(t);
  }
  return threads;
}

/// Passes an exception of a callback to the callback's host, so that it does not end the spins of
/// other hosts.
class FailureObserver final : public takt_core::Observer
{
public:
  takt_core::ObserverInterest interest() const noexcept override
  {
    takt_core::ObserverInterest interest;
    interest.runs = false;
    return interest;
  }
  void on_exception(
    const takt_core::Run & run, const std::exception_ptr & exception) noexcept override
  {
    const auto * const entity = dynamic_cast<const Entity *>(run.callback);
    if (entity != nullptr && entity->facts.owner != nullptr) {
      entity->facts.owner->failed(exception);
    }
  }
};

takt_host::FrontEnd front_end()
{
  return {
    rmw_get_implementation_identifier(), publication_sequence_supported(),
    [](const std::string & sentence) { say(sentence, true); }};
}

// An executor refuses these settings only while it spins, and it does not spin yet.
void must(const takt_rt::Status & status)
{
  if (!status.ok()) {
    throw std::logic_error(takt_rt::to_string(status.faults().front()));
  }
}

}  // namespace

struct Engine::Parts
{
  std::string schedule_executor;  // empty: no rules
  bool on_caller = true;
  bool shared = false;
  bool component = false;
  bool reported = false;
  ExceptionPolicy on_exception = ExceptionPolicy::stop;
  std::unique_ptr<takt_host::HostedExecutor> hosted;
};

takt_rt::Result<std::shared_ptr<Engine>> Engine::find_or_make(
  rclcpp::Executor & host, HostKind kind, const std::string & name,
  const ProcessSettings & settings, std::size_t threads)
{
  static std::mutex & g_mutex = *new std::mutex;  // never destroyed: see name_executor
  static auto & g_shared = *new std::map<std::string, std::weak_ptr<Engine>>;
  if (!settings.faults.empty()) {
    return settings.faults;
  }
  std::string executor;
  HostContent content;
  if (settings.schedule) {
    content = content_of(host);
    const auto choice = choose_executor(*settings.schedule, settings.executor, content, name);
    executor = choice.name;
    for (const auto & warning : choice.warnings) {
      say(name + ": " + takt_rt::to_string(warning));
    }
    if (executor.empty() && !settings.quiet) {
      std::string names;
      for (const auto & one : settings.schedule->executors) {
        names += (names.empty() ? "" : ", ") + one.name;
      }
      say(
        name +
        ": no rule of the schedule names a callback of this executor, so it runs without the "
        "schedule; "
        "`--executor NAME` for this program alone chooses one of the schedule's executors: " +
        names);
    }
  }
  const std::lock_guard lock(g_mutex);
  if (kind != HostKind::own) {
    if (const auto known = g_shared[executor].lock(); known != nullptr) {
      const auto same = [&](const auto & one) { return one.name == executor; };
      const auto & executors = settings.schedule->executors;
      const auto found = std::find_if(executors.begin(), executors.end(), same);
      if (!is_exclusive(kind) || (found != executors.end() && found->parallel)) {
        known->await(callbacks_to_come(content));
        return known;
      }
    }
  }
  auto made = make(kind, name, executor, content, settings, threads);
  if (made.ok() && made.value()->placer() != nullptr) {
    made.value()->await(callbacks_to_come(content));
  }
  if (made.ok() && made.value()->is_shared()) {
    g_shared[executor] = made.value();
  }
  return made;
}

takt_rt::Result<std::shared_ptr<Engine>> Engine::make(
  HostKind kind, const std::string & name, const std::string & executor_name,
  const HostContent & content, const ProcessSettings & settings, std::size_t threads)
{
  Parts parts;
  parts.reported = !settings.report_directory.empty();
  if (executor_name.empty()) {
    takt_core::ExecutorOptions options;
    options.name = "takt";
    options.order = takt_core::Order::fifo;
    // As in rclcpp's pool. The kernel cannot refuse this start: the threads request no attributes.
    options.begins_with_first = true;
    const std::size_t exclusive = kind == HostKind::events_and_timers ? 2 : 1;
    options.threads =
      inherited_threads(is_exclusive(kind) ? exclusive : std::max<std::size_t>(threads, 1));
    if (options.threads.size() > takt_core::Scheduler::kMaxThreads) {
      return Faults{
        "the pool has " + std::to_string(options.threads.size()) +
        " threads, and an executor of takt has at most " +
        std::to_string(takt_core::Scheduler::kMaxThreads)};
    }
    auto hosted = takt_host::HostedExecutor::of_options(
      front_end(), std::move(options), takt_trace::executor_name(name));
    if (!hosted.ok()) {
      return hosted.faults();
    }
    parts.hosted = std::move(hosted.value());
    std::shared_ptr<Engine> engine(new Engine(std::move(parts)));
    engine->expose(is_exclusive(kind), kind == HostKind::events_and_timers);
    return engine;
  }
  takt_schedule::Schedule schedule = *settings.schedule;
  Faults notes = schedule.warnings;
  parts.schedule_executor = executor_name;
  parts.component = is_of_component(content);
  const auto executor = std::find_if(
    schedule.executors.begin(), schedule.executors.end(),
    [&](const auto & one) { return one.name == executor_name; });
  if (executor != schedule.executors.end()) {
    parts.on_exception = executor->on_exception;
    if (is_exclusive(kind) && !executor->parallel) {
      if (settings.strict && !parts.component) {
        if (Faults broken = must_keep_rules(*executor, content); !broken.empty()) {
          return broken;
        }
      }
      Faults told;
      keep_exclusive(*executor, content, kind == HostKind::events_and_timers, told);
      if (!parts.component) {
        notes.insert(notes.end(), told.begin(), told.end());
      }
    } else {
      parts.on_caller = false;
      parts.shared = kind != HostKind::own;
      if (parts.shared) {
        executor->on_exception = ExceptionPolicy::report;  // see FailureObserver
      }
    }
  }
  auto hosted =
    takt_host::HostedExecutor::of_schedule(front_end(), schedule, executor_name, std::move(notes));
  if (!hosted.ok()) {
    return hosted.faults();
  }
  parts.hosted = std::move(hosted.value());
  std::shared_ptr<Engine> engine(new Engine(std::move(parts)));
  engine->remember(schedule);
  const bool exclusive =
    is_exclusive(kind) && executor != schedule.executors.end() && !executor->parallel;
  engine->expose(exclusive, kind == HostKind::events_and_timers);
  return engine;
}

Engine::Engine(Parts parts)
: schedule_executor_(std::move(parts.schedule_executor)),
  on_caller_(parts.on_caller),
  shared_(parts.shared),
  component_(parts.component),
  hosted_(std::move(parts.hosted)),
  recorder_(std::make_shared<Recorder>(parts.reported))
{
  must(hosted_->add_observer(recorder_));
  must(hosted_->record());
  if (parts.on_exception == ExceptionPolicy::report) {
    must(hosted_->report_exceptions());
  } else if (shared_) {
    must(hosted_->add_observer(std::make_shared<FailureObserver>()));
  }
  must(hosted_->watch(placer() != nullptr));
  // Open the gate now, so that timers keep the phases that the program gave them. No callback runs
  // before the threads start.
  core()->scheduler().open(takt_rt::now());
}

void Engine::expose(bool exclusive, bool timers_apart)
{
  takt_control::ExposedExecutor told;
  told.place = [core = core().get()](const takt_schedule::UnruledCallback & one) {
    return place_unruled(*core, one);
  };
  told.goes_with_group = [](const takt_core::Callback & callback) {
    const auto * const entity = dynamic_cast<const Entity *>(&callback);
    return entity != nullptr && entity->facts.follows_group;
  };
  hangs_ = std::make_unique<Hangs::Watching>(
    Hangs::Watched{core(), hosted_->name(), !schedule_executor_.empty(), exclusive});
  if (exclusive) {
    told.adapt = [core = core().get(), timers_apart](takt_schedule::ExecutorSchedule & executor) {
      Faults notes;
      HostContent content;
      for (const auto & callback : core->callbacks()) {
        content.callbacks.push_back(callback->id());
      }
      keep_exclusive(executor, content, timers_apart, notes);
    };
  }
  if (const auto exposed = hosted_->expose(hosted_->name(), std::move(told)); !exposed.ok()) {
    say(
      "takt status and takt apply do not reach executor " + hosted_->name() + ": " +
      takt_rt::to_string(exposed.faults().front()));
  }
}

// Call it before callbacks are added.
void Engine::remember(const takt_schedule::Schedule & schedule)
{
  if (auto rules = takt_schedule::Resolver::create(schedule, schedule_executor_); rules.ok()) {
    rules_ = std::move(*rules);
  }
  in_chains_ = ids_in_chains(schedule);
}

void Engine::await(std::function<bool(std::string_view)> may_come)
{
  const std::lock_guard lock(mutex_);
  awaited_.push_back(std::move(may_come));
  placer()->await([all = awaited_](std::string_view pattern) {
    return std::any_of(all.begin(), all.end(), [&](const auto & one) { return one(pattern); });
  });
}

bool Engine::needs_whole_history(const takt_core::CallbackOptions & callback)
{
  const std::lock_guard lock(rules_mutex_);
  if (!rules_) {
    return false;
  }
  const std::string & id = callback.chain_id.empty() ? callback.id : callback.chain_id;
  const auto resolved = rules_->resolve(id, callback.kind, true);
  return in_chains_.contains(id) ||
         (resolved.ok() && (resolved->binding.deadline || resolved->watch.backlog));
}

Faults Engine::join()
{
  const std::lock_guard lock(mutex_);
  if (spinning_ == 0) {
    if (const auto started = core()->start(); !started.ok()) {
      return started.faults();
    }
  }
  ++spinning_;
  return {};
}

void Engine::leave()
{
  const std::lock_guard lock(mutex_);
  if (--spinning_ == 0) {
    core()->cancel();
    core()->wait();
  }
}

}  // namespace takt_rclcpp
