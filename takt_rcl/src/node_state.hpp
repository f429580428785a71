// A node's middleware handle, names and entities. Lives until its last entity has ended.
#ifndef NODE_STATE_HPP_
#define NODE_STATE_HPP_

#include <rcl/node.h>

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "takt_core/adapter/id_registry.hpp"
#include "takt_rcl/callback_group.hpp"
#include "takt_rcl/context.hpp"
#include "takt_rcl/entity.hpp"
#include "takt_rcl/node_options.hpp"

namespace takt_rcl
{

class Engine;
class IntraProcess;

/// rcl does not allow concurrent creation and destruction of middleware entities; this mutex
/// serialises them.
std::mutex & rcl_mutex();

class NodeState
{
public:
  NodeState(
    const std::string & name, const std::string & namespace_, const NodeOptions & options,
    ParameterMap & overrides);
  NodeState(const NodeState &) = delete;
  NodeState & operator=(const NodeState &) = delete;

  const std::shared_ptr<Context> & context() const noexcept { return context_; }
  rcl_node_t * rcl() noexcept { return &handle_.node; }
  /// The registry of messages by pointer in the node's context.
  IntraProcess & intra_process() noexcept { return *intra_process_; }
  bool uses_intra_process(IntraProcessSetting setting) const noexcept
  {
    return setting == IntraProcessSetting::Enable ||
           (setting == IntraProcessSetting::NodeDefault && intra_process_by_default_);
  }
  const std::string & fully_qualified_name() const noexcept { return name_; }
  const CallbackGroup::SharedPtr & default_group() const noexcept { return default_group_; }
  CallbackGroup::SharedPtr make_group(
    CallbackGroupType type, const std::string & name, bool automatic = true);

  /// Throws `Error` if the group belongs to another node.
  void must_own(const CallbackGroup & group) const;

  /// A name as rcl expands and remaps topic names.
  std::string resolve_topic(const std::string & topic);

  /// `<node>:<stem>(<name>)`.
  std::string base_id(const std::string & stem, const std::string & name) const;
  /// `base`, with the lowest free `#n` if that is taken.
  std::string claim_id(const std::string & base);

  /// Adds the entity to the node and to its executor, if any. Throws `Error`.
  void adopt(const std::shared_ptr<Entity> & entity);
  void release_id(const std::string & id) noexcept;
  /// `gone` ends inside its own `run`, on this thread: a replacement made in that run gets its id.
  /// False without a replacement. Waits for no run.
  bool give_id(const Entity & gone, const takt_core::Run & run) noexcept;
  /// The ids of its callbacks.
  std::vector<std::string> ids();
  /// Called by an entity's destructor.
  void forget_ended() noexcept;

  /// An entity was made in the middleware: applies the schedule's rules for process threads.
  void entity_made();

  // ---- executors: node_executors.cpp ----

  /// Adds the present and later entities of all groups that come with the node to the executor. On
  /// a fault, also during a `leave`, throws `Error` and adds none.
  void join(const std::shared_ptr<Engine> & engine);
  /// As above for the entities of one group.
  void join(const std::shared_ptr<Engine> & engine, const CallbackGroup::SharedPtr & group);

  /// Removes the entities of the first `join`; waits as entity.hpp says. False if they are not in
  /// `engine`, or if another thread or an outer call of this one is removing them.
  bool leave(const Engine & engine) noexcept;
  /// As above for the second `join`.
  bool leave(const Engine & engine, const CallbackGroup & group) noexcept;
  /// Leaves `engine` with the node and all its groups.
  void leave_all(const Engine & engine) noexcept;
  /// At the node's end: removes all entities from all executors.
  void leave_all() noexcept;

private:
  using Entities = std::vector<std::shared_ptr<Entity>>;
  // In an executor until the last entity has left it: no entity enters another one before.
  struct Membership
  {
    std::shared_ptr<Engine> engine;
    bool leaving = false;
  };
  struct Own
  {
    std::shared_ptr<CallbackGroup> group;
    // Without an engine: the group was removed by itself, and stays out although its node is in.
    Membership membership;
  };

  // Call with the mutex held.
  std::vector<Own>::iterator own(const CallbackGroup & group) noexcept;
  const Membership & membership_of(const CallbackGroup & group) noexcept;
  std::vector<Own> forget_stayed_out();
  Entities entities_of(const CallbackGroup & group, Entities & held);
  Entities entities_of_node(Entities & held);
  Entities entities();
  std::exception_ptr attach(
    const Entities & entities, const std::shared_ptr<Engine> & engine) noexcept;

  static void detach(const Entities & entities) noexcept;
  template <typename Undo>
  void settle(const Engine & engine, std::exception_ptr failed, Undo undo);
  void may_join(const Engine & engine) const;
  static void must_be_out(const std::string & id, const Membership & membership);

  const std::shared_ptr<Context> context_;
  const std::shared_ptr<rcl_context_t> rcl_context_;  // kept beyond the context's shutdown
  const std::shared_ptr<IntraProcess> intra_process_;
  const bool intra_process_by_default_;
  // Finalises itself, also if the rest of the constructor throws.
  struct Handle
  {
    ~Handle();
    rcl_node_t node = rcl_get_zero_initialized_node();
    bool rosout = false;
  } handle_;
  std::string name_;
  const std::shared_ptr<takt_core::adapter::IdRegistry> group_ids_ =
    std::make_shared<takt_core::adapter::IdRegistry>();
  std::atomic<unsigned> groups_{0};
  CallbackGroup::SharedPtr default_group_;

  // Held while entities are attached, but never while a removal waits for a run.
  std::mutex mutex_;
  Membership membership_;
  std::vector<Own> own_;  // groups that were added to an executor by themselves
  std::vector<std::weak_ptr<Entity>> entities_;

  takt_core::adapter::IdRegistry ids_;
};

}  // namespace takt_rcl

#endif  // NODE_STATE_HPP_
