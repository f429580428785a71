// The callbacks that the suite's checks put into an engine.
#ifndef SUPPORT__WORKLOAD_HPP_
#define SUPPORT__WORKLOAD_HPP_

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine.hpp"

namespace takt_core::test
{

// Six callbacks: two in one group, two in another, a reentrant one, and one on its own.
struct Workload
{
  explicit Workload(std::size_t capacity = 400'000) : journal(capacity) {}

  std::shared_ptr<Probe> make(
    const std::string & id, const std::shared_ptr<Group> & group, Kind kind = Kind::subscription,
    std::uint32_t depth = 4000)
  {
    CallbackOptions options;
    options.id = id;
    options.kind = kind;
    options.group = group;
    options.depth = depth;  // more than any of the workloads announces to one callback
    return std::make_shared<Probe>(options, journal);
  }

  Verdict fill(Engine & engine, const Setting & setting)
  {
    const auto exclusive = [] { return std::make_shared<Group>(GroupKind::mutually_exclusive); };
    const auto one = exclusive(), two = exclusive();
    const auto free = std::make_shared<Group>(GroupKind::reentrant);
    for (const auto & group : {one, one, two, two, free, exclusive()}) {
      const auto kind = probes.size() % 2 == 0 ? Kind::subscription : Kind::waitable;
      probes.push_back(make("callback" + std::to_string(probes.size()), group, kind));
      const Status added = engine.add(probes.back(), binding_for(setting, probes.size() - 1));
      if (!added.ok()) {
        return broken(to_string(added.faults().front()));
      }
    }
    return kept();
  }

  // Reads the probes' own counters, which are exact only once all runs have ended.
  bool consumed() const
  {
    for (const auto & probe : probes) {
      if (probe->runs.load() < probe->announced.load()) {
        return false;
      }
    }
    return true;
  }

  Verdict finish(Engine & engine)
  {
    if (!engine.run_until([this] { return consumed(); })) {
      engine.stop();
      const Verdict counts = ran_once_each(probes);
      return counts.good() ? broken("something was left waiting") : counts;
    }
    engine.let_pass();
    engine.stop();
    return ran_once_each(probes) && exclusive_groups_never_overlap(journal) &&
           takes_never_overlap(journal);
  }

  Journal journal;
  std::vector<std::shared_ptr<Probe>> probes;
  std::mt19937 random{12345};
};

}  // namespace takt_core::test

#endif  // SUPPORT__WORKLOAD_HPP_
