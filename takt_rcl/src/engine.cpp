#include "engine.hpp"

#include <rcutils/allocator.h>
#include <rcutils/error_handling.h>

#include <utility>

#include "node_state.hpp"
#include "placer.hpp"
#include "signals.hpp"
#include "takt_rcl/error.hpp"

namespace takt_rcl
{

namespace
{

// rcl keeps its error text in thread-local storage; the first touch may allocate.
class PrepareThreads : public takt_core::Observer
{
public:
  void on_thread(std::uint32_t, const takt_core::AttributeReport &) override
  {
    const auto allocator = rcutils_get_default_allocator();
    detail::ignore(rcutils_initialize_error_handling_thread_local_storage(allocator));
  }
};

}  // namespace

std::shared_ptr<Engine> Engine::create(
  std::shared_ptr<Context> context, std::unique_ptr<takt_core::Executor> core,
  std::unique_ptr<Placer> placer)
{
  if (!context->ok()) {
    throw Error("the context is not initialised: call takt_rcl::init first");
  }
  std::shared_ptr<Engine> engine(
    new Engine(std::move(context), std::move(core), std::move(placer)));
  if (engine->context_->handles_signals()) {
    signals::add(engine->core());
  }
  engine->context_->add(engine);
  return engine;
}

Engine::Engine(
  std::shared_ptr<Context> context, std::unique_ptr<takt_core::Executor> core,
  std::unique_ptr<Placer> placer)
: context_(std::move(context)),
  placer_(std::move(placer)),
  core_(std::move(core))
{
  detail::throw_faults(
    "cannot watch the executor", core_->add_observer(std::make_shared<PrepareThreads>()).faults());
}

Engine::~Engine()
{
  signals::remove(*core_);
}

void Engine::add(const std::shared_ptr<NodeState> & node)
{
  node->join(shared_from_this());
  std::lock_guard lock(mutex_);
  std::erase_if(nodes_, [](const auto & weak) { return weak.expired(); });
  nodes_.push_back(node);
}

void Engine::remove(NodeState & node)
{
  if (!node.leave(this)) {
    throw Error(node.fully_qualified_name() + " is not in this executor");
  }
}

void Engine::close() noexcept
{
  std::vector<std::weak_ptr<NodeState>> nodes;
  {
    std::lock_guard lock(mutex_);
    nodes.swap(nodes_);
  }
  for (const auto & weak : nodes) {
    if (const auto node = weak.lock(); node != nullptr) {
      node->leave(this);
    }
  }
}

}  // namespace takt_rcl
