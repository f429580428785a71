// `competition` and `competition_literal`: chains to executors of several threads, threads to
// cores.
//
// The pseudo-code is that of a competition report; planner.hpp lists its gaps and how they are
// filled here. The report's "node" is a unit here (tasks of one thread). The report's "chain" is
// here the part of a chain that no more important chain has taken. The report's executor is here a
// set of threads, up to a given number, in each process whose callbacks it runs. Units without a
// chain come last, each like a chain of its own.
#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "planners/clusters.hpp"
#include "planners/planners.hpp"
#include "takt_core/scheduler.hpp"

namespace takt_plan::detail
{
namespace
{

constexpr double kLoadNoise = 1e-9;
constexpr Index kThreadsOfExecutor = takt_core::Scheduler::kMaxThreads;

/// The part of a chain that an executor runs.
struct ChainPart
{
  Index chain = kNone;       ///< number in `clusters`
  std::vector<Index> units;  ///< along the chain
  double load = 0;
};

struct Executor
{
  std::vector<ChainPart> parts;  ///< most important first
  double load = 0;
};

/// A thread of an executor.
struct Slot
{
  Index executor = kNone;
  std::vector<Index> units;
  double load = 0;
};

/// The chains, executors and cores of one host.
struct Host
{
  std::vector<Index> cores;  ///< cores that some unit may use
  std::vector<Executor> executors;
  Index threads = 1;  ///< threads of each executor
  std::vector<Slot> slots;
};

class Competition
{
public:
  Competition(const PlanProblem & problem, const PlanOptions & options, bool literal)
  : problem_(problem),
    literal_(literal),
    hosts_(problem.model.hosts.size()),
    rank_(problem.model.tasks.size(), problem.chains.size()),
    layout_(problem)
  {
    for (Index i = problem.chains.size(); i-- > 0;) {
      for (const Index task : problem.model.chains[problem.chains[i]].path) {
        rank_[task] = i;
      }
    }
    for (Index core = 0; core < problem.model.cores.size(); ++core) {
      const bool usable =
        std::any_of(problem.units.begin(), problem.units.end(), [&](const Unit & unit) {
          return std::find(unit.cores.begin(), unit.cores.end(), core) != unit.cores.end();
        });
      if (usable) {
        hosts_[problem.model.cores[core].host].cores.push_back(core);
      }
    }
    for (Host & host : hosts_) {
      const Index cores = std::max<Index>(host.cores.size(), 1);
      const auto given = [](int option, Index otherwise) {
        return option > 0 ? static_cast<Index>(option) : otherwise;
      };
      host.executors.resize(given(options.executors, cores));
      // If all executors run callbacks of one process, the process needs the threads of all of
      // them. The number of its threads is limited.
      host.threads = given(
        options.executor_threads,
        std::clamp<Index>(kThreadsOfExecutor / host.executors.size(), 1, cores));
    }
  }

  Layout plan()
  {
    const std::vector<Cluster> all = clusters(problem_);
    for (Index chain = 0; chain < all.size(); ++chain) {
      const Index core = problem_.units[all[chain].units.front()].cores.front();
      to_executors(chain, all[chain].units, hosts_[problem_.model.cores[core].host]);
    }
    for (Host & host : hosts_) {
      for (Index executor = 0; executor < host.executors.size(); ++executor) {
        to_threads(executor, host);
      }
      to_cores(host);
    }
    return std::move(layout_);
  }

private:
  // Part 1: gives the chain to an empty executor, else to the least used one. Units that do not fit
  // go to the other executors.
  void to_executors(Index chain, const std::vector<Index> & units, Host & host) const
  {
    std::vector<Executor> & executors = host.executors;
    const double limit = literal_ ? 1 : static_cast<double>(host.threads);
    const auto less_used = [](const Executor & a, const Executor & b) {
      return std::pair(!a.parts.empty(), a.load) < std::pair(!b.parts.empty(), b.load);
    };
    std::vector<Index> order(executors.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
      return less_used(executors[a], executors[b]);
    });
    auto unit = units.begin();
    for (const Index executor : order) {
      // In the literal form the first executor is filled until it exceeds the limit, and the others
      // stay below.
      const bool beyond = literal_ && executor == order.front();
      const auto more = [&] { return beyond ? 0 : problem_.units[*unit].utilization; };
      while (unit != units.end() && executors[executor].load + more() <= limit + kLoadNoise) {
        put(chain, *unit++, executors[executor]);
      }
    }
    for (; unit != units.end(); ++unit) {  // no executor has room
      put(chain, *unit, *std::min_element(executors.begin(), executors.end(), less_used));
    }
  }

