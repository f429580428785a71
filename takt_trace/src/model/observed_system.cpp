#include "takt_trace/observed_system.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
#include <utility>

#include "model/described_callback.hpp"
#include "model/message_sets.hpp"
#include "model/observed_callback.hpp"
#include "model/observed_phases.hpp"
#include "model/possible_sequences.hpp"
#include "model/proposed_chains.hpp"
#include "model/publishing_last.hpp"
#include "model/storing_callbacks.hpp"
#include "model/time_percentile.hpp"
#include "saturating.hpp"
#include "takt_core/adapter/callback_ids.hpp"
#include "takt_core/adapter/id_registry.hpp"
#include "takt_rt/readable.hpp"

namespace takt_trace
{
namespace
{

using nlohmann::ordered_json;

constexpr const char * kCpuTimes =
  "Execution times are CPU times of the thread. They include\n"
  "what the middleware did while the callback took its message (with deserialisation) and\n"
  "published. The overhead `middleware` of `takt calibrate` has both too, so with it they\n"
  "count twice, and bounds are on the safe side.";

// Places callbacks in executors and groups. In a model each group belongs to one executor, but two
// programs may have nodes of one name.
void place(Observation & seen, bool keep_names, std::vector<takt_schedule::GroupModel> & groups)
{
  const auto names = executor_names(seen.executors);
  std::set<std::string> used;
  for (ObservedCallback & one : seen.callbacks) {
    one.model.executor = names[*one.executors.begin()];
    for (const std::size_t executor : one.executors) {
      one.model.executor = std::min(one.model.executor, names[executor]);
    }
    used.insert(one.model.executor);
  }
  std::map<std::pair<std::string, std::string>, std::string> known;  // by group and executor
  takt_core::adapter::IdRegistry ids;
  for (ObservedCallback & one : seen.callbacks) {
    if (used.size() == 1 && !keep_names) {
      one.model.executor = "main";
    }
    const ObservedExecutor & executor = seen.executors[*one.executors.begin()];
    if (executor.one_at_a_time) {
      // takt exec runs these one at a time, so a plan must not assume that they run side by side.
      one.model.group = takt_core::adapter::group_id(executor.first_node, "executor");
      one.exclusive = true;
    }
    auto & group = known[{one.model.group, one.model.executor}];
    if (group.empty()) {
      group = ids.claim(one.model.group);
      takt_schedule::GroupModel model;
      model.id = group;
      model.kind =
        one.exclusive ? takt_core::GroupKind::mutually_exclusive : takt_core::GroupKind::reentrant;
      groups.push_back(std::move(model));
    }
    one.model.group = group;
  }
}

// Removes callbacks that cannot be entries of the model; mentions them in the header and the notes.
void leave_out(
  Observation & seen, ObservedSystem & observed, double seconds, const std::string & times)
{
  double background = 0;
  std::string idle;
  std::size_t idle_count = 0;
  for (const ObservedCallback & one : seen.callbacks) {
    if (one.background) {
      background += one.mean * static_cast<double>(one.runs) / 1e9;
    } else if (one.runs == 0 && one.topic.empty()) {
      idle += (idle.empty() ? "" : ", ") + one.model.id;
      ++idle_count;
    }
  }
  std::erase_if(
    seen.callbacks, [](const ObservedCallback & one) { return one.background || one.runs == 0; });
  observed.header = fmt::format(
    "Observed by takt for {:.1f} s. {}\n"
    "Parameters and events of nodes are omitted; they took {:.3f} s of CPU in all.",
    seconds, times.empty() ? kCpuTimes : times, background);
  if (idle_count > 0) {
    observed.header += "\nDid not run, and are omitted: " + idle + ".";
    observed.notes.push_back(
      idle_count == 1
        ? "1 callback did not run, so the model omits it"
        : fmt::format("{} callbacks did not run, so the model omits them", idle_count));
  }
}

// Sets which callbacks wait for which, by the model's ids.
void join_waits(Observation & seen, std::vector<std::string> & notes)
{
  std::map<std::string, ObservedCallback *> by_id;
  for (ObservedCallback & one : seen.callbacks) {
    by_id.emplace(one.model.id, &one);
  }
  for (ObservedCallback & one : seen.callbacks) {
    for (const ObservedWait & wait : one.waits) {
      const auto service = by_id.find(wait.service);
      const auto client = by_id.find(wait.client);
      std::vector<std::string> names;
      for (const auto & found : {service, client}) {
        if (found != by_id.end()) {
          names.push_back(found->first);
          found->second->awaited += wait.count;
        }
      }
      if (names.empty()) {
        continue;
      }
      bool all = true;
      for (std::uint64_t i = 0; all && i < wait.most; ++i) {
        all = one.model.waits_for.size() + names.size() <= takt_schedule::kMostWaits;
        if (all) {
          one.model.waits_for.insert(one.model.waits_for.end(), names.begin(), names.end());
        }
      }
      if (!all) {
        one.caveats += fmt::format(
          "; WAITS MORE than {} times within one run, which is the most of a model",
          takt_schedule::kMostWaits);
        notes.push_back(fmt::format(
          "{} waits more than {} times within one run, and the model has the first ones only, so "
          "bounds are too low",
          one.model.id, takt_schedule::kMostWaits));
      }
      const std::string longest = takt_rt::human(takt_rt::Duration{wait.longest});
      one.caveats += fmt::format("; waited up to {} within a run", longest);
      notes.push_back(fmt::format(
        "{} waits within its runs for {}: they need different threads, and a plan gives them some",
        one.model.id, fmt::join(names, " and ")));
      if (service == by_id.end()) {
        std::int64_t all_waits = 0;
        if (__builtin_mul_overflow(
              wait.longest, static_cast<std::int64_t>(wait.most), &all_waits)) {
          all_waits = wait.longest;
        }
        one.model.sleep =
          takt_rt::Duration{detail::saturating_add(one.model.sleep.count(), all_waits)};
        one.caveats += "; the service is of another process, so the wait is in sleep";
        notes.push_back(fmt::format(
          "{} waits up to {} for a service of another process; the model has no callback "
          "for "
          "that, and has the wait as sleep",
          one.model.id, longest));
      }
    }
  }
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

/// The place where the path is not connected by messages: "B follows A"; empty: none.
std::string first_gap(const takt_schedule::System & system, const std::vector<std::string> & path)
{
  const auto model = [&](const std::string & id) -> const takt_schedule::CallbackModel & {
    return *std::find_if(
      system.callbacks.begin(), system.callbacks.end(), [&](const auto & callback) {
        const auto ids = callback.all_ids();
        return std::find(ids.begin(), ids.end(), id) != ids.end();
      });
  };
  for (std::size_t i = 1; i < path.size(); ++i) {
    const auto & from = model(path[i - 1]).publishes;
    const auto & to = model(path[i]);
    const bool goes_on = std::any_of(from.begin(), from.end(), [&](const std::string & topic) {
      const auto has = [&](const auto & topics) {
        return std::find(topics.begin(), topics.end(), topic) != topics.end();
      };
      return has(to.triggers) || has(to.reads);
    });
    if (!goes_on) {
      return path[i] + " follows " + path[i - 1];
    }
  }
  return {};
}

// `known`: the ids of all callbacks of the observed processes.
void keep_chains(
  ObservedSystem & observed, const std::vector<takt_schedule::ChainSchedule> & chains,
  const std::set<std::string> & known)
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
      if (const std::string gap = first_gap(observed.system, chain.options.path); !gap.empty()) {
        observed.notes.push_back(
          fmt::format("chain '{}' is omitted: nothing shows how {}", chain.options.name, gap));
        continue;
      }
      observed.system.chains.push_back(std::move(chain));
    } else {
      observed.notes.push_back(
        known.contains(*missing)
          ? fmt::format(
              "chain '{}' is omitted: its callback {} did not run", chain.options.name, *missing)
          : fmt::format(
              "chain '{}' is omitted: no observed process has its callback {}", chain.options.name,
              *missing));
    }
  }
}

}  // namespace

