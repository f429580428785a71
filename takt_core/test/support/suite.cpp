#include "suite.hpp"

#include <random>

namespace takt_core::test
{

namespace
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
      const Status added =
        engine.add(probes.back(), binding_for(setting, probes.size() - 1));
      if (!added.ok()) {
        return broken(added.faults().front());
      }
    }
    return kept();
  }

  // Reads the probes' own counters, which are exact only once everything is over.
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

}  // namespace

Verdict consumes_everything_once_in_exclusive_groups(Engine & engine, const Setting & setting)
{
  Workload work;
  if (Verdict filled = work.fill(engine, setting); !filled) {
    return filled;
  }
  engine.start();
  for (int i = 0; i < 3000; ++i) {
    engine.ready(*work.probes[work.random() % work.probes.size()], 1 + static_cast<std::uint32_t>(work.random() % 3));
    if (i % 100 == 0) {
      engine.run_until([&] { return work.probes[0]->runs.load() > 0 || work.consumed(); });
    }
  }
  return work.finish(engine);
}

Verdict keeps_the_order_of_releases(Engine & engine, const Setting & setting)
{
  Workload work;
  const auto free = std::make_shared<Group>(GroupKind::reentrant);  // busy groups reorder
  for (std::size_t i = 0; i < 4; ++i) {
    work.probes.push_back(work.make("callback" + std::to_string(i), free));
    if (!engine.add(work.probes.back(), binding_for(setting, i)).ok()) {
      return broken("could not add");
    }
  }
  for (int i = 0; i < 500; ++i) {
    engine.ready(*work.probes[work.random() % 4]);
  }
  engine.start();
  const Verdict finished = work.finish(engine);
  return finished && starts_in_order_of_release(work.journal, [&](const Probe & probe) {
           return setting.order == Order::priority ? engine.scheduler().priority(probe) : 0;
         });
}

Verdict runs_nothing_before_the_gate(Engine & engine, const Setting & setting)
{
  Workload work;
  if (Verdict filled = work.fill(engine, setting); !filled) {
    return filled;
  }
  for (const auto & probe : work.probes) {
    engine.ready(*probe, 3);
  }
  engine.let_pass_closed();
  if (work.journal.size() != 0) {
    engine.stop();
    return broken(work.journal.begin()->probe->id() + " started before the gate was opened");
  }
  engine.start();
  return work.finish(engine);
}

Verdict survives_rebinding(Engine & engine, const Setting & setting)
{
  Workload work;
  if (Verdict filled = work.fill(engine, setting); !filled) {
    return filled;
  }
  const ThreadMask sets[] = {0b001, 0b010, 0b100, 0b011, 0b111};
  const std::size_t choices = has_windows(setting.order) ? 3 : 5;
  engine.start();
  for (int i = 0; i < 2000; ++i) {
    engine.ready(*work.probes[work.random() % work.probes.size()], 1 + static_cast<std::uint32_t>(work.random() % 2));
    for (int k = 0; k < 2; ++k) {
      Probe & probe = *work.probes[work.random() % work.probes.size()];
      if (const Status bound = engine.bind(probe, sets[work.random() % choices]); !bound.ok()) {
        engine.stop();
        return broken(bound.faults().front());
      }
    }
  }
  return work.finish(engine);
}

Verdict survives_priority_changes(Engine & engine, const Setting & setting)
{
  Workload work;
  if (Verdict filled = work.fill(engine, setting); !filled) {
    return filled;
  }
  engine.start();
  for (int i = 0; i < 2000; ++i) {
    engine.ready(*work.probes[work.random() % work.probes.size()], 1 + static_cast<std::uint32_t>(work.random() % 2));
    Probe & probe = *work.probes[work.random() % work.probes.size()];
    const int priority = 1 + static_cast<int>(work.random() % 9);
    if (const Status set = engine.set_priority(probe, priority); !set.ok()) {
      engine.stop();
      return broken(set.faults().front());
    }
  }
  return work.finish(engine);
}

Verdict removes_for_good(Engine & engine, const Setting & setting)
{
  for (std::size_t victim = 0; victim < 6; ++victim) {
    // A new set of callbacks each time; the others of the last round stay and are silent.
    Workload work;
    std::vector<std::shared_ptr<Group>> groups;
    for (int i = 0; i < 3; ++i) {
      groups.push_back(std::make_shared<Group>(
        i == 2 ? GroupKind::reentrant : GroupKind::mutually_exclusive));
    }
    for (std::size_t i = 0; i < 6; ++i) {
      work.probes.push_back(work.make(
        "round" + std::to_string(victim) + "." + std::to_string(i), groups[i / 2]));
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
  std::vector<std::shared_ptr<Probe>> gone;  // the journal names them
  for (int i = 0; i < 300; ++i) {
    const auto passing = work.make(
      "passing" + std::to_string(i),
      i % 3 == 0 ? std::make_shared<Group>(GroupKind::mutually_exclusive)
                 : std::shared_ptr<Group>(work.probes[0], &work.probes[0]->group()),
      Kind::subscription, 16);
    gone.push_back(passing);
    engine.ready(*passing, 2);  // waits for the adding
    const std::size_t place = setting.order == Order::stock ? 0 : work.random() % 6;
    if (const Status added = engine.add(passing, binding_for(setting, place));
        !added.ok()) {
      engine.stop();
      return broken(added.faults().front());
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
