#include "adopt/entities/hosted_entities.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <type_traits>
#include <utility>

#include "adopt/entities/group_nodes.hpp"
#include "adopt/held_messages.hpp"
#include "adopt/host_access.hpp"
#include "adopt/observe/hangs.hpp"
#include "listen/waitable_timers.hpp"
#include "takt_core/activation.hpp"
#include "takt_core/binding_rules.hpp"
#include "takt_rt/thread_attributes.hpp"

namespace takt_rclcpp
{
namespace
{

using takt_core::Kind;

// The threads with the lowest urgency. The callbacks for parameters that rclcpp gives every node
// run there.
takt_core::ThreadMask least_urgent(const takt_core::Executor & core)
{
  const auto & threads = core.options().threads;
  const auto least =
    std::min_element(threads.begin(), threads.end(), [](const auto & a, const auto & b) {
      return takt_rt::urgency(a.attributes) < takt_rt::urgency(b.attributes);
    });
  const int urgency = takt_rt::urgency(least->attributes);
  takt_core::ThreadMask mask = 0;
  for (std::size_t t = 0; t < threads.size(); ++t) {
    if (takt_rt::urgency(threads[t].attributes) == urgency) {
      mask |= takt_core::ThreadMask{1} << t;
    }
  }
  return mask;
}

// The lowest priority that `threads` (0: all) accept: 1 if one of them follows its callbacks'
// priorities, else 0.
int lowest_priority(const takt_core::Executor & core, takt_core::ThreadMask threads)
{
  const auto & all = core.options().threads;
  for (std::size_t t = 0; t < all.size(); ++t) {
    if ((threads == 0 || (threads >> t & 1) != 0) && all[t].follow) {
      return 1;
    }
  }
  return 0;
}

// Gives a callback that follows its group the lowest priority that its threads accept. Raises other
// callbacks to at least that priority.
void put_below(
  const takt_core::Executor & core, bool follows_group, const std::string & id,
  takt_core::Binding & binding)
{
  const int lowest = lowest_priority(core, binding.threads);
  if (follows_group) {
    binding.priority = lowest;
  } else if (lowest > 0) {
    binding.priority = std::max(
      lowest,
      binding.priority.value_or(takt_core::inherited_priority(core.scheduler().chains(), id)));
  }
}

// Visits the entities of a group by kind, and within a kind in the order in which they were made.
// Omits an entity that its own callback has replaced (`gave_way`). Calls `visit` without the
// group's mutex, which rclcpp holds while it lists the entities.
template <typename Visit>
void visit_entities(
  const std::string & node, const rclcpp::CallbackGroup & group, const Visit & visit)
{
  std::vector<rclcpp::SubscriptionBase::WeakPtr> subscriptions;
  std::vector<rclcpp::ServiceBase::WeakPtr> services;
  std::vector<rclcpp::ClientBase::WeakPtr> clients;
  std::vector<rclcpp::TimerBase::WeakPtr> timers;
  std::vector<rclcpp::Waitable::WeakPtr> waitables;
  group.collect_all_ptrs(
    [&](const auto & one) { subscriptions.push_back(one); },
    [&](const auto & one) { services.push_back(one); },
    [&](const auto & one) { clients.push_back(one); },
    [&](const auto & one) { timers.push_back(one); },
    [&](const auto & one) { waitables.push_back(one); });
  const auto visit_all = [&](const auto & all, Kind kind) {
    for (const auto & weak : all) {
      if (const auto one = weak.lock(); one != nullptr && !gave_way(weak)) {
        visit(one, name_of(node, *one), kind);
      }
    }
  };
  visit_all(timers, Kind::timer);
  visit_all(subscriptions, Kind::subscription);
  visit_all(services, Kind::service);
  visit_all(clients, Kind::client);
  visit_all(waitables, Kind::waitable);
  for (const auto & weak : waitables) {
    const auto one = weak.lock();
    for (const auto & timer :
         one != nullptr ? timers_of(*one) : std::vector<rclcpp::TimerBase::SharedPtr>()) {
      visit(timer, name_of_timer(node, *one), Kind::timer);
    }
  }
}

/// The waitable for those messages of a subscription that come within the process.
const rclcpp::Waitable * waitable_of(rclcpp::SubscriptionBase & subscription)
{
  try {
    return subscription.get_intra_process_waitable().get();
  } catch (const std::exception &) {
    return nullptr;  // its context has ended
  }
}

// Numbers equal ids in the order in which the node got their objects, over all executors, so that
// the numbers do not depend on the executor that spins first. Without the shim this order is known
// only within groups.
void number_entities(
  const std::vector<rclcpp::node_interfaces::NodeBaseInterface::SharedPtr> & nodes)
{
  struct Made
  {
    unsigned long long as = 0;
    std::string id;
    std::weak_ptr<void> object;
  };
  for (const auto & node : nodes) {
    const std::string name = node_in_ids(node->get_fully_qualified_name());
    std::vector<Made> all;
    std::map<const void *, unsigned long long> with_subscription;
    node->for_each_callback_group([&](const rclcpp::CallbackGroup::SharedPtr & group) {
      visit_entities(name, *group, [&](const auto & object, const EntityName & one, Kind) {
        unsigned long long as = made_as(object.get());
        if constexpr (std::is_same_v<decltype(*object), rclcpp::SubscriptionBase &>) {
          with_subscription.emplace(waitable_of(*object), as);
        } else if (const auto found = with_subscription.find(object.get());
                   found != with_subscription.end()) {
          as = found->second;
        }
        all.push_back({as, one.id, object});
      });
    });
    std::stable_sort(
      all.begin(), all.end(), [](const Made & a, const Made & b) { return a.as < b.as; });
    for (const Made & made : all) {
      if (const auto object = made.object.lock(); object != nullptr) {
        number_among_equals(made.id, object);
      }
    }
  }
}

}  // namespace

namespace
{

std::string id_of(const std::string & node, const std::string & group)
{
  return group.empty() ? "" : takt_core::adapter::group_id(node, group);
}

}  // namespace

std::vector<HostedGroup> groups_of(rclcpp::Executor & host)
{
  // Call `get_all_callback_groups` first, because it applies pending additions and removals.
  std::vector<rclcpp::CallbackGroup::SharedPtr> alive;
  for (const auto & weak : host.get_all_callback_groups()) {
    if (auto group = weak.lock(); group != nullptr) {
      alive.push_back(std::move(group));
    }
  }
  auto nodes = CollectorAccess::nodes_of(HostAccess::collector_of(host));
  std::stable_sort(nodes.begin(), nodes.end(), [](const auto & a, const auto & b) {
    return std::string_view(a->get_fully_qualified_name()) < b->get_fully_qualified_name();
  });
  number_entities(nodes);
  std::vector<HostedGroup> groups;
  for (const auto & node : nodes) {
    const std::string name = node_in_ids(node->get_fully_qualified_name());
    for (const NamedGroup & one : name_groups(node)) {
      const auto here = std::find(alive.begin(), alive.end(), one.group);
      if (here != alive.end()) {
        groups.push_back({one.group, name, id_of(name, one.name)});
        alive.erase(here);
      }
    }
  }
  // Groups that were added without their node.
  unsigned number = 0;
  for (auto & group : alive) {
    const auto known = remembered(group);
    if (const auto node = known ? known->of.lock() : nullptr; node != nullptr) {
      number_entities({node});
    }
    const GroupName name = known ? *known : GroupName{"/unknown", std::to_string(++number), {}};
    groups.push_back({std::move(group), name.node, id_of(name.node, name.group)});
  }
  std::stable_sort(groups.begin(), groups.end(), [](const auto & a, const auto & b) {
    return std::pair(a.node, a.id) < std::pair(b.node, b.id);
  });
  return groups;
}

std::vector<std::string> nodes_of(rclcpp::Executor & host)
{
  std::vector<std::string> names;
  for (const auto & node : CollectorAccess::nodes_of(HostAccess::collector_of(host))) {
    names.push_back(node_in_ids(node->get_fully_qualified_name()));
  }
  return names;
}

std::vector<std::pair<std::string, Kind>> ids_of(rclcpp::Executor & host)
{
  std::vector<std::pair<std::string, Kind>> ids;
  for (const HostedGroup & hosted : groups_of(host)) {
    visit_entities(
      hosted.node, *hosted.group, [&](const auto &, const EntityName & name, Kind kind) {
        ids.emplace_back(name.placed_as.empty() ? name.id : name.placed_as, kind);
      });
  }
  return ids;
}

HostedEntities::HostedEntities(
  rclcpp::Executor & host, EntitySettings settings, takt_core::adapter::Placer * placer)
: host_(host),
  settings_(std::move(settings)),
  placer_(placer),
  least_urgent_(least_urgent(*settings_.core))
{
}

HostedEntities::~HostedEntities()
{
  clear();
}

takt_rt::Faults HostedEntities::update()
{
  const std::vector<HostedGroup> now = groups_of(host_);
  remove_others(now);
  takt_rt::Faults faults;
  for (const HostedGroup & hosted : now) {
    if (hosted.id.empty()) {
      continue;
    }
    Group & group = groups_[hosted.group];
    if (group.group == nullptr) {
      const bool exclusive = hosted.group->type() == rclcpp::CallbackGroupType::MutuallyExclusive;
      group.group = std::make_shared<takt_core::Group>(
        exclusive ? takt_core::GroupKind::mutually_exclusive : takt_core::GroupKind::reentrant,
        hosted.id);
    }
    std::vector<Candidate> candidates;
    visit_entities(
      hosted.node, *hosted.group, [&](const auto & object, const EntityName & name, Kind kind) {
        if (!is_in_wait_set(name, kind)) {
          collect_if_new(group, object, name, kind, candidates);
        }
      });
    if (placer_ != nullptr) {
      place(group, candidates, faults);
    }
    group.group->hold_condition();  // until all new callbacks are added
    for (const Candidate & candidate : candidates) {
      add(group, candidate, faults);
    }
    settings_.core->release_condition(*group.group);
  }
  return faults;
}

// True for a timer that a user's waitable adds to the wait set: the waitable is ready when the
// timer is.
bool HostedEntities::is_in_wait_set(const EntityName & name, Kind kind) const
{
  return settings_.asks_waitables && kind == Kind::timer && !name.follows_group &&
         name.id.ends_with(".timer)");
}

// `update` calls it first, because a new entity may have the id of a removed one.
void HostedEntities::remove_others(const std::vector<HostedGroup> & now)
{
  std::erase_if(given_up_, [&](const auto & entity) {
    const auto callback = entity->callback();
    return !settings_.core->scheduler_of(*callback).running(*callback);
  });
  std::set<std::weak_ptr<void>, std::owner_less<std::weak_ptr<void>>> alive;
  for (const HostedGroup & hosted : now) {
    alive.insert(hosted.group);
    visit_entities(hosted.node, *hosted.group, [&](const auto & object, const EntityName &, Kind) {
      alive.insert(object);
    });
  }
  for (auto group = groups_.begin(); group != groups_.end();) {
    auto & entities = group->second.entities;
    for (auto one = entities.begin(); one != entities.end();) {
      if (alive.contains(one->first)) {
        ++one;
        continue;
      }
      take_out(one->second, !gave_way(one->first));
      one = entities.erase(one);
    }
    group = alive.contains(group->first) ? std::next(group) : groups_.erase(group);
  }
}

template <typename Object>
std::shared_ptr<Entity> HostedEntities::make(
  const std::shared_ptr<Object> & object, takt_core::CallbackOptions options,
  const takt_core::adapter::CallbackSettings & settings)
{
  EntitySettings own = settings_;
  own.lanes = own.core->lanes(*options.group);
  const auto & stored = settings.binding.non_triggering;
  own.waits = (stored && (stored->keep != 0 || stored->max_age != takt_rt::kForever)) ||
              (options.kind == Kind::subscription && options.group->has_condition());
  own.whole_history = settings.binding.boost || stored || own.waits ||
                      (own.needs_whole_history && own.needs_whole_history(options));
  if constexpr (std::is_same_v<Object, rclcpp::TimerBase>) {
    return make_entity(object, std::move(options), own, settings.offset);
  } else {
    return make_entity(object, std::move(options), own);
  }
}

template <typename Object>
void HostedEntities::collect_if_new(
  Group & group, const std::shared_ptr<Object> & object, const EntityName & name, Kind kind,
  std::vector<Candidate> & candidates)
{
  if (group.entities.contains(object)) {
    return;
  }
  candidates.push_back(
    {object,
     name,
     kind,
     number_among_equals(name.id, object),
     {},
     [this, object](
       takt_core::CallbackOptions options, const takt_core::adapter::CallbackSettings & settings) {
       return make(object, std::move(options), settings);
     }});
}

// Called when a rule places a callback in an exclusive group whose other callbacks have no rule.
// Moves the other callbacks to the rule's threads, as if the program had started with all of them.
// If this fails, they stay, and the new callback runs on their threads.
void HostedEntities::bind_unruled(Group & group, takt_core::ThreadMask threads)
{
  takt_core::Reconfiguration change;
  takt_core::ThreadMask before = threads;
  for (const auto & [object, hosted] : group.entities) {
    const auto callback = hosted.entity->callback();
    const auto binding = settings_.core->scheduler_of(*callback).binding(*callback);
    if (binding && !hosted.by_rule) {
      before = binding->threads;
      change.callbacks.push_back({callback, *binding});
      change.callbacks.back().binding.threads = threads;
    }
  }
  if (!change.callbacks.empty() && !settings_.core->reconfigure(change).ok()) {
    group.threads = before;
  }
}

// A group's callbacks must run at one OS priority. So a callback of an exclusive group without a
// rule goes to the threads of the group's other callbacks. A callback that the program did not make
// itself goes to the least urgent threads if its group has no other callbacks. Before the spin
// begins, candidates that cannot be placed are omitted. Afterwards it is too late to refuse the
// schedule, so they go to the threads of their group.
void HostedEntities::place(
  Group & group, std::vector<Candidate> & candidates, takt_rt::Faults & faults)
{
  const bool exclusive = group.group->exclusive();
  const auto follows = [&](const Candidate & one) {
    return (!one.settings.by_rule || one.settings.binding.non_triggering) &&
           (one.name.follows_group || exclusive);
  };
  std::optional<takt_core::ThreadMask> by_default;
  std::optional<takt_core::ThreadMask> by_rule;
  std::erase_if(candidates, [&](Candidate & one) {
    const std::string & base = one.name.placed_as.empty() ? one.name.id : one.name.placed_as;
    auto placed = placer_->place(numbered(base, one.number), one.kind, group.group->id());
    for (const auto & fault : placed.faults()) {
      faults.push_back(takt_rt::within("cannot place " + numbered(one.name.id, one.number), fault));
    }
    if (!placed.ok()) {
      return !epoch_.has_value();
    }
    one.settings = std::move(placed.value());
    if (one.settings.logical_time && !messages_can_be_held()) {
      faults.push_back(
        "cannot place " + numbered(one.name.id, one.number) + ": its group " + group.group->id() +
        " has let, and takt holds messages back only in programs under takt exec; omit let, or run "
        "the program by takt exec");
    }
    for (const auto & fault :
         takt_core::adapter::settle(*settings_.core, *group.group, one.settings).faults()) {
      faults.push_back(takt_rt::within("cannot place " + numbered(one.name.id, one.number), fault));
    }
    group.isolated = one.settings.isolation.has_value();
    if (one.settings.binding.non_triggering) {
      return false;  // it runs on the threads of its takers
    }
    if (one.settings.by_rule && !by_rule) {
      by_rule = one.settings.binding.threads;
    } else if (!one.settings.by_rule && !one.name.follows_group && !by_default) {
      by_default = one.settings.binding.threads;
    }
    return false;
  });
  if (by_rule && !group.ruled) {
    group.ruled = true;
    group.threads = by_rule;
    if (exclusive && !group.isolated) {
      bind_unruled(group, *by_rule);
    }
  } else if (!group.threads && by_default) {
    group.threads = by_default;
  }
  // Under windows do not use the least urgent threads: sets of threads would overlap.
  const bool windows = takt_core::has_windows(settings_.core->options().order);
  for (Candidate & one : candidates) {
    if (group.isolated || !follows(one)) {
      continue;
    }
    auto & binding = one.settings.binding;
    if (group.threads) {
      binding.threads = *group.threads;
    } else if (!windows) {
      binding.threads = least_urgent_;
    }
    if (binding.non_triggering) {
      continue;
    }
    const std::string & id = one.name.placed_as.empty() ? one.name.id : one.name.placed_as;
    put_below(*settings_.core, one.name.follows_group, numbered(id, one.number), binding);
  }
}

namespace
{

/// True if the group has a callback that the program itself made.
bool has_own(const takt_core::Executor & core, const takt_core::Group & group)
{
  const auto callbacks = core.callbacks();
  return std::any_of(callbacks.begin(), callbacks.end(), [&](const auto & callback) {
    const auto * const entity = dynamic_cast<const Entity *>(callback.get());
    return &callback->group() == &group && (entity == nullptr || !entity->facts.follows_group);
  });
}

}  // namespace

takt_core::Binding place_unruled(
  const takt_core::Executor & core, const takt_schedule::UnruledCallback & one)
{
  const auto * const entity = dynamic_cast<const Entity *>(&one.callback);
  const bool follows_group = entity != nullptr && entity->facts.follows_group;
  const takt_core::Group & group = one.callback.group();
  takt_core::Binding binding = one.by_schedule;
  if (entity != nullptr && entity->facts.only_on != 0) {
    binding.threads = entity->facts.only_on;
    return binding;
  }
  if (one.isolated || !(follows_group || group.exclusive())) {
    return binding;
  }
  // As in `place`: the threads of the group's rule, else of the program's own callbacks, else the
  // least urgent ones.
  if (one.of_group) {
    binding.threads = *one.of_group;
  } else if (
    follows_group && !has_own(core, group) && !takt_core::has_windows(core.options().order)) {
    binding.threads = least_urgent(core);
  }
  put_below(core, follows_group, one.callback.chain_id(), binding);
  return binding;
}

void HostedEntities::add(Group & group, const Candidate & candidate, takt_rt::Faults & faults)
{
  const EntityName & name = candidate.name;
  Hosted hosted;
  hosted.id = numbered(name.id, candidate.number);
  hosted.by_rule = candidate.settings.by_rule;
  takt_core::CallbackOptions options;
  options.id = hosted.id;
  if (!name.placed_as.empty()) {
    options.chain_id = numbered(name.placed_as, candidate.number);
  }
  options.kind = candidate.kind;
  options.of_client_library = name.follows_group;
  options.group = group_for(group, candidate.kind);
  const auto & stored = candidate.settings.binding.non_triggering;
  if (stored && name.depth < 0) {
    faults.push_back(takt_core::keeps_all(hosted.id));
    return;
  }
  // Within the process takt learns of a message without the message's number. If another process
  // also subscribes, takt learns of the middleware's copy, too. So takt cannot count or date these
  // messages.
  const std::string counting = !name.within_process || name.follows_group       ? ""
                               : stored && stored->keep != 0                    ? "keep"
                               : stored && stored->max_age != takt_rt::kForever ? "max_age"
                               : stored && stored->by_release                   ? "let"
                               : group.group->has_condition()                   ? "when"
                                                                                : "";
  if (!counting.empty()) {
    faults.push_back(
      name.placed_as + ": " + counting +
      " needs messages that come by the middleware, and this node has intra-process communication; "
      "omit the key, or use_intra_process_comms");
    return;
  }
  hosted.entity = candidate.make(std::move(options), candidate.settings);
  EntityFacts & facts = hosted.entity->facts;
  facts.owner = settings_.owner;
  facts.topic = name.topic;
  facts.period = name.period;
  facts.has_offset = candidate.settings.offset.has_value();
  facts.depth = name.depth;
  facts.within_process = name.within_process;
  facts.exclusive_group = group.group->exclusive();
  facts.follows_group = name.follows_group;
  auto binding = candidate.settings.binding;
  if (settings_.timers_apart == TimersApart::on_threads) {
    facts.only_on = candidate.kind == Kind::timer ? kTimersThread : kThreadOfTheRest;
    binding.threads = facts.only_on;
  }
  auto added = settings_.core->add(hosted.entity->callback(), binding);
  if (!added.ok() && epoch_ && group.threads) {
    for (const auto & fault : added.faults()) {
      faults.push_back(takt_rt::within(
        hosted.id + " runs on the threads of its group instead of where the schedule says", fault));
    }
    binding.threads = *group.threads;
    added = settings_.core->add(hosted.entity->callback(), binding);
  }
  if (!added.ok()) {
    for (const auto & fault : added.faults()) {
      faults.push_back(takt_rt::within("cannot add " + hosted.id, fault));
    }
    return;
  }
  {
    // `listen` announces waiting messages on this thread. They do not belong to a callback that may
    // run here, so the activation set is empty.
    static const auto & nobody = *new takt_core::ActivationSet;  // never destroyed
    const takt_core::ActivationScope scope(nobody);
    try {
      hosted.entity->listen();
      if (epoch_) {
        hosted.entity->begin_from(*epoch_);
      }
    } catch (...) {
      take_out(hosted);
      throw;
    }
  }
  if (hosted.entity->is_client()) {
    Hangs::begin();
  }
  runs_numbered(name.id, candidate.object, hosted.entity);
  group.entities.emplace(candidate.object, std::move(hosted));
}

// With `timers_apart` the timers are in a group of their own, so they run beside all other
// callbacks of the node's group.
std::shared_ptr<takt_core::Group> HostedEntities::group_for(Group & group, Kind kind)
{
  if (settings_.timers_apart == TimersApart::no || kind != Kind::timer) {
    return group.group;
  }
  if (group.timers == nullptr) {
    group.timers = std::make_shared<takt_core::Group>(
      group.group->exclusive() ? takt_core::GroupKind::mutually_exclusive
                               : takt_core::GroupKind::reentrant,
      group.group->id());
  }
  return group.timers;
}

void HostedEntities::announce_before(const std::vector<QueuedPart> & parts)
{
  for (const QueuedPart & one : parts) {
    for (auto & [weak, group] : groups_) {
      for (auto & [object, hosted] : group.entities) {
        if (object.lock().get() == one.waitable) {
          hosted.entity->announced_before(one.part, one.count);
        }
      }
    }
  }
}

void HostedEntities::begin_from(takt_rt::Time epoch)
{
  epoch_ = epoch;
  for (auto & [weak, group] : groups_) {
    for (auto & [object, hosted] : group.entities) {
      hosted.entity->begin_from(epoch);
    }
  }
}

void HostedEntities::take_out(Hosted & hosted, bool waits) noexcept
{
  hosted.entity->silence();
  if (waits) {
    settings_.core->remove(*hosted.entity->callback());
  } else {
    settings_.core->retire(*hosted.entity->callback());
    given_up_.push_back(hosted.entity);
  }
}

void HostedEntities::clear() noexcept
{
  for (auto & [weak, group] : groups_) {
    for (auto & [object, hosted] : group.entities) {
      take_out(hosted);
    }
  }
  groups_.clear();
  for (const auto & entity : given_up_) {
    settings_.core->remove(*entity->callback());  // call it again, to wait for the end of the run
  }
  given_up_.clear();
}

}  // namespace takt_rclcpp
