#include "suite.hpp"

#include <stdexcept>

#include "workload.hpp"

namespace takt_core::test
{

Verdict consumes_everything_once_in_exclusive_groups(Engine & engine, const Setting & setting)
{
  Workload work;
  if (Verdict filled = work.fill(engine, setting); !filled) {
    return filled;
  }
  engine.start();
  for (int i = 0; i < 3000; ++i) {
    engine.ready(
      *work.probes[work.random() % work.probes.size()],
      1 + static_cast<std::uint32_t>(work.random() % 3));
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
  const std::size_t choices = has_windows(setting.order) ? 3 : 5;  // window sets never overlap
  engine.start();
  for (int i = 0; i < 2000; ++i) {
    engine.ready(
      *work.probes[work.random() % work.probes.size()],
      1 + static_cast<std::uint32_t>(work.random() % 2));
    for (int k = 0; k < 2; ++k) {
      Probe & probe = *work.probes[work.random() % work.probes.size()];
      if (const Status bound = engine.bind(probe, sets[work.random() % choices]); !bound.ok()) {
        engine.stop();
        return broken(to_string(bound.faults().front()));
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
    engine.ready(
      *work.probes[work.random() % work.probes.size()],
      1 + static_cast<std::uint32_t>(work.random() % 2));
    Probe & probe = *work.probes[work.random() % work.probes.size()];
    const int priority = 1 + static_cast<int>(work.random() % 9);
    if (const Status set = engine.set_priority(probe, priority); !set.ok()) {
      engine.stop();
      return broken(to_string(set.faults().front()));
    }
  }
  return work.finish(engine);
}

Verdict survives_cancel_storms(Engine & engine, const Setting & setting)
{
  Workload work;
  if (Verdict filled = work.fill(engine, setting); !filled) {
    return filled;
  }
  engine.start();
  for (int i = 0; i < 100; ++i) {
    for (std::size_t k = 0; k < 10; ++k) {
      engine.ready(*work.probes[work.random() % work.probes.size()]);
    }
    if (!engine.cancel_and_restart()) {
      return broken("this engine cannot be cancelled");
    }
  }
  return work.finish(engine);
}

Verdict survives_exceptions(Engine & engine, const Setting & setting)
{
  Workload work;
  if (Verdict filled = work.fill(engine, setting); !filled) {
    return filled;
  }
  std::atomic<std::uint64_t> thrown{0};
  for (const auto & probe : work.probes) {
    probe->body = [&thrown, every = 2 + work.random() % 5,
                   count = std::make_shared<std::atomic<std::uint64_t>>(0)](const Run &) {
      if (count->fetch_add(1) % every == 0) {
        thrown.fetch_add(1);
        throw std::runtime_error("as it is meant to");
      }
    };
  }
  engine.start();
  for (int i = 0; i < 2000; ++i) {
    engine.ready(*work.probes[work.random() % work.probes.size()]);
  }
  const Verdict finished = work.finish(engine);
  if (finished.good() && engine.exceptions() != thrown.load()) {
    return broken(
      std::to_string(engine.exceptions()) + " exceptions were counted of " +
      std::to_string(thrown.load()));
  }
  return finished;
}

}  // namespace takt_core::test
