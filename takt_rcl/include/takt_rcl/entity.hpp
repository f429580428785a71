// The common base of subscriptions, services, clients, timers and guard conditions: an id, a group,
// and a core callback as long as the node is in an executor.
//
// The user's handle and the core callback are two objects. Destroying the handle silences the
// source and removes the callback, which starts no more runs. The destructor waits for a run on
// another thread. It does not wait inside the callback itself, nor where waiting would never end:
// of callbacks that destroy each other's handles the last one does not wait. A run in progress then
// continues. The run keeps the function and the message. Other objects that it uses must be held by
// the function (capture shared pointers, not `this`) or outlive the run.
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

/// Options of every callback at its creation.
struct EntityOptions
{
  CallbackGroup::SharedPtr callback_group;  ///< default: the node's default group (exclusive)
  std::string name;                         ///< replaces the part in brackets of the id
  /// Thread set, priority and local deadline without a schedule.
  takt_core::Binding binding;
};

/// A timer, subscription, service, client or guard condition of a node. Its handle may be destroyed
/// on any thread, also in its callback.
class Entity
{
public:
  virtual ~Entity();
  Entity(const Entity &) = delete;
  Entity & operator=(const Entity &) = delete;

  /// The id in schedules: `/ns/node:timer(100ms)`, `/ns/node:sub(/points)` (docs/schedule.md). If a
  /// timer's callback replaces its timer, the new timer gets the old one's id at the old one's end.
  /// Real-time safe.
  const std::string & id() const noexcept { return id_; }
  /// Real-time safe.
  takt_core::Kind kind() const noexcept { return kind_; }
  /// Never null. Real-time safe.
  CallbackGroup & group() const noexcept { return *options_.callback_group; }

  // ---- real-time safe ----

  /// takt_core::Callback::number(): the callback's number in activations and traces. Zero outside
  /// of executors.
  std::uint32_t number() const noexcept;
  /// Zero outside of executors.
  std::uint32_t backlog() const noexcept;
  /// Arrivals lost to a full history before their take, including those before and between
  /// executors. An executor counts them when it looks for the next arrival.
  std::uint64_t overwritten() const noexcept;

  /// The core callback, or nullptr outside of executors. May block.
  std::shared_ptr<takt_core::Callback> callback() const;

protected:
  /// The id is `<node>:<stem>(<name>)`. Throws `Error` if the options' callback group belongs to
  /// another node.
  Entity(
    std::shared_ptr<NodeState> node, takt_core::Kind kind, const std::string & stem,
    const std::string & name, EntityOptions options);

  /// Makes the core callback; `options` has id, kind and group. `settings`: the schedule's, or
  /// without a schedule only the options' binding.
  virtual std::shared_ptr<takt_core::Callback> make(
    Engine & engine, takt_core::CallbackOptions options,
    const takt_core::adapter::CallbackSettings & settings) = 0;
  /// The callback has been added: the source may announce messages to it from now on.
  virtual void connect(takt_core::Executor &, takt_core::Callback &) {}
  /// The callback is about to be removed: the source must not announce to it after this.
  virtual void disconnect(takt_core::Callback &) noexcept {}
  /// The callback has been removed: the executor picks it no more. Earlier picks have ended, unless
  /// the removal could not wait for them.
  virtual void removed(takt_core::Callback &) noexcept {}

  /// Keeps announcements for the next executor while the entity is in none. Any thread; real-time
  /// safe, lock-free.
  void keep(std::uint64_t count) noexcept { kept_.fetch_add(count, std::memory_order_seq_cst); }
  /// Announces the kept ones if there is an executor. Any thread. Real-time safe.
  void announce_kept() noexcept;
  /// The source dropped the messages of the kept announcements. Call while the source announces
  /// nothing. Real-time safe, lock-free.
  void drop_kept() noexcept;
  /// Set-up only. Arrivals that the history holds; 0 for entities that announce nothing.
  void set_depth(std::uint32_t depth) noexcept { depth_ = depth; }

  /// The destructor of every final class calls this first. Idempotent. Afterwards the id is free,
  /// or belongs to the successor.
  void leave_node() noexcept;

  /// An entity without a node, never in an executor.
  explicit Entity(takt_core::Kind kind, const std::string & id);

  NodeState & node() const noexcept { return *node_; }
  const std::shared_ptr<NodeState> & shared_node() const noexcept { return node_; }
  takt_core::adapter::Attachment attachment_;

private:
  friend class NodeState;
  friend class Trigger;

  /// The program's rule. Throws `Error` in an executor.
  void do_not_trigger(const takt_core::NonTriggering & rule);
  /// The program's rules, where the schedule has none.
  void add_own_rules(takt_core::adapter::CallbackSettings & settings) const;

  void attach(const std::shared_ptr<Engine> & engine);
  void detach() noexcept;
  /// For an entity that ends inside its own `run`: whether that run made `other` as its
  /// replacement.
  bool is_replaced_by(const Entity & other, const takt_core::Run & run) const noexcept;
  /// Takes the claimed id `id` and keeps its state. Throws as `attach`.
  void rename(const std::string & id);

  const std::shared_ptr<NodeState> node_;
  const takt_core::Kind kind_;
  EntityOptions options_;
  const std::string base_;                   // the id before the numbering of equal ones
  std::string id_;                           // changes at most in the run that made the entity
  const takt_core::Callback * const maker_;  // whose run made the entity; only compared
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
