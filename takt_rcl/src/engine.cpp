#include "engine.hpp"

#include <rcutils/allocator.h>
#include <rcutils/error_handling.h>
#include <rcutils/logging_macros.h>

#include <utility>

#include "messages/named_transport.hpp"
#include "node_state.hpp"
#include "takt_core/adapter/stop_signals.hpp"
#include "takt_rcl/error.hpp"
#include "takt_trace/executor_name.hpp"

namespace takt_rcl
{

namespace stop_signals = takt_core::adapter::stop_signals;

namespace
{

// rcl keeps its error text in thread-local storage, whose first use may allocate.
class PrepareThreads : public takt_core::Observer
{
public:
  takt_core::ObserverInterest interest() const noexcept override
  {
    takt_core::ObserverInterest interest;
    interest.runs = false;
    return interest;
  }
  void on_thread(std::uint32_t, const takt_rt::AttributeReport &) override
  {
    const auto allocator = rcutils_get_default_allocator();
    detail::ignore(rcutils_initialize_error_handling_thread_local_storage(allocator));
  }
};

}  // namespace

std::shared_ptr<Engine> Engine::create(
  std::shared_ptr<Context> context, std::unique_ptr<takt_host::HostedExecutor> hosted)
{
  // A context that a signal has ended is accepted: spins return at once, and the program ends
  // normally.
  context->rcl_context("cannot make an executor");
  std::shared_ptr<Engine> engine(new Engine(std::move(context), std::move(hosted)));
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

Engine::Engine(std::shared_ptr<Context> context, std::unique_ptr<takt_host::HostedExecutor> hosted)
: context_(std::move(context)),
  hosted_(std::move(hosted))
{
  const auto check = [](const takt_rt::Status & status) {
    detail::throw_faults("cannot watch the executor", status.faults());
  };
  check(hosted_->add_observer(std::make_shared<PrepareThreads>()));
  check(hosted_->record());
  if (core().options().on_exception == takt_core::ExceptionPolicy::report) {
    check(hosted_->report_exceptions());
  }
  if (placer() != nullptr) {
    check(hosted_->watch());
  }
}

Engine::~Engine()
{
  stop_signals::remove(core());
}

void Engine::expose_as(const std::string & name)
{
  takt_control::ExposedExecutor more;
  more.transport = &transport_of;
  for (const auto & fault : hosted_->expose(name, std::move(more)).faults()) {
    RCUTILS_LOG_WARN_NAMED(
      "takt", "takt status and takt apply do not reach executor %s: %s", name.c_str(),
      to_string(fault).c_str());
  }
}

void Engine::expose()
{
  expose_as(hosted_->name());
}

void Engine::expose_by_node()
{
  const auto all = nodes();
  const std::lock_guard lock(exposing_);
  if (hosted_->is_exposed() || placer() != nullptr || all.empty()) {
    return;
  }
  expose_as(takt_trace::executor_name(all.front()->fully_qualified_name()));
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
