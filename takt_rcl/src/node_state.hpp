// A node's middleware handle, names and entities. Lives until its last entity is gone.
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

/// Making and ending middleware entities is not thread-safe by rcl's contract; this makes it so.
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
  const std::string & fully_qualified_name() const noexcept { return name_; }
  const CallbackGroup::SharedPtr & default_group() const noexcept { return default_group_; }
  CallbackGroup::SharedPtr make_group(
    CallbackGroupType type, const std::string & name, bool automatic = true);

  /// Throws `Error` if the group is another node's.
  void must_own(const CallbackGroup & group) const;

  /// A name as rcl expands and remaps topic names.
  std::string resolve_topic(const std::string & topic);

  /// `<node>:<stem>(<name>)`.
  std::string base_id(const std::string & stem, const std::string & name) const;
  /// `base`, with the lowest free `#n` if that is taken.
  std::string claim_id(const std::string & base);

  /// The entity belongs to the node now, and to its executor if there is one. Throws `Error`.
  void adopt(const std::shared_ptr<Entity> & entity);
  void release_id(const std::string & id) noexcept;
  /// `gone` ends inside of its own `run`, on this thread: what that made in its place gets its id. False: there is no such
  /// thing. Waits for no run.
  bool give_id(const Entity & gone, const takt_core::Run & run) noexcept;
  /// Of its callbacks.
  std::vector<std::string> ids();
  /// An entity's destructor.
  void forget_ended() noexcept;

  /// Something was made in the middleware: applies the schedule's rules for process threads.
  void entity_made();

  // ---- executors: node_executors.cpp ----

  /// Puts the entities of all groups that come with the node into the executor, now and later.
  /// Throws `Error`, also while a `leave` is not over; then none is in it.
  void join(const std::shared_ptr<Engine> & engine);
  /// The same for the entities of one group.
  void join(const std::shared_ptr<Engine> & engine, const CallbackGroup::SharedPtr & group);

  /// Takes out what the first `join` put there; waits as entity.hpp says. False if not in `engine`,
  /// or about to be taken out of it by another thread or further out on this one's stack.
  bool leave(const Engine & engine) noexcept;
  /// The same for the second one.
  bool leave(const Engine & engine, const CallbackGroup & group) noexcept;
  /// Both.
  void leave_all(const Engine & engine) noexcept;
  /// The node ends: takes out all that is in any executor.
  void leave_all() noexcept;

private:
  using Entities = std::vector<std::shared_ptr<Entity>>;
  // In an executor, until the last entity has left it: nothing gets into another one before.
  struct Membership
  {
    std::shared_ptr<Engine> engine;
    bool leaving = false;
  };
  struct Own
  {
    std::shared_ptr<CallbackGroup> group;
    // No engine: the group was taken out by itself, and stays out although its node is in.
    Membership membership;
  };

  // All with the mutex held.
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
  const std::shared_ptr<rcl_context_t> rcl_context_;  // the node's, whatever becomes of the context
  // Ends itself, also where the rest of the constructor throws.
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

  // Held while entities are attached, never while a removal waits for a run.
  std::mutex mutex_;
  Membership membership_;
  std::vector<Own> own_;  // groups that were added to an executor by themselves
  std::vector<std::weak_ptr<Entity>> entities_;

  takt_core::adapter::IdRegistry ids_;
};

}  // namespace takt_rcl

#endif  // NODE_STATE_HPP_
