#include "adopt/hosted_entities.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "adopt/group_nodes.hpp"
#include "adopt/host_access.hpp"
#include "takt_core/activation.hpp"
#include "takt_core/thread_attributes.hpp"

namespace takt_rclcpp
{
namespace
{

using takt_core::Kind;

// The thread that the kernel prefers least: for what every node has for parameters.
takt_core::ThreadMask least_urgent(const takt_core::Executor & core)
{
  const auto & threads = core.options().threads;
  const auto least =
    std::min_element(threads.begin(), threads.end(), [](const auto & a, const auto & b) {
      return takt_core::urgency(a.attributes) < takt_core::urgency(b.attributes);
    });
  const int urgency = takt_core::urgency(least->attributes);
  takt_core::ThreadMask mask = 0;
  for (std::size_t t = 0; t < threads.size(); ++t) {
    if (takt_core::urgency(threads[t].attributes) == urgency) {
      mask |= takt_core::ThreadMask{1} << t;
    }
  }
  return mask;
}

// In the order of their making within a kind; without the group's mutex, which rclcpp holds while it shows
// them.
template <typename Visit>
void visit_entities(const HostedGroup & hosted, const Visit & visit)
{
  std::vector<rclcpp::SubscriptionBase::SharedPtr> subscriptions;
  std::vector<rclcpp::ServiceBase::SharedPtr> services;
  std::vector<rclcpp::ClientBase::SharedPtr> clients;
  std::vector<rclcpp::TimerBase::SharedPtr> timers;
  std::vector<rclcpp::Waitable::SharedPtr> waitables;
  hosted.group->collect_all_ptrs(
    [&](const auto & one) { subscriptions.push_back(one); },
    [&](const auto & one) { services.push_back(one); },
    [&](const auto & one) { clients.push_back(one); },
    [&](const auto & one) { timers.push_back(one); },
    [&](const auto & one) { waitables.push_back(one); });
  const auto visit_all = [&](const auto & all, Kind kind) {
    for (const auto & one : all) {
      visit(one, name_of(hosted.node, *one), kind);
    }
  };
  visit_all(timers, Kind::timer);
  visit_all(subscriptions, Kind::subscription);
  visit_all(services, Kind::service);
  visit_all(clients, Kind::client);
  visit_all(waitables, Kind::waitable);
}

}  // namespace

std::vector<HostedGroup> groups_of(rclcpp::Executor & host)
{
  // First, because it applies what was added and removed since.
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
  std::vector<HostedGroup> groups;
  for (const auto & node : nodes) {
    const std::string name = node->get_fully_qualified_name();
    const auto of_node = node->get_default_callback_group();
    unsigned number = 0;
    node->for_each_callback_group([&](const rclcpp::CallbackGroup::SharedPtr & group) {
      const std::string what = group == of_node ? "default" : std::to_string(++number);
      const auto here = std::find(alive.begin(), alive.end(), group);
      if (here != alive.end()) {
        groups.push_back({group, name, name + ":group(" + what + ")"});
        alive.erase(here);
      }
    });
  }
  // Groups that were added by themselves.
  unsigned number = 0;
  for (auto & group : alive) {
    const auto known = remembered(group);
    const GroupName name = known ? *known : GroupName{"/unknown", std::to_string(++number)};
    groups.push_back({std::move(group), name.node, name.node + ":group(" + name.group + ")"});
  }
  std::stable_sort(groups.begin(), groups.end(), [](const auto & a, const auto & b) {
    return std::pair(a.node, a.id) < std::pair(b.node, b.id);
  });
  return groups;
}

std::vector<std::pair<std::string, Kind>> ids_of(rclcpp::Executor & host)
{
  std::vector<std::pair<std::string, Kind>> ids;
  for (const HostedGroup & hosted : groups_of(host)) {
    visit_entities(hosted, [&](const auto &, const EntityName & name, Kind kind) {
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

takt_core::Faults HostedEntities::update()
{
  takt_core::Faults faults;
  for (auto & [weak, group] : groups_) {
    group.seen = false;
    for (auto & [object, hosted] : group.entities) {
      hosted.seen = false;
    }
  }
  for (const HostedGroup & hosted : groups_of(host_)) {
    Group & group = groups_[hosted.group];
    group.seen = true;
    if (group.group == nullptr) {
      const bool exclusive = hosted.group->type() == rclcpp::CallbackGroupType::MutuallyExclusive;
      group.group = std::make_shared<takt_core::Group>(
        exclusive ? takt_core::GroupKind::mutually_exclusive : takt_core::GroupKind::reentrant,
        hosted.id);
    }
    visit_entities(hosted, [&](const auto & object, const EntityName & name, Kind kind) {
      update_one(group, object, name, kind, faults);
    });
  }
  for (auto group = groups_.begin(); group != groups_.end();) {
    auto & entities = group->second.entities;
    for (auto one = entities.begin(); one != entities.end();) {
      if (one->second.seen) {
        ++one;
        continue;
      }
      take_out(one->second);
      one = entities.erase(one);
    }
    group = group->second.seen ? std::next(group) : groups_.erase(group);
  }
  return faults;
}

template <typename Object>
std::shared_ptr<Entity> HostedEntities::make(
  const std::shared_ptr<Object> & object, takt_core::CallbackOptions options,
  const takt_core::adapter::CallbackSettings & settings)
{
  EntitySettings own = settings_;
  if (options.group->exclusive()) {
    own.lanes = 1;
  }
  if constexpr (std::is_same_v<Object, rclcpp::TimerBase>) {
    return make_entity(object, std::move(options), own, settings.offset);
  } else {
    return make_entity(object, std::move(options), own);
  }
}

template <typename Object>
void HostedEntities::update_one(
  Group & group, const std::shared_ptr<Object> & object, const EntityName & name, Kind kind,
  takt_core::Faults & faults)
{
  if (const auto known = group.entities.find(object); known != group.entities.end()) {
    known->second.seen = true;
    return;
  }
  Hosted hosted;
  hosted.id = ids_.claim(name.id);
  hosted.seen = true;
  takt_core::adapter::CallbackSettings settings;
  if (placer_ != nullptr) {
    takt_core::Faults misplaced = place(group, name, hosted, kind, settings);
    if (!misplaced.empty()) {
      faults.insert(faults.end(), misplaced.begin(), misplaced.end());
      ids_.release(hosted.id);
      return;
    }
  }
  takt_core::CallbackOptions options;
  options.id = hosted.id;
  options.kind = kind;
  options.group = group.group;
  hosted.entity = make(object, std::move(options), settings);
  hosted.entity->facts = {name.topic, name.period, group.group->exclusive(), name.follows_group};
  const auto added = settings_.core->add(hosted.entity->callback(), settings.binding);
  if (!added.ok()) {
    for (const auto & fault : added.faults()) {
      faults.push_back(takt_core::within("cannot add " + hosted.id, fault));
    }
    ids_.release(hosted.id);
    return;
  }
  {
    // What waits already is announced here, on this thread: it is not the work of a callback that happens
    // to run here.
    static const takt_core::ActivationSet nobody;
    const takt_core::ActivationScope scope(nobody);
    hosted.entity->listen();
  }
  if (epoch_) {
    hosted.entity->begin_from(*epoch_);
  }
  group.entities.emplace(object, std::move(hosted));
}

void HostedEntities::begin_from(takt_core::Time epoch)
{
  epoch_ = epoch;
  for (auto & [weak, group] : groups_) {
    for (auto & [object, hosted] : group.entities) {
      hosted.entity->begin_from(epoch);
    }
  }
}

// A group's callbacks must run at one OS priority. So what the program did not write for itself goes where
// the group's other callbacks are, and to the least urgent threads where there are none.
takt_core::Faults HostedEntities::place(
  Group & group, const EntityName & name, Hosted & hosted, Kind kind,
  takt_core::adapter::CallbackSettings & settings)
{
  const std::string suffix = hosted.id.substr(name.id.size());
  const auto placed = placer_->place(
    name.placed_as.empty() ? hosted.id : name.placed_as + suffix, kind, group.group->id());
  takt_core::Faults faults;
  if (!placed.ok()) {
    for (const auto & fault : placed.faults()) {
      faults.push_back(takt_core::within("cannot place " + hosted.id, fault));
    }
    return faults;
  }
  settings = *placed;
  if (settings.across_priorities) {
    settings_.core->allow_across_priorities(*group.group);
  }
  hosted.follows_group = name.follows_group && !settings.by_rule;
  if (hosted.follows_group) {
    settings.binding.threads = group.threads != 0 ? group.threads : least_urgent_;
    settings.binding.priority = 0;
  } else if (group.threads == 0) {
    group.threads = settings.binding.threads;
    for (auto & [object, other] : group.entities) {
      if (!other.follows_group) {
        continue;
      }
      const auto bound = settings_.core->bind(*other.entity->callback(), group.threads);
      for (const auto & fault : bound.faults()) {
        faults.push_back(takt_core::within("cannot bind " + other.id, fault));
      }
    }
  }
  return faults;
}

void HostedEntities::take_out(Hosted & hosted) noexcept
{
  hosted.entity->silence();
  settings_.core->remove(*hosted.entity->callback());
  ids_.release(hosted.id);
}

void HostedEntities::clear() noexcept
{
  for (auto & [weak, group] : groups_) {
    for (auto & [object, hosted] : group.entities) {
      take_out(hosted);
    }
  }
  groups_.clear();
}

}  // namespace takt_rclcpp