  void put(Index chain, Index unit, Executor & executor) const
  {
    if (executor.parts.empty() || executor.parts.back().chain != chain) {
      executor.parts.push_back({chain, {}, 0});
    }
    const double load = problem_.units[unit].utilization;
    executor.parts.back().units.push_back(unit);
    executor.parts.back().load += load;
    executor.load += load;
  }

  // Gives each chain of the executor its threads.
  void to_threads(Index executor, Host & host) const
  {
    const std::vector<ChainPart> & parts = host.executors[executor].parts;
    std::vector<Slot> slots(host.threads, Slot{executor, {}, 0});
    if (literal_) {
      for (Index i = 0; i < parts.size(); ++i) {  // part i gets threads i to m
        const Index first = std::min(i, host.threads - 1);
        spread(parts[i], first, host.threads - first, slots);
      }
    } else {
      Index first = 0;
      for (const auto & [part, count] : shares(parts, host.threads)) {
        spread(parts[part], first, count, slots);
        first += count;
      }
      for (Index i = first; i < parts.size(); ++i) {
        const auto least = std::min_element(
          slots.begin(), slots.end(),
          [](const Slot & a, const Slot & b) { return a.load < b.load; });
        spread(parts[i], static_cast<Index>(least - slots.begin()), 1, slots);
      }
    }
    for (Slot & slot : slots) {
      if (!slot.units.empty()) {
        host.slots.push_back(std::move(slot));
      }
    }
  }

  // Gives the threads to the parts in proportion to their loads.
  static std::vector<std::pair<Index, Index>> shares(
    const std::vector<ChainPart> & parts, Index threads)
  {
    std::vector<std::pair<Index, Index>> result;
    for (Index i = 0; i < std::min(parts.size(), threads); ++i) {
      result.emplace_back(i, 1);
    }
    for (Index left = threads - result.size(); left > 0; --left) {
      // The load per thread. A part with one thread for each unit needs no more threads.
      const auto load = [&](const auto & share) {
        const auto & [part, count] = share;
        return count < parts[part].units.size() ? parts[part].load / static_cast<double>(count)
                                                : -1.0;
      };
      const auto most = std::max_element(
        result.begin(), result.end(),
        [&](const auto & a, const auto & b) { return load(a) < load(b); });
      if (most == result.end() || load(*most) < 0) {
        break;
      }
      ++most->second;
    }
    return result;
  }

  // Cuts the part along the chain into pieces of about equal load, one for each thread.
  void spread(const ChainPart & part, Index first, Index count, std::vector<Slot> & slots) const
  {
    double before = 0;
    for (const Index unit : part.units) {
      const double own = problem_.units[unit].utilization;
      const double middle = part.load > 0 ? (before + own / 2) / part.load : 0;
      const auto piece = static_cast<Index>(middle * static_cast<double>(count) + kLoadNoise);
      Slot & slot = slots[first + std::min(piece, count - 1)];
      slot.units.push_back(unit);
      slot.load += own;
      before += own;
    }
  }

