// The core executor and its placer, shared by an Executor handle and its entities.
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
  /// Null without a schedule.
  takt_core::adapter::Placer * placer() const noexcept { return hosted_->placer(); }

  void add(const std::shared_ptr<NodeState> & node);
  void remove(NodeState & node);
  void add(const std::shared_ptr<NodeState> & node, const CallbackGroup::SharedPtr & group);
  void remove(const CallbackGroup::SharedPtr & group);
  /// Opens the executor to `takt status` and `takt apply`, by its name in the schedule. On a fault
  /// the log gives the reason.
  void expose();
  /// As `expose` without a schedule, by the name of its first node; once. Does nothing without a
  /// node, or if exposed already.
  void expose_by_node();
  /// Removes all nodes and groups.
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
