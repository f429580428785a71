// What subscriptions, timers and guard conditions have in common: an id, a group, and a core
// callback for as long as their node is in an executor.
//
// The handle that the user holds and the core callback are two objects. Destroying the handle
// silences the source and removes the callback; nothing of it starts any more. It waits for a run on
// another thread, but returns at once inside of the callback itself, and where waiting would never
// end: of callbacks that destroy each other's handles the last one does not wait. A run in progress
// then goes on. The function and the message stay with it; whatever else it uses must be held by it
// (capture shared pointers, not `this`) or outlive it.
#ifndef TAKT_RCL__ENTITY_HPP_
#define TAKT_RCL__ENTITY_HPP_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "takt_core/adapter/attachment.hpp"
#include "takt_core/adapter/placer.hpp"
#include "takt_core/callback.hpp"
#include "takt_core/scheduler.hpp"
#include "takt_rcl/callback_group.hpp"

namespace takt_rcl
{

class Engine;
class NodeState;

/// What can be said of any callback when it is created.
struct EntityOptions
{
  CallbackGroup::SharedPtr callback_group;  ///< default: the node's default group (exclusive)
  std::string name;                         ///< replaces the part in brackets of the id
  /// Thread set, priority and local deadline where no schedule rules.
  takt_core::Binding binding;
};

class Entity
{
public:
  virtual ~Entity();
  Entity(const Entity &) = delete;
  Entity & operator=(const Entity &) = delete;

  /// As schedules name it: `/ns/node:timer(100ms)`, `/ns/node:sub(/points)` (docs/schedule.md). A timer that a timer's
  /// callback makes in its own place gets that one's id when that one is given up. Real-time safe.
  const std::string & id() const noexcept { return id_; }
  takt_core::Kind kind() const noexcept { return kind_; }
  CallbackGroup & group() const noexcept { return *options_.callback_group; }

  // ---- real-time safe ----

  /// takt_core::Callback::number(): names it in activations and traces. Zero while in no executor.
  std::uint32_t number() const noexcept;
  /// Zero while in no executor.
  std::uint32_t backlog() const noexcept;
  /// Arrivals lost to a full history before they were taken, also those before and between
  /// executors. An executor counts them when it looks for the next one.
  std::uint64_t overwritten() const noexcept;

  /// The core callback, or nullptr while the node is in no executor. May block.
  std::shared_ptr<takt_core::Callback> callback() const;

protected:
  /// `stem` and `name` make the id: `<node>:<stem>(<name>)`. Throws `Error` if the options' callback
  /// group is another node's.
  Entity(
    std::shared_ptr<NodeState> node, takt_core::Kind kind, const std::string & stem,
    const std::string & name, EntityOptions options);

  /// Makes the core callback; `options` has id, kind and group already. `settings` are the schedule's,
  /// or only the options' binding where no schedule rules.
  virtual std::shared_ptr<takt_core::Callback> make(
    Engine & engine, takt_core::CallbackOptions options,
    const takt_core::adapter::CallbackSettings & settings) = 0;
  /// The callback has been added: let work reach it.
  virtual void connect(takt_core::Executor &, takt_core::Callback &) {}
  /// The callback is about to be removed: nothing may announce work to it after this.
  virtual void disconnect(takt_core::Callback &) noexcept {}
  /// The callback has been removed: nothing of it is picked any more. What was picked before is over,
  /// unless the removal could not wait for it.
  virtual void removed(takt_core::Callback &) noexcept {}

  /// Announcements for an entity that is in no executor: kept for the next one. Any thread;
  /// real-time safe, lock-free.
  void keep(std::uint64_t count) noexcept { kept_.fetch_add(count, std::memory_order_seq_cst); }
  /// Announces what was kept, if there is an executor. Any thread. Real-time safe.
  void announce_kept() noexcept;
  /// Set-up only. Arrivals that the history holds; entities that announce nothing have none.
  void set_depth(std::uint32_t depth) noexcept { depth_ = depth; }

  /// Every final class calls this first in its destructor. Idempotent. The id is free afterwards, or its successor's.
  void leave_node() noexcept;

  /// Without a node, and never in an executor.
  explicit Entity(takt_core::Kind kind, const std::string & id);

  NodeState & node() const noexcept { return *node_; }
  const std::shared_ptr<NodeState> & shared_node() const noexcept { return node_; }
  takt_core::adapter::Attachment attachment_;

private:
  friend class NodeState;

  void attach(const std::shared_ptr<Engine> & engine);
  void detach() noexcept;
  /// Of one that ends inside of its own `run`: whether that made `other` in its place.
  bool is_replaced_by(const Entity & other, const takt_core::Run & run) const noexcept;
  /// Becomes `id`, which is claimed, with the state that it has. Throws as `attach`.
  void rename(const std::string & id);

  const std::shared_ptr<NodeState> node_;
  const takt_core::Kind kind_;
  EntityOptions options_;
  const std::string base_;                   // the id before equal ones are numbered
  std::string id_;                           // changes in the run that made it at the most
  const takt_core::Callback * const maker_;  // in whose run it was made; only compared
  const takt_rt::Time made_ = takt_rt::now();
  std::atomic<bool> id_claimed_{true};
  mutable std::mutex mutex_;
  std::shared_ptr<Engine> engine_;
  std::shared_ptr<takt_core::Callback> callback_;
  std::uint32_t depth_ = 0;
  std::atomic<std::uint64_t> kept_{0};
  std::atomic<std::uint64_t> overwritten_before_{0};  // before the present executor
  std::atomic<std::uint64_t> overwritten_{0};         // at the last removal from one
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__ENTITY_HPP_