ObservedSystem observed_system(const ordered_json & report, const ModelOptions & options)
{
  const auto & chains = options.chains;
  ObservedSystem observed;
  Observation seen = observation(report);
  double seconds = 0;
  for (const ObservedExecutor & executor : seen.executors) {
    seconds = std::max(seconds, executor.seconds);
  }
  std::set<std::string> known;
  for (const ObservedCallback & one : seen.callbacks) {
    const auto ids = one.model.all_ids();
    known.insert(ids.begin(), ids.end());
  }
  leave_out(seen, observed, seconds, options.times);

  std::set<std::string> inside;
  std::set<std::string> taken;
  for (const ObservedCallback & one : seen.callbacks) {
    inside.insert(one.model.publishes.begin(), one.model.publishes.end());
    taken.insert(one.topic);
  }
  name_storing(seen.callbacks, observed.notes);
  name_sequences(seen.callbacks, observed.notes);
  name_publishing_last(seen, observed.notes);
  place(seen, options.keep_executor_names, observed.system.groups);
  join_waits(seen, observed.notes);
  set_phases(seen, observed.notes);
  if (options.percentile < kLongestTime) {
    use_percentile(seen.callbacks, options.percentile, observed.notes);
  }
  for (ObservedCallback & one : seen.callbacks) {
    describe(one, {inside, taken, seconds}, observed.notes);
  }
  join_sets(seen.callbacks, inside, chains, observed.notes);
  for (const ObservedExecutor & executor : seen.executors) {
    if (executor.one_at_a_time && executor.ids.size() > 1) {
      observed.notes.push_back(fmt::format(
        "rclcpp's executor of {} runs one callback at a time, so the model has its callbacks in "
        "one group, "
        "and a plan puts them on one thread; a component container runs them side by side if it is "
        "component_container_mt",
        executor.first_node));
    }
  }

  takt_schedule::HostModel host;
  host.name = host_name();
  const unsigned cores = std::max(std::thread::hardware_concurrency(), 1U);
  for (unsigned core = 0; core < cores; ++core) {
    host.cores.push_back(static_cast<int>(core));
  }
  host.source.comment = options.costs
                          ? "this machine; overheads and least jitter of timers: `takt calibrate`"
                          : "this machine; overheads are unknown: `takt calibrate` measures them";
  for (ObservedCallback & one : seen.callbacks) {
    one.model.host = host.name;
    observed.system.callbacks.push_back(std::move(one.model));
  }
  observed.system.hosts.push_back(std::move(host));
  observed.system.communication.processes = options.between_processes;
  if (options.costs) {
    takt_schedule::add_costs(observed.system, *options.costs);
  }
  if (chains.empty()) {
    observed.system.chains = propose_chains(observed.system, observed.notes);
  } else {
    keep_chains(observed, chains, known);
  }
  if (chains.empty() && !observed.system.chains.empty()) {
    observed.notes.push_back(
      "chains are proposed from what callbacks publish and take: keep those that matter, and give "
      "them names, priorities and deadlines");
  }
  return observed;
}

}  // namespace takt_trace
