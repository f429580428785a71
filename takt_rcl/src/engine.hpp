// What an Executor handle and the entities in it share: the core executor, and who decides where
// callbacks go.
#ifndef ENGINE_HPP_
#define ENGINE_HPP_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "takt_core/adapter/placer.hpp"
#include "takt_core/executor.hpp"
#include "takt_host/hosted_executor.hpp"
#include "takt_rcl/context.hpp"
#include "takt_rcl/entity.hpp"

namespace takt_rcl
{

class NodeState;

class Engine : public std::enable_shared_from_this<Engine>
{
public:
  static std::shared_ptr<Engine> create(
    std::shared_ptr<Context> context, std::unique_ptr<takt_host::HostedExecutor> hosted);
  Engine(const Engine &) = delete;
  Engine & operator=(const Engine &) = delete;
  ~Engine();

  takt_core::Executor & core() const noexcept { return *hosted_->core(); }
  const std::shared_ptr<Context> & context() const noexcept { return context_; }
  /// Null where no schedule rules.
  takt_core::adapter::Placer * placer() const noexcept { return hosted_->placer(); }

  void add(const std::shared_ptr<NodeState> & node);
  void remove(NodeState & node);
  void add(const std::shared_ptr<NodeState> & node, const CallbackGroup::SharedPtr & group);
  void remove(const CallbackGroup::SharedPtr & group);
  /// Lets `takt status` and `takt apply` reach it, by its name in the schedule. If they cannot, the log says why.
  void expose();
  /// The same where no schedule rules, by the name of its first node; once. An executor that has no node yet, or is
  /// exposed, stays as it is.
  void expose_by_node();
  /// Takes all nodes and groups out.
  void close() noexcept;

private:
  Engine(std::shared_ptr<Context> context, std::unique_ptr<takt_host::HostedExecutor> hosted);

  void expose_as(const std::string & name);
  void remember(const std::shared_ptr<NodeState> & node);
  std::vector<std::shared_ptr<NodeState>> nodes();

  const std::shared_ptr<Context> context_;
  const std::unique_ptr<takt_host::HostedExecutor> hosted_;
  std::mutex exposing_;  // held while it is exposed
  std::mutex mutex_;
  std::vector<std::weak_ptr<NodeState>> nodes_;
};

}  // namespace takt_rcl

#endif  // ENGINE_HPP_
