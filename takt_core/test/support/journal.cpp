#include "journal.hpp"

namespace takt_core::test
{

Probe::Probe(CallbackOptions options, Journal & journal)
: VirtualCallback(std::move(options)),
  journal_(journal)
{
  on_start = [this](const Run & run) { begin(run); };
  on_end = [this](const Run & run) { finish(run); };
}

void Probe::begin(const Run & run)
{
  journal_.note({Entry::What::begin, this, run.thread, run.sequence});
}

void Probe::finish(const Run & run)
{
  journal_.note({Entry::What::end, this, run.thread, run.sequence});
  runs.fetch_add(1);
}

bool Probe::take(const Run & run)
{
  journal_.note({Entry::What::take, this, run.thread, run.sequence});
  journal_.note({Entry::What::taken, this, run.thread, run.sequence});
  return true;
}

void Probe::run(const Run & run)
{
  begin(run);
  if (body) {
    try {
      body(run);
    } catch (...) {
      finish(run);
      throw;
    }
  }
  finish(run);
}

Verdict exclusive_groups_never_overlap(const Journal & journal)
{
  std::map<const Group *, const Probe *> inside;
  for (const Entry & entry : journal) {
    const Group & group = entry.probe->group();
    if (!group.exclusive()) {
      continue;
    }
    if (entry.what == Entry::What::begin) {
      if (const Probe * const other = inside[&group]) {
        return broken(
          entry.probe->id() + " began while " + other->id() + " of the same group was running");
      }
      inside[&group] = entry.probe;
    } else if (entry.what == Entry::What::end) {
      inside[&group] = nullptr;
    }
  }
  return journal.overflowed() ? broken("the journal is too small") : kept();
}

Verdict takes_never_overlap(const Journal & journal)
{
  std::map<const Probe *, bool> taking;
  for (const Entry & entry : journal) {
    if (entry.what == Entry::What::take) {
      if (taking[entry.probe]) {
        return broken(entry.probe->id() + " was taken twice at the same time");
      }
      taking[entry.probe] = true;
    } else if (entry.what == Entry::What::taken) {
      taking[entry.probe] = false;
    }
  }
  return journal.overflowed() ? broken("the journal is too small") : kept();
}

Verdict ran_once_each(const std::vector<std::shared_ptr<Probe>> & probes)
{
  for (const auto & probe : probes) {
    if (probe->runs.load() != probe->announced.load()) {
      return broken(
        probe->id() + " ran " + std::to_string(probe->runs.load()) + " times for " +
        std::to_string(probe->announced.load()) + " messages");
    }
  }
  return kept();
}

Verdict starts_in_order_of_release(
  const Journal & journal, const std::function<int(const Probe &)> & level)
{
  std::map<int, std::uint64_t> latest;
  for (const Entry & entry : journal) {
    if (entry.what == Entry::What::begin) {
      std::uint64_t & before = latest[level(*entry.probe)];
      if (entry.sequence <= before) {
        return broken(
          entry.probe->id() + " with release " + std::to_string(entry.sequence) +
          " started after release " + std::to_string(before) + " of its level");
      }
      before = entry.sequence;
    }
  }
  return kept();
}

Verdict does_not_start_after(const Journal & journal, const Probe & probe, std::size_t from)
{
  for (const Entry * entry = journal.begin() + from; entry < journal.end(); ++entry) {
    if (entry->probe == &probe && entry->what == Entry::What::begin) {
      return broken(probe.id() + " started although it was removed");
    }
  }
  return kept();
}

}  // namespace takt_core::test
