// Checks in which callbacks are added and removed.
#include "suite.hpp"

#include "workload.hpp"

namespace takt_core::test
{

Verdict removes_for_good(Engine & engine, const Setting & setting)
{
  for (std::size_t victim = 0; victim < 6; ++victim) {
    // New callbacks in each round.
    Workload work;
    std::vector<std::shared_ptr<Group>> groups;
    for (int i = 0; i < 3; ++i) {
      groups.push_back(
        std::make_shared<Group>(i == 2 ? GroupKind::reentrant : GroupKind::mutually_exclusive));
    }
    for (std::size_t i = 0; i < 6; ++i) {
      work.probes.push_back(
        work.make("round" + std::to_string(victim) + "." + std::to_string(i), groups[i / 2]));
      if (!engine.add(work.probes.back(), binding_for(setting, i)).ok()) {
        return broken("could not add");
      }
    }
    if (victim == 0) {
      engine.start();
    }
    for (int i = 0; i < 300; ++i) {
      engine.ready(*work.probes[work.random() % 6]);
    }
    const auto gone = work.probes[victim];
    engine.run_until([&] { return gone->runs.load() > 2; });
    engine.remove(*gone);
    const std::size_t from = work.journal.size();
    engine.ready(*gone, 5);
    work.probes.erase(work.probes.begin() + static_cast<std::ptrdiff_t>(victim));
    if (!engine.run_until([&] { return work.consumed(); })) {
      engine.stop();
      return broken("the others did not go on after a removal") && ran_once_each(work.probes);
    }
    engine.let_pass();
    for (const auto & probe : work.probes) {
      engine.remove(*probe);
    }
    const Verdict verdict = does_not_start_after(work.journal, *gone, from) &&
                            ran_once_each(work.probes) &&
                            exclusive_groups_never_overlap(work.journal);
    if (!verdict) {
      engine.stop();
      return verdict;
    }
  }
  engine.stop();
  return kept();
}

Verdict survives_adding_and_removing(Engine & engine, const Setting & setting)
{
  Workload work;
  if (Verdict filled = work.fill(engine, setting); !filled) {
    return filled;
  }
  engine.start();
  std::vector<std::shared_ptr<Probe>> gone;  // kept, because the journal names removed callbacks
  for (int i = 0; i < 300; ++i) {
    const auto passing = work.make(
      "passing" + std::to_string(i),
      i % 3 == 0 ? std::make_shared<Group>(GroupKind::mutually_exclusive)
                 : std::shared_ptr<Group>(work.probes[0], &work.probes[0]->group()),
      Kind::subscription, 16);
    gone.push_back(passing);
    engine.ready(*passing, 2);  // the messages wait until the callback is added
    const Binding binding = binding_for(setting, work.random() % 6);
    if (const Status added = engine.add(passing, binding); !added.ok()) {
      engine.stop();
      return broken(to_string(added.faults().front()));
    }
    for (const auto & probe : work.probes) {
      engine.ready(*probe);
    }
    if (i % 2 == 0 && !engine.run_until([&] { return passing->runs.load() == 2; })) {
      engine.stop();
      return broken(passing->id() + " did not run what was announced before it was added");
    }
    engine.remove(*passing);
  }
  return work.finish(engine);
}

Verdict wakes_for_every_message(Engine & engine, const Setting & setting)
{
  Workload work;
  if (Verdict filled = work.fill(engine, setting); !filled) {
    return filled;
  }
  engine.start();
  for (int i = 0; i < 300; ++i) {
    for (std::size_t k = 0; k <= work.random() % 3; ++k) {
      engine.ready(*work.probes[work.random() % 6]);
    }
    if (!engine.run_until([&] { return work.consumed(); })) {
      engine.stop();
      return broken("a message was not consumed: nobody was woken for it");
    }
  }
  return work.finish(engine);
}

}  // namespace takt_core::test
