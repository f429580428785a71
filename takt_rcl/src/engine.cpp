#include "engine.hpp"

#include <rcutils/allocator.h>
#include <rcutils/error_handling.h>
#include <rcutils/logging_macros.h>
#include <rmw/rmw.h>

#include <utility>

#include "node_state.hpp"
#include "takt_core/adapter/exception_reporter.hpp"
#include "takt_core/adapter/stop_signals.hpp"
#include "takt_rcl/error.hpp"
#include "takt_trace/executor_name.hpp"
#include "takt_trace/recording.hpp"
#include "takt_watch/watched_schedule.hpp"

namespace takt_rcl
{

namespace stop_signals = takt_core::adapter::stop_signals;

namespace
{

// rcl keeps its error text in thread-local storage; the first touch may allocate.
class PrepareThreads : public takt_core::Observer
{
public:
  void on_thread(std::uint32_t, const takt_rt::AttributeReport &) override
  {
    const auto allocator = rcutils_get_default_allocator();
    detail::ignore(rcutils_initialize_error_handling_thread_local_storage(allocator));
  }
};

}  // namespace

std::shared_ptr<Engine> Engine::create(
  std::shared_ptr<Context> context, std::unique_ptr<takt_core::Executor> core,
  std::unique_ptr<takt_core::adapter::Placer> placer)
{
  // A context that a signal has ended serves: nothing will spin, and the program ends as it should.
  context->rcl_context("cannot make an executor");
  std::shared_ptr<Engine> engine(
    new Engine(std::move(context), std::move(core), std::move(placer)));
  if (engine->context_->handles_signals()) {
    if (!stop_signals::add(engine->core())) {
      throw Error(
        "cannot make an executor: the process has " + std::to_string(stop_signals::kMostExecutors) +
        " executors that end on signals, which is the most; create the context of further "
        "executors with InitOptions::shutdown_on_signal = false");
    }
  }
  engine->context_->add(engine);
  return engine;
}

Engine::Engine(
  std::shared_ptr<Context> context, std::unique_ptr<takt_core::Executor> core,
  std::unique_ptr<takt_core::adapter::Placer> placer)
: context_(std::move(context)),
  placer_(std::move(placer)),
  core_(std::move(core))
{
  detail::throw_faults(
    "cannot watch the executor", core_->add_observer(std::make_shared<PrepareThreads>()).faults());
  detail::throw_faults(
    "cannot watch the executor",
    core_->add_observer(takt_trace::run_recorder(core_->options().name)).faults());
  if (core_->options().on_exception == takt_core::ExceptionPolicy::report) {
    auto reporter = std::make_shared<takt_core::adapter::ExceptionReporter>(
      [name = core_->options().name](const std::string & line) {
        RCUTILS_LOG_ERROR_NAMED("takt", "executor %s: %s", name.c_str(), line.c_str());
      });
    detail::throw_faults(
      "cannot watch the executor", core_->add_observer(std::move(reporter)).faults());
  }
}

Engine::~Engine()
{
  exposure_.reset();
  stop_signals::remove(*core_);
}

takt_rt::Faults Engine::expose(
  const std::string & name, const std::string & schedule_file,
  const std::vector<std::string> & default_threads)
{
  takt_control::ExposedExecutor told{core_.get(), name, schedule_file, default_threads};
  if (watching_ != nullptr) {
    told.watch = [watching = watching_.get()](
                   const takt_schedule::Schedule & schedule, bool check_only) {
      return watching->apply(schedule, check_only);
    };
    told.watch_as_before = [watching = watching_.get()] { return watching->reset(); };
  }
  auto exposed = takt_control::expose(std::move(told));
  if (!exposed.ok()) {
    return exposed.faults();
  }
  exposure_ = std::move(exposed.value());
  return {};
}

void Engine::expose_by_node()
{
  const auto all = nodes();
  const std::lock_guard lock(exposing_);
  if (exposure_ != nullptr || placer_ != nullptr || all.empty()) {
    return;
  }
  const std::string name = takt_trace::executor_name(all.front()->fully_qualified_name());
  for (const auto & fault : expose(name, "", {})) {
    RCUTILS_LOG_WARN_NAMED(
      "takt", "takt status and takt trace do not reach executor %s: %s", name.c_str(),
      to_string(fault).c_str());
  }
}

void Engine::watch(const takt_schedule::Schedule & schedule, const std::string & name)
{
  takt_watch::WatchedExecutor watched = takt_watch::watched(schedule, name, *core_);
  watched.rmw = rmw_get_implementation_identifier();
  if (!Context::publication_sequence_supported()) {
    watched.unknown.push_back(
      "lost: " + watched.rmw + " gives messages no publication sequence numbers");
  }
  auto watching = takt_watch::watch(std::move(watched));
  detail::throw_faults("cannot watch the executor", watching.faults());
  watching_ = std::move(watching.value());
}

void Engine::add(const std::shared_ptr<NodeState> & node)
{
  node->join(shared_from_this());
  remember(node);
}

void Engine::add(const std::shared_ptr<NodeState> & node, const CallbackGroup::SharedPtr & group)
{
  node->join(shared_from_this(), group);
  remember(node);
}

void Engine::remember(const std::shared_ptr<NodeState> & node)
{
  std::lock_guard lock(mutex_);
  std::erase_if(nodes_, [&](const auto & weak) {
    const auto known = weak.lock();
    return known == nullptr || known == node;
  });
  nodes_.push_back(node);
}

void Engine::remove(NodeState & node)
{
  if (!node.leave(*this)) {
    throw Error(node.fully_qualified_name() + " is not in this executor");
  }
}

void Engine::remove(const CallbackGroup::SharedPtr & group)
{
  for (const auto & node : nodes()) {
    if (node->leave(*this, *group)) {
      return;
    }
  }
  throw Error(group->id() + " was not added to this executor by itself");
}

std::vector<std::shared_ptr<NodeState>> Engine::nodes()
{
  std::vector<std::shared_ptr<NodeState>> alive;
  std::lock_guard lock(mutex_);
  for (const auto & weak : nodes_) {
    if (auto node = weak.lock(); node != nullptr) {
      alive.push_back(std::move(node));
    }
  }
  return alive;
}

void Engine::close() noexcept
{
  for (const auto & node : nodes()) {
    node->leave_all(*this);
  }
}

}  // namespace takt_rcl
