// A node's middleware handle, names and entities. Lives until its last entity is gone.
#ifndef NODE_STATE_HPP_
#define NODE_STATE_HPP_

#include <rcl/node.h>

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

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
  ~NodeState();
  NodeState(const NodeState &) = delete;
  NodeState & operator=(const NodeState &) = delete;

  const std::shared_ptr<Context> & context() const noexcept { return context_; }
  rcl_node_t * rcl() noexcept { return &node_; }
  const std::string & fully_qualified_name() const noexcept { return name_; }
  const CallbackGroup::SharedPtr & default_group() const noexcept { return default_group_; }
  CallbackGroup::SharedPtr make_group(CallbackGroupType type, const std::string & name);

  /// A name as rcl expands and remaps topic names.
  std::string resolve_topic(const std::string & topic);

  /// `<node>:<stem>(<name>)`, with the lowest free `#n` if that is taken.
  std::string claim_id(const std::string & stem, const std::string & name);

  /// The entity belongs to the node now, and to its executor if there is one. Throws `Error`.
  void adopt(const std::shared_ptr<Entity> & entity);
  /// An entity's destructor.
  void forget(const std::string & id) noexcept;

  /// Something was made in the middleware: applies the schedule's rules for process threads.
  void entity_made();

  /// Puts all entities into the executor. Throws `Error`; then none is in it.
  void join(const std::shared_ptr<Engine> & engine);
  /// Takes all entities out; waits for runs on other threads. False if not in `engine` (nullptr:
  /// any).
  bool leave(const Engine * engine) noexcept;

private:
  std::vector<std::shared_ptr<Entity>> entities();

  const std::shared_ptr<Context> context_;
  rcl_node_t node_;
  bool rosout_ = false;
  std::string name_;
  CallbackGroup::SharedPtr default_group_;

  // Held while entities are attached, never while a removal waits for a run.
  std::mutex mutex_;
  std::shared_ptr<Engine> engine_;
  std::vector<std::weak_ptr<Entity>> entities_;

  std::mutex names_mutex_;
  std::set<std::string> ids_;
  std::set<std::string> group_ids_;
  unsigned groups_ = 0;
};

}  // namespace takt_rcl

#endif  // NODE_STATE_HPP_
