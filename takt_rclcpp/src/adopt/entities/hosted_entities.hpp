// Adds the nodes, groups and entities of an adopted executor to takt's executor as callbacks, and
// follows changes of nodes.
#ifndef ADOPT__ENTITIES__HOSTED_ENTITIES_HPP_
#define ADOPT__ENTITIES__HOSTED_ENTITIES_HPP_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adopt/entities/ids.hpp"
#include "adopt/entity.hpp"
#include "listen/events_host.hpp"
#include "rclcpp/executor.hpp"
#include "takt_core/adapter/placer.hpp"
#include "takt_schedule/apply_schedule.hpp"

namespace takt_rclcpp
{

/// One group of the host.
struct HostedGroup
{
  rclcpp::CallbackGroup::SharedPtr group;
  std::string node;  ///< fully qualified
  std::string id;    ///< "/node:group(default)", "/node:group(1)", ...; empty: see NamedGroup
};

/// All groups of `host`, by node name and then in the order in which the node made them.
std::vector<HostedGroup> groups_of(rclcpp::Executor & host);

/// The nodes, in the form of ids, that were added to `host` whole: `host` also gets the callbacks
/// that they make later.
std::vector<std::string> nodes_of(rclcpp::Executor & host);

/// The ids of all callbacks that `host` has now. Equal ids are not numbered.
std::vector<std::pair<std::string, takt_core::Kind>> ids_of(rclcpp::Executor & host);

/// The binding of a callback without a rule when a schedule is applied to the running program. At
/// the start of the program the callback would get the same binding.
takt_core::Binding place_unruled(
  const takt_core::Executor & core, const takt_schedule::UnruledCallback & one);

/// Follows the entities of one host. One thread at a time.
class HostedEntities
{
public:
  /// `placer`: null without a schedule.
  HostedEntities(
    rclcpp::Executor & host, EntitySettings settings, takt_core::adapter::Placer * placer);
  ~HostedEntities();
  HostedEntities(const HostedEntities &) = delete;
  HostedEntities & operator=(const HostedEntities &) = delete;

  /// Adds new entities and removes destroyed ones. Faults: callbacks that the schedule cannot
  /// place. Before `begin_from` these callbacks are omitted; afterwards they run on the threads of
  /// their group.
  takt_rt::Faults update();
  /// Announces the parts of waitables that were in the host's own queue when the spin began. Call
  /// it after the first `update`.
  void announce_before(const std::vector<QueuedPart> & parts);
  /// Sets the epoch from which the offsets of present and future timers count.
  void begin_from(takt_rt::Time epoch);
  /// Removes all entities; no listener stays. Waits for runs on other threads, also of entities
  /// that were removed before.
  void clear() noexcept;

private:
  struct Hosted
  {
    std::shared_ptr<Entity> entity;
    std::string id;
    bool by_rule = false;
  };
  using Entities = std::map<std::weak_ptr<void>, Hosted, std::owner_less<std::weak_ptr<void>>>;
  struct Group
  {
    std::shared_ptr<takt_core::Group> group;
    std::shared_ptr<takt_core::Group> timers;  ///< null: timers are in `group`
    Entities entities;
    /// For an exclusive group: the threads of its callbacks without a rule.
    std::optional<takt_core::ThreadMask> threads;
    bool ruled = false;     // a rule chose the threads
    bool isolated = false;  // the schedule gives the group its own threads
  };
  using Groups = std::map<
    rclcpp::CallbackGroup::WeakPtr, Group, std::owner_less<rclcpp::CallbackGroup::WeakPtr>>;

  /// A new entity before it is added.
  struct Candidate
  {
    std::shared_ptr<void> object;
    EntityName name;
    takt_core::Kind kind;
    unsigned number;  ///< the object's number among equal ids
    takt_core::adapter::CallbackSettings settings;
    std::function<std::shared_ptr<Entity>(
      takt_core::CallbackOptions, const takt_core::adapter::CallbackSettings &)>
      make;
  };

  bool is_in_wait_set(const EntityName & name, takt_core::Kind kind) const;
  std::shared_ptr<takt_core::Group> group_for(Group & group, takt_core::Kind kind);
  void remove_others(const std::vector<HostedGroup> & now);
  template <typename Object>
  void collect_if_new(
    Group & group, const std::shared_ptr<Object> & object, const EntityName & name,
    takt_core::Kind kind, std::vector<Candidate> & candidates);
  void place(Group & group, std::vector<Candidate> & candidates, takt_rt::Faults & faults);
  void bind_unruled(Group & group, takt_core::ThreadMask threads);
  void add(Group & group, const Candidate & candidate, takt_rt::Faults & faults);
  template <typename Object>
  std::shared_ptr<Entity> make(
    const std::shared_ptr<Object> & object, takt_core::CallbackOptions options,
    const takt_core::adapter::CallbackSettings & settings);
  void take_out(Hosted & hosted, bool waits = true) noexcept;

  rclcpp::Executor & host_;
  const EntitySettings settings_;
  takt_core::adapter::Placer * const placer_;
  std::optional<takt_rt::Time> epoch_;
  takt_core::ThreadMask least_urgent_ = 0;
  Groups groups_;
  std::vector<std::shared_ptr<Entity>> given_up_;  // removed while their callbacks ran
};

}  // namespace takt_rclcpp

#endif  // ADOPT__ENTITIES__HOSTED_ENTITIES_HPP_
