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
      const RunNumber taker = taken(held.carrier, topic, next);
      if (taker == kNoRun) {
        const Fate fate = fate_without_taker(held.carrier, topic, next, place + 1);
        add({fate, release, run, place + 1});
        return;
      }
      run = taker;
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
  // Calls `each` with every message of the topic that the run published.
  template <typename Each>
  void for_each_message(RunNumber carrier, std::uint32_t topic, const Each & each) const
  {
    const FlowingRun run = flow_.runs()[carrier];
    for (std::size_t number = 0; number < run.published; ++number) {
      const FlowPublish publish = flow_.published(run, number);
      if (publish.topic == topic) {
        each(publish.message);
      }
    }
  }

  RunNumber taken(RunNumber carrier, std::uint32_t topic, std::uint32_t by) const
  {
    RunNumber first = kNoRun;
    for_each_message(carrier, topic, [&](const FlowMessage & message) {
      first = std::min(first, flow_.taker(by, message));
    });
    return first;
  }

  // The end of an activation whose messages no run took. `place`: of the callback `by`, which
  // should have taken them. If a node joins messages, and the run that took the newer data only
  // kept it, then it does not matter whether the newer data replaced the message before or after a
  // run took it.
  Fate fate_without_taker(
    RunNumber carrier, std::uint32_t topic, std::uint32_t by, std::size_t place) const
  {
    bool lost = true;  // later messages than each of them were taken
    RunNumber instead = kNoRun;
    for_each_message(carrier, topic, [&](const FlowMessage & message) {
      instead = flow_.next_taker(by, message);
      lost = lost && instead != kNoRun;
    });
    if (!lost) {
      return Fate::unfinished;
    }
    if (place + 1 == chain_.path.size() || instead == kNoRun || !flow_.callbacks()[by].keeps) {
      return Fate::lost;
    }
    const std::uint32_t next = flow_.callbacks()[chain_.path[place + 1]].topic;
    const bool kept =
      flow_.runs()[instead].kept != kNotYet && flow_.held(instead, next).carrier != instead;
    return kept ? Fate::superseded : Fate::lost;
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
