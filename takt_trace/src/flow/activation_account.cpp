#include "takt_trace/activation_account.hpp"

#include <algorithm>
#include <set>

#include "saturating.hpp"

namespace takt_trace
{
namespace
{

class Accountant
{
public:
  Accountant(const RunFlow & flow, const AccountedChain & chain, const AccountedTime & time)
  : flow_(flow),
    chain_(chain),
    time_(time)
  {
  }

  void follow(RunNumber root)
  {
    const std::int64_t release = flow_.runs()[root].release;
    RunNumber run = root;
    for (std::size_t place = 0;; ++place) {
      const FlowingRun here = flow_.runs()[run];
      seen_.insert(here.process);
      if (place + 1 == chain_.path.size()) {
        add({here.ended() ? Fate::completed : Fate::unfinished, release, run, place});
        return;
      }
      const std::uint32_t next = chain_.path[place + 1];
      const std::uint32_t topic = flow_.callbacks()[next].topic;
      const RunFlow::Held held = flow_.held(run, topic);
      if (held.carrier == kNoRun) {
        add({held.superseded ? Fate::superseded : Fate::unfinished, release, run, place});
        return;
      }
      const Taken found = taken(held.carrier, topic, next);
      if (found.run == kNoRun) {
        add({fate_without_taker(found, next, place + 1), release, run, place + 1});
        return;
      }
      run = found.run;
    }
  }

  void add(AccountedActivation one)
  {
    const std::int64_t due = detail::saturating_add(one.release, chain_.deadline);
    ++account_.released;
    switch (one.fate) {
      case Fate::completed:
        ++account_.completed;
        account_.late += flow_.runs()[one.last].end > due ? 1 : 0;
        break;
      case Fate::superseded:
        ++account_.superseded;
        break;
      case Fate::lost:
        ++account_.lost;
        break;
      case Fate::unfinished:
        ++account_.unfinished;
        one.overdue = due < time_.observed_to;
        account_.overdue += one.overdue ? 1 : 0;
        break;
      case Fate::skipped:
        ++account_.skipped;
        break;
    }
    account_.activations.push_back(one);
  }

  ActivationAccount result()
  {
    account_.processes = seen_.size();
    if (chain_.deadline != kNotYet) {
      account_.missed = account_.late + account_.lost + account_.overdue + account_.skipped;
    }
    return std::move(account_);
  }

private:
  struct Taken
  {
    RunNumber run = kNoRun;
    bool lost = false;           ///< no run took any of the messages, and later ones were taken
    RunNumber instead = kNoRun;  ///< took the first later one
  };

  // In a node that joins messages it makes no difference whether newer data replaced a message before or after a run took
  // it, if the run that took the newer data only kept it.
  Fate fate_without_taker(const Taken & found, std::uint32_t callback, std::size_t place) const
  {
    if (!found.lost) {
      return Fate::unfinished;
    }
    if (place + 1 == chain_.path.size() || found.instead == kNoRun) {
      return Fate::lost;
    }
    const FlowingRun instead = flow_.runs()[found.instead];
    const std::uint32_t topic = flow_.callbacks()[chain_.path[place + 1]].topic;
    const bool kept = flow_.callbacks()[callback].keeps && instead.kept != kNotYet &&
                      flow_.held(found.instead, topic).carrier != found.instead;
    return kept ? Fate::superseded : Fate::lost;
  }

  Taken taken(RunNumber carrier, std::uint32_t topic, std::uint32_t by) const
  {
    Taken result{kNoRun, true, kNoRun};
    const FlowingRun run = flow_.runs()[carrier];
    for (std::size_t number = 0; number < run.published; ++number) {
      const FlowPublish publish = flow_.published(run, number);
      if (publish.topic == topic) {
        result.run = std::min(result.run, flow_.taker(by, publish.message));
        result.lost = result.lost && flow_.overtaken(by, publish.message);
        result.instead = flow_.next_taker(by, publish.message);
      }
    }
    return result;
  }

  const RunFlow & flow_;
  const AccountedChain & chain_;
  const AccountedTime & time_;
  ActivationAccount account_;
  std::set<std::uint32_t> seen_;  // processes
};

}  // namespace

ActivationAccount account_activations(
  const RunFlow & flow, const AccountedChain & chain, const UnstartedReleases & unstarted,
  const AccountedTime & time)
{
  Accountant accountant(flow, chain, time);
  const auto is_told = [&](std::int64_t release) {
    const std::size_t index =
      chain.told.first_not([&](std::int64_t told) { return told < release; });
    return index < chain.told.size() && chain.told[index] == release;
  };
  for (RunNumber root = 0; root < flow.runs().size(); ++root) {
    const FlowingRun run = flow.runs()[root];
    if (
      run.callback == chain.path.front() && run.release >= time.from && run.release < time.to &&
      !is_told(run.release)) {
      accountant.follow(root);
    }
  }
  for (const std::int64_t release : unstarted.skipped) {
    accountant.add({Fate::skipped, release});
  }
  if (unstarted.waiting) {
    accountant.add({Fate::unfinished, *unstarted.waiting});
  }
  return accountant.result();
}

}  // namespace takt_trace
