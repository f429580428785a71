#include "takt_rcl/executor.hpp"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <thread>
#include <utility>

#include "engine.hpp"
#include "messages/topic_transports.hpp"
#include "node_state.hpp"
#include "rcutils/logging_macros.h"
#include "rmw/rmw.h"
#include "takt_host/hosted_executor.hpp"
#include "takt_host/process_schedule.hpp"
#include "takt_rcl/error.hpp"
#include "takt_trace/executor_name.hpp"

namespace takt_rcl
{

namespace
{

takt_host::FrontEnd front_end(const std::string & executor)
{
  return {
    rmw_get_implementation_identifier(), Context::publication_sequence_supported(),
    [executor](const std::string & sentence) {
      RCUTILS_LOG_ERROR_NAMED("takt", "executor %s: %s", executor.c_str(), sentence.c_str());
    }};
}

std::unique_ptr<takt_host::HostedExecutor> without_schedule(ExecutorOptions options)
{
  const std::string name = options.name;
  auto hosted = takt_host::HostedExecutor::of_options(front_end(name), std::move(options), name);
  detail::throw_faults("cannot make the executor", hosted.faults());
  return std::move(hosted.value());
}

void raise(const takt_core::SpinOutcome & outcome)
{
  if (outcome.exception != nullptr) {
    std::rethrow_exception(outcome.exception);
  }
  detail::throw_faults("cannot spin", outcome.faults);
}

}  // namespace

Executor::Executor() : Executor(default_context())
{
}

Executor::Executor(std::shared_ptr<Context> context, ExecutorOptions options)
: engine_(Engine::create(std::move(context), without_schedule(std::move(options))))
{
}

Executor::Executor(std::shared_ptr<Engine> engine) : engine_(std::move(engine))
{
}

Executor Executor::from_schedule(
  std::shared_ptr<Context> context, const takt_schedule::Schedule & schedule,
  const std::string & executor_name)
{
  auto hosted = takt_host::HostedExecutor::of_schedule(
    front_end(executor_name), schedule, executor_name, schedule.warnings);
  detail::throw_schedule_faults("cannot make the executor", hosted.faults());
  detail::throw_schedule_faults("cannot make the executor", context->topics().add(schedule));
  Executor executor(Engine::create(std::move(context), std::move(hosted.value())));
  executor.engine_->expose();
  return executor;
}

Executor::~Executor()
{
  if (engine_ != nullptr) {
    engine_->close();
  }
}

Executor::Executor(Executor &&) noexcept = default;

Executor & Executor::operator=(Executor && other) noexcept
{
  std::swap(engine_, other.engine_);
  return *this;
}

void Executor::add_node(const std::shared_ptr<Node> & node)
{
  add_node(*node);
}
void Executor::add_node(Node & node)
{
  engine_->add(node.state_);
}
void Executor::remove_node(const std::shared_ptr<Node> & node)
{
  remove_node(*node);
}
void Executor::remove_node(Node & node)
{
  engine_->remove(*node.state_);
}

void Executor::add_callback_group(
  const CallbackGroup::SharedPtr & group, const std::shared_ptr<Node> & node)
{
  add_callback_group(group, *node);
}
void Executor::add_callback_group(const CallbackGroup::SharedPtr & group, Node & node)
{
  engine_->add(node.state_, group);
}
void Executor::remove_callback_group(const CallbackGroup::SharedPtr & group)
{
  engine_->remove(group);
}

// With an ended context no spin starts; a context that ends later cancels the spin.
bool Executor::may_spin() const
{
  if (!engine_->context()->ok()) {
    return false;
  }
  if (auto * const placer = engine_->placer(); placer != nullptr) {
    detail::throw_schedule_faults("the schedule does not fit", placer->faults());
    placer->started();
  }
  return true;
}

void Executor::spin(std::optional<takt_rt::Time> epoch)
{
  if (!may_spin()) {
    return;
  }
  // Threads of the middleware get their names some time after the creation of their entity.
  if (auto * const placer = engine_->placer(); placer != nullptr) {
    detail::throw_faults("cannot set threads of the process", placer->entity_made().faults());
  }
  engine_->expose_by_node();
  raise(engine_->core().spin(epoch));
}

bool Executor::spin_once(takt_rt::Duration timeout)
{
  bool ran = false;
  if (may_spin()) {
    raise(engine_->core().spin_once(timeout, &ran));
  }
  return ran;
}

std::size_t Executor::spin_some(takt_rt::Duration limit)
{
  std::size_t ran = 0;
  if (may_spin()) {
    raise(engine_->core().spin_some(limit, &ran));
  }
  return ran;
}

std::size_t Executor::spin_all(takt_rt::Duration limit)
{
  if (limit < takt_rt::Duration::zero()) {
    throw std::invalid_argument("spin_all needs a limit that is not negative");
  }
  const takt_rt::Time until = limit == takt_rt::Duration::zero()
                                ? takt_rt::kNever
                                : takt_rt::add_saturated(takt_rt::now(), limit);
  std::size_t ran = 0;
  for (takt_rt::Time now = takt_rt::now(); now < until && may_spin(); now = takt_rt::now()) {
    std::size_t some = 0;
    const takt_core::SpinOutcome outcome = engine_->core().spin_some(
      until == takt_rt::kNever ? takt_rt::Duration::zero() : until - now, &some);
    ran += some;
    raise(outcome);
    if (some == 0 || outcome.cancelled) {
      break;
    }
  }
  return ran;
}

// Other threads may complete the future: so this thread looks again within milliseconds.
FutureReturnCode Executor::spin_until(
  const std::function<std::optional<bool>()> & done, takt_rt::Duration timeout)
{
  constexpr takt_rt::Duration kLook = std::chrono::milliseconds(10);
  const takt_rt::Time until = timeout < takt_rt::Duration::zero()
                                ? takt_rt::kNever
                                : takt_rt::add_saturated(takt_rt::now(), timeout);
  const auto code = [](bool ready) {
    return ready ? FutureReturnCode::SUCCESS : FutureReturnCode::INTERRUPTED;
  };
  for (;;) {
    if (const auto ready = done()) {
      return code(*ready);
    }
    const takt_rt::Time now = takt_rt::now();
    if (now >= until) {
      return FutureReturnCode::TIMEOUT;
    }
    if (!may_spin()) {
      return FutureReturnCode::INTERRUPTED;
    }
    const takt_core::SpinOutcome outcome =
      engine_->core().spin_once(until == takt_rt::kNever ? kLook : std::min(kLook, until - now));
    raise(outcome);
    if (outcome.cancelled) {
      return code(done().value_or(false));
    }
  }
}

// Timers that enter an executor with an open gate keep their phase exactly; programs call these
// functions repeatedly with the same node. (A schedule opens its gate itself.)
void Executor::open_gate()
{
  if (engine_->placer() == nullptr) {
    engine_->core().scheduler().open(takt_rt::now());
  }
}

// Holds the node: a callback may release its owner's pointer, or remove the node itself.
std::size_t Executor::spin_node_some(std::shared_ptr<Node> node)
{
  struct Leave
  {
    const Engine & engine;
    NodeState & node;
    ~Leave() { node.leave(engine); }
  };
  open_gate();
  add_node(node);
  const Leave leave{*engine_, *node->state_};
  return spin_some();
}

void Executor::cancel() noexcept
{
  engine_->core().cancel();
}
bool Executor::is_spinning() const noexcept
{
  return engine_->core().running();
}

takt_rt::Faults Executor::schedule_warnings() const
{
  takt_rt::Faults all;
  if (engine_->placer() != nullptr) {
    all = engine_->placer()->warnings();
  }
  const takt_rt::Faults refused = engine_->core().refusals();
  all.insert(all.end(), refused.begin(), refused.end());
  return all;
}

takt_rt::Faults Executor::schedule_faults() const
{
  return engine_->placer() != nullptr ? engine_->placer()->faults() : takt_rt::Faults{};
}

std::vector<std::string> Executor::defaulted_callbacks() const
{
  return engine_->placer() != nullptr ? engine_->placer()->defaulted() : std::vector<std::string>{};
}

takt_core::Executor & Executor::core() noexcept
{
  return engine_->core();
}
const std::shared_ptr<Context> & Executor::context() const noexcept
{
  return engine_->context();
}

// Under the process's schedule, if there is one.
Executor Executor::of_process(const std::shared_ptr<Node> & node)
{
  auto found = takt_host::schedule_of_process(
    node->state_->ids(), takt_trace::executor_name(node->state_->fully_qualified_name()),
    node->state_->fully_qualified_name());
  detail::throw_schedule_faults("cannot use the schedule", found.faults());
  if (!found->has_value()) {
    return Executor(node->get_context());
  }
  const takt_host::ProcessSchedule & chosen = **found;
  for (const auto & warning : chosen.warnings) {
    RCUTILS_LOG_WARN_NAMED("takt", "%s", to_string(warning).c_str());
  }
  return from_schedule(node->get_context(), chosen.schedule, chosen.executor);
}

void spin(const std::shared_ptr<Node> & node)
{
  Executor executor = Executor::of_process(node);
  executor.add_node(node);
  // Before it had the node, all rules would match nothing.
  for (const auto & warning : executor.schedule_warnings()) {
    RCUTILS_LOG_WARN_NAMED("takt", "%s", to_string(warning).c_str());
  }
  executor.spin();
}

void spin_some(std::shared_ptr<Node> node)
{
  Executor executor(node->get_context());
  executor.spin_node_some(std::move(node));
}

void spin_all(const std::shared_ptr<Node> & node, takt_rt::Duration limit)
{
  Executor executor(node->get_context());
  executor.open_gate();
  executor.add_node(node);
  executor.spin_all(limit);
}

namespace executors
{

namespace
{

std::shared_ptr<Context> or_default(std::shared_ptr<Context> context)
{
  return context != nullptr ? std::move(context) : default_context();
}

ExecutorOptions with_threads(ExecutorOptions options, std::size_t threads)
{
  constexpr std::size_t kMost = takt_core::Scheduler::kMaxThreads;
  if (threads != 0) {
    options.threads.resize(threads);
  } else if (options.threads.empty()) {
    options.threads.resize(std::clamp<std::size_t>(std::thread::hardware_concurrency(), 2, kMost));
  }
  return options;
}

}  // namespace

SingleThreadedExecutor::SingleThreadedExecutor(
  std::shared_ptr<Context> context, ExecutorOptions options)
: Executor(or_default(std::move(context)), with_threads(std::move(options), 1))
{
}

MultiThreadedExecutor::MultiThreadedExecutor(
  ExecutorOptions options, std::size_t number_of_threads, std::shared_ptr<Context> context)
: Executor(or_default(std::move(context)), with_threads(std::move(options), number_of_threads))
{
}

std::size_t MultiThreadedExecutor::get_number_of_threads()
{
  return core().scheduler().thread_count();
}

}  // namespace executors
}  // namespace takt_rcl