  // Part 2: the first thread of an executor claims an idle core. The executor's threads go to this
  // core while it has room, the others to the least used core.
  void to_cores(Host & host)
  {
    std::stable_sort(host.slots.begin(), host.slots.end(), [&](const Slot & a, const Slot & b) {
      // In the literal form executors follow one another.
      return std::tuple(literal_ ? a.executor : 0, key(a)) <
             std::tuple(literal_ ? b.executor : 0, key(b));
    });
    std::map<Index, Claim> claims;
    for (const Slot & slot : host.slots) {
      const std::vector<Index> allowed = common_cores(problem_, slot.units);
      const auto [claim, fresh] = claims.try_emplace(slot.executor);
      if (fresh) {
        std::vector<Index> idle = allowed;
        std::erase_if(idle, [&](Index core) { return !layout_.on(core).empty(); });
        claim->second.own = idle.empty() ? kNone : least_used(idle);
      }
      if (!allowed.empty()) {
        put(slot.units, core_for(slot, allowed, host, claim->second));
        continue;
      }
      for (const Index unit : slot.units) {  // pinned to different cores: one thread on each
        put({unit}, least_used(problem_.units[unit].cores));
      }
    }
    for (const Index core : host.cores) {
      sort_by_importance(core);
    }
  }

  /// The cores of an executor.
  struct Claim
  {
    Index own = kNone;   ///< an idle core that the executor claimed
    Index rest = kNone;  ///< literal form: the core for all further load of the executor
  };

  Index core_for(
    const Slot & slot, const std::vector<Index> & allowed, const Host & host, Claim & claim) const
  {
    const double more = literal_ ? 0 : slot.load;
    const double limit = literal_ ? 1 : 0;
    Index core = claim.own;
    if (core == kNone || claim.rest != kNone || used(core) + more > limit + kLoadNoise) {
      if (literal_ && claim.rest == kNone) {
        claim.rest = least_used(host.cores);
      }
      core = literal_ ? claim.rest : least_used(allowed);
    }
    const bool may = std::find(allowed.begin(), allowed.end(), core) != allowed.end();
    return may ? core : least_used(allowed);
  }

  // In the literal form only the load of callbacks counts, not that of other threads.
  double used(Index core) const
  {
    return layout_.load(core) - (literal_ ? 0 : problem_.room[core]);
  }

  Index least_used(const std::vector<Index> & cores) const
  {
    return *std::min_element(
      cores.begin(), cores.end(), [&](Index a, Index b) { return used(a) < used(b); });
  }

  void put(const std::vector<Index> & units, Index core)
  {
    layout_.insert(core, layout_.on(core).size(), blocks_of(problem_, units, Urgency::later_first));
  }

  // The sort key: the rank of the task's most important chain. Within a chain later tasks are more
  // urgent.
  std::pair<Index, std::int64_t> key(Index task) const
  {
    return {rank_[task], -static_cast<std::int64_t>(problem_.position[task])};
  }

  std::pair<Index, std::int64_t> key(const Slot & slot) const
  {
    auto least = key(problem_.units[slot.units.front()].tasks.front());
    for (const Index unit : slot.units) {
      for (const Index task : problem_.units[unit].tasks) {
        least = std::min(least, key(task));
      }
    }
    return least;
  }

  void sort_by_importance(Index core)
  {
    std::vector<Block> blocks = layout_.on(core);
    for (Block & block : blocks) {
      std::sort(
        block.tasks.begin(), block.tasks.end(), [&](Index a, Index b) { return key(a) < key(b); });
    }
    std::stable_sort(blocks.begin(), blocks.end(), [&](const Block & a, const Block & b) {
      return key(a.tasks.front()) < key(b.tasks.front());
    });
    layout_.set(core, std::move(blocks));
  }

  const PlanProblem & problem_;
  const bool literal_;
  std::vector<Host> hosts_;  // per host of the model
  std::vector<Index> rank_;  // per task: rank of the most important chain through it
  Layout layout_;
};

}  // namespace

Layout plan_competition(const PlanProblem & problem, const PlanOptions & options)
{
  return Competition(problem, options, false).plan();
}

Layout plan_competition_literal(const PlanProblem & problem, const PlanOptions & options)
{
  return Competition(problem, options, true).plan();
}

}  // namespace takt_plan::detail
