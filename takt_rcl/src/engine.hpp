// What an Executor handle and the entities in it share: the core executor, and who decides where
// callbacks go.
#ifndef ENGINE_HPP_
#define ENGINE_HPP_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "takt_control/control_server.hpp"
#include "takt_core/adapter/placer.hpp"
#include "takt_core/executor.hpp"
#include "takt_rcl/context.hpp"
#include "takt_rcl/entity.hpp"
#include "takt_schedule/schedule.hpp"
#include "takt_watch/watch.hpp"

namespace takt_rcl
{

class NodeState;

class Engine : public std::enable_shared_from_this<Engine>
{
public:
  /// `placer`: nullptr where no schedule rules.
  static std::shared_ptr<Engine> create(
    std::shared_ptr<Context> context, std::unique_ptr<takt_core::Executor> core,
    std::unique_ptr<takt_core::adapter::Placer> placer);
  Engine(const Engine &) = delete;
  Engine & operator=(const Engine &) = delete;
  ~Engine();

  takt_core::Executor & core() const noexcept { return *core_; }
  const std::shared_ptr<Context> & context() const noexcept { return context_; }
  takt_core::adapter::Placer * placer() const noexcept { return placer_.get(); }

  void add(const std::shared_ptr<NodeState> & node);
  void remove(NodeState & node);
  void add(const std::shared_ptr<NodeState> & node, const CallbackGroup::SharedPtr & group);
  void remove(const CallbackGroup::SharedPtr & group);
  /// Lets `takt status` and `takt apply` reach it through the process's control socket. Faults: why they cannot.
  takt_rt::Faults expose(
    const std::string & name, const std::string & schedule_file,
    const std::vector<std::string> & default_threads);
  /// The same where no schedule rules, by the name of its first node; once. An executor that has no node yet, or is
  /// exposed, stays as it is.
  void expose_by_node();
  /// Has takt_watch watch it as the schedule says. Before callbacks are added.
  void watch(const takt_schedule::Schedule & schedule, const std::string & name);
  /// Takes all nodes and groups out.
  void close() noexcept;

private:
  Engine(
    std::shared_ptr<Context> context, std::unique_ptr<takt_core::Executor> core,
    std::unique_ptr<takt_core::adapter::Placer> placer);

  void remember(const std::shared_ptr<NodeState> & node);
  std::vector<std::shared_ptr<NodeState>> nodes();

  const std::shared_ptr<Context> context_;
  const std::unique_ptr<takt_core::adapter::Placer> placer_;
  const std::unique_ptr<takt_core::Executor> core_;
  std::unique_ptr<takt_watch::Watching> watching_;
  std::unique_ptr<takt_control::Exposure> exposure_;
  std::mutex exposing_;  // held while `exposure_` is made
  std::mutex mutex_;
  std::vector<std::weak_ptr<NodeState>> nodes_;
};

}  // namespace takt_rcl

#endif  // ENGINE_HPP_
