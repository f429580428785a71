#include "exec/observed_system.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "exec/proposed_chains.hpp"
#include "takt_core/duration_text.hpp"

namespace takt_exec
{
namespace
{

using nlohmann::ordered_json;
using takt_core::Duration;
using takt_schedule::CallbackModel;

// Entries of a histogram in the file: what a reader can take in.
constexpr std::size_t kMostBars = 8;

/// What was seen of one callback, beside its model.
struct Seen
{
  CallbackModel model;
  std::string topic;
  std::map<std::string, std::uint64_t> published;  ///< topics and messages
  std::uint64_t runs = 0;
  Duration between{};       ///< the shortest time from one release to the next
  double mean_between = 0;  ///< nanoseconds
  double mean = 0;          ///< nanoseconds of CPU
  bool exclusive = true;
};

std::string node_of(const std::string & id)
{
  return id.substr(0, id.find(':'));
}

// Names of executors are letters, digits, '_', '-', '.' and '/'.
std::string executor_name(const std::string & node)
{
  std::string name = node.substr(node.find_first_not_of('/'));
  std::replace_if(
    name.begin(), name.end(),
    [](unsigned char c) { return std::isalnum(c) == 0 && c != '_' && c != '-' && c != '/'; }, '_');
  return name.empty() ? "main" : name;
}

// A message within the process starts the function of the same subscription.
std::string model_id(const ordered_json & callback)
{
  std::string id = callback["id"];
  const std::string topic = callback["topic"];
  const auto waitable = id.find(":waitable(");
  if (!topic.empty() && waitable != std::string::npos) {
    id.replace(waitable, std::string(":waitable(").size(), ":sub(");
  }
  return id;
}

// Never zero: a model takes no callback for free.
Duration nanoseconds(const ordered_json & value)
{
  return Duration{std::max<std::int64_t>(value.get<std::int64_t>(), 1)};
}

// The last bar is the worst time; earlier ones are joined to their upper edges.
void set_histogram(const ordered_json & callback, takt_schedule::ExecutionTime & time)
{
  const auto & buckets = callback["cpu_histogram"];
  if (buckets.size() < 2) {
    return;
  }
  const std::size_t step = (buckets.size() + kMostBars - 1) / kMostBars;
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    count += buckets[i][1].get<std::uint64_t>();
    if ((i + 1) % step == 0 || i + 1 == buckets.size()) {
      const Duration edge = std::min(Duration{buckets[i][0].get<std::int64_t>()}, time.worst);
      if (!time.histogram.empty() && time.histogram.back().first == edge) {
        time.histogram.back().second += count;
      } else {
        time.histogram.emplace_back(edge, count);
      }
      count = 0;
    }
  }
  time.histogram.back().first = time.worst;
}

Seen seen(const ordered_json & callback, const std::string & executor)
{
  Seen seen;
  CallbackModel & model = seen.model;
  model.id = model_id(callback);
  model.executor = executor;
  model.group = callback["group"];
  model.time.worst = nanoseconds(callback["cpu"]["max_ns"]);
  model.time.best = std::min(model.time.worst, nanoseconds(callback["cpu"]["min_ns"]));
  set_histogram(callback, model.time);
  seen.topic = callback["topic"];
  seen.runs = callback["runs"];
  seen.mean = callback["cpu"]["mean_ns"];
  seen.between = Duration{callback["between_releases"]["min_ns"].get<std::int64_t>()};
  seen.mean_between = callback["between_releases"]["mean_ns"];
  seen.exclusive = callback["exclusive_group"];
  if (const Duration period{callback["period_ns"].get<std::int64_t>()}; period.count() > 0) {
    model.period = period;
  }
  for (const auto & published : callback["publishes"]) {
    const std::string topic = published["topic"];
    seen.published[topic] += published["count"].get<std::uint64_t>();
    if (std::find(model.publishes.begin(), model.publishes.end(), topic) == model.publishes.end()) {
      model.publishes.push_back(topic);
    }
  }
  return seen;
}

std::string milliseconds(double ns)
{
  return fmt::format("{:.3f} ms", ns / 1e6);
}

void add_origin(Seen & seen, bool external)
{
  std::string origin =
    fmt::format("measured over {} runs: CPU mean {}", seen.runs, milliseconds(seen.mean));
  if (seen.model.is_timer()) {
    origin += "; period as the program declares it";
  } else if (external) {
    origin += seen.runs > 1
                ? fmt::format(
                    "; its messages come from outside, one in {} on average; period: the shortest "
                    "time between two",
                    milliseconds(seen.mean_between))
                : "; one message came from outside; how often they come is unknown, period: the "
                  "time of the observation";
  }
  for (const auto & [topic, count] : seen.published) {
    if (count != seen.runs) {
      origin += fmt::format("; {} messages on {}", count, topic);
    }
  }
  seen.model.source.comment = origin;
}

// Subscriptions of one node that publish a topic in turns: the run that completes a set of messages does.
bool are_set(const std::vector<const Seen *> & members, const std::string & topic)
{
  if (members.size() < 2) {
    return false;
  }
  std::uint64_t messages = 0;
  std::uint64_t fewest = members.front()->runs;
  bool some_without = false;
  for (const Seen * member : members) {
    const std::uint64_t own = member->published.at(topic);
    messages += own;
    fewest = std::min(fewest, member->runs);
    some_without = some_without || own < member->runs;
  }
  return some_without && messages <= fewest + 1;
}

void join_sets(std::vector<Seen> & all, const std::set<std::string> & inside)
{
  std::map<std::pair<std::string, std::string>, std::vector<const Seen *>> by_node_and_topic;
  for (const Seen & one : all) {
    if (one.topic.empty() || !inside.contains(one.topic)) {
      continue;
    }
    for (const auto & [topic, count] : one.published) {
      by_node_and_topic[{node_of(one.model.id), topic}].push_back(&one);
    }
  }
  std::set<std::string> joined;
  std::vector<Seen> sets;
  for (const auto & [key, members] : by_node_and_topic) {
    const bool known = std::any_of(members.begin(), members.end(), [&](const Seen * member) {
      return joined.contains(member->model.id) ||
             member->model.group != members.front()->model.group;
    });
    if (known || !are_set(members, key.second)) {
      continue;
    }
    Seen set = *members.front();
    set.model.trigger = takt_schedule::Trigger::newest;
    set.model.triggers.clear();
    set.model.time.histogram.clear();
    std::string runs;
    for (const Seen * member : members) {
      set.model.ids.push_back(member->model.id);
      set.model.triggers.push_back(member->topic);
      set.model.time.worst = std::max(set.model.time.worst, member->model.time.worst);
      set.model.time.best = std::min(set.model.time.best, member->model.time.best);
      joined.insert(member->model.id);
      runs += fmt::format("{}{}", runs.empty() ? "" : " and ", member->runs);
    }
    set.model.source.comment = fmt::format(
      "measured over {} runs; they publish in turns, so the run that completes a set is taken to "
      "do the "
      "work",
      runs);
    sets.push_back(std::move(set));
  }
  std::erase_if(all, [&](const Seen & one) { return joined.contains(one.model.id); });
  all.insert(all.end(), sets.begin(), sets.end());
}

std::string host_name()
{
  std::array<char, 65> name{};
  ::gethostname(name.data(), name.size() - 1);
  std::string host = name.data();
  std::replace_if(
    host.begin(), host.end(),
    [](unsigned char c) { return std::isalnum(c) == 0 && c != '_' && c != '-'; }, '_');
  return host.empty() ? "host" : host;
}

void keep_chains(
  ObservedSystem & observed, const std::vector<takt_schedule::ChainSchedule> & chains)
{
  std::set<std::string> ids;
  for (const auto & callback : observed.system.callbacks) {
    for (const auto & id : callback.all_ids()) {
      ids.insert(id);
    }
  }
  for (auto chain : chains) {
    const auto missing = std::find_if(
      chain.options.path.begin(), chain.options.path.end(),
      [&](const std::string & id) { return !ids.contains(id); });
    if (missing == chain.options.path.end()) {
      observed.system.chains.push_back(std::move(chain));
    } else {
      observed.notes.push_back(fmt::format(
        "chain '{}' is omitted: its callback {} did not run", chain.options.name, *missing));
    }
  }
}

}  // namespace

ObservedSystem observed_system(
  const ordered_json & report, const std::vector<takt_schedule::ChainSchedule> & chains)
{
  ObservedSystem observed;
  std::vector<Seen> all;
  std::map<std::string, std::size_t> by_id;
  std::vector<std::string> idle;
  double background = 0;
  double seconds = 0;
  const auto & executors = report["executors"];
  for (const auto & executor : executors) {
    const std::string name = executors.size() == 1 ? "main" : executor_name(executor["executor"]);
    seconds = std::max(seconds, executor["seconds"].get<double>());
    for (const auto & callback : executor["callbacks"]) {
      if (callback["runs"].get<std::uint64_t>() == 0) {
        if (!callback["background"].get<bool>() && callback["topic"].get<std::string>().empty()) {
          idle.push_back(callback["id"]);
        }
        continue;
      }
      if (callback["background"]) {
        background +=
          callback["cpu"]["mean_ns"].get<double>() * callback["runs"].get<double>() / 1e9;
        continue;
      }
      Seen one = seen(callback, name);
      if (const auto [known, is_new] = by_id.emplace(one.model.id, all.size()); is_new) {
        all.push_back(std::move(one));
      } else if (one.runs > all[known->second].runs) {
        all[known->second] = std::move(one);
      }
    }
  }

  std::set<std::string> inside;  // topics that observed callbacks publish
  for (const Seen & one : all) {
    inside.insert(one.model.publishes.begin(), one.model.publishes.end());
  }
  for (Seen & one : all) {
    const bool external = !one.model.is_timer() && !inside.contains(one.topic);
    if (!one.topic.empty() && !external) {
      one.model.triggers = {one.topic};
    }
    if (external) {
      one.model.period = one.between.count() > 0
                           ? one.between
                           : Duration{static_cast<std::int64_t>(std::max(seconds, 1e-3) * 1e9)};
    }
    add_origin(one, external);
  }
  join_sets(all, inside);

  takt_schedule::HostModel host;
  host.name = host_name();
  const unsigned cores = std::max(std::thread::hardware_concurrency(), 1U);
  for (unsigned core = 0; core < cores; ++core) {
    host.cores.push_back(static_cast<int>(core));
  }
  host.source.comment = "this machine; overheads are unknown: `takt calibrate` measures them";
  std::set<std::string> groups;
  for (Seen & one : all) {
    one.model.host = host.name;
    if (groups.insert(one.model.group).second) {
      takt_schedule::GroupModel group;
      group.id = one.model.group;
      group.kind =
        one.exclusive ? takt_core::GroupKind::mutually_exclusive : takt_core::GroupKind::reentrant;
      observed.system.groups.push_back(std::move(group));
    }
    observed.system.callbacks.push_back(std::move(one.model));
  }
  observed.system.hosts.push_back(std::move(host));
  if (chains.empty()) {
    observed.system.chains = propose_chains(observed.system, observed.notes);
  } else {
    keep_chains(observed, chains);
  }

  observed.header = fmt::format(
    "Observed by takt for {:.1f} s. Execution times are CPU times of the thread, so they\n"
    "include what the middleware did while the callback published. Parameters and events\n"
    "of nodes are omitted; they took {:.3f} s of CPU in all.",
    seconds, background);
  if (!idle.empty()) {
    std::string names;
    for (const std::string & id : idle) {
      names += (names.empty() ? "" : ", ") + id;
    }
    observed.header += "\nDid not run, and are omitted: " + names + ".";
    observed.notes.push_back(
      fmt::format("{} callbacks did not run, so the model omits them", idle.size()));
  }
  if (chains.empty() && !observed.system.chains.empty()) {
    observed.notes.push_back(
      "chains are proposed from what callbacks publish and take: keep those that matter, and give "
      "them "
      "names, priorities and deadlines");
  }
  return observed;
}

}  // namespace takt_exec
