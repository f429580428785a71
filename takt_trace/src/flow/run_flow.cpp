#include "takt_trace/run_flow.hpp"

#include <algorithm>

namespace takt_trace
{
namespace
{

FlowRuns lists_of(const std::vector<FlowRun> & runs)
{
  FlowRuns all;
  for (const FlowRun & run : runs) {
    all.runs.push_back(
      {run.callback, run.process, run.release, run.start, run.end, run.kept, all.taken.size(),
       run.taken.size(), all.published.size(), run.published.size()});
    for (const FlowMessage & message : run.taken) {
      all.taken.push_back(message);
    }
    for (const FlowPublish & publish : run.published) {
      all.published.push_back(publish);
    }
  }
  return all;
}

}  // namespace

RunFlow::RunFlow(std::vector<FlowCallback> callbacks, const std::vector<FlowRun> & runs)
: RunFlow(std::move(callbacks), lists_of(runs))
{
}

RunFlow::RunFlow(std::vector<FlowCallback> callbacks, FlowRuns runs)
: callbacks_(std::move(callbacks)),
  all_(std::move(runs))
{
  LongVector<Named> published, taken;
  LongVector<PlacedMoment> publishes, kept;
  for (RunNumber i = 0; i < all_.runs.size(); ++i) {
    const FlowingRun run = all_.runs[i];
    for (std::size_t number = 0; number < run.published; ++number) {
      const FlowPublish publish = this->published(run, number);
      published.push_back({0, publish.message, i});
      publishes.push_back({pair_of(callbacks_[run.callback].node, publish.topic), publish.time, i});
    }
    for (std::size_t number = 0; number < run.taken; ++number) {
      taken.push_back({run.callback, this->taken(run, number), i});
    }
    if (callbacks_[run.callback].keeps && run.kept != kNotYet) {
      kept.push_back({run.callback, run.kept, i});
    }
  }
  const auto by_name = [](const Named & a, const Named & b) {
    return a.key() != b.key() ? a.key() < b.key() : a.run < b.run;
  };
  const auto by_moment = [](const PlacedMoment & a, const PlacedMoment & b) {
    return a.of != b.of ? a.of < b.of : a.moment() < b.moment();
  };
  published.sort(by_name);
  taken.sort(by_name);
  publishes.sort(by_moment);
  kept.sort(by_moment);
  published_ = SortedList<Named>(std::move(published));
  taken_ = SortedList<Named>(std::move(taken));
  publishes_ = SortedList<PlacedMoment>(std::move(publishes));
  kept_ = SortedList<PlacedMoment>(std::move(kept));
}

RunFlow::Held RunFlow::held(RunNumber run, std::uint32_t topic) const
{
  const FlowingRun own = all_.runs[run];
  for (std::size_t number = 0; number < own.published; ++number) {
    if (published(own, number).topic == topic) {
      return {run, false};
    }
  }
  const FlowCallback & callback = callbacks_[own.callback];
  if (!callback.keeps || own.kept == kNotYet) {
    return {};
  }
  const Moment since{own.kept, run};
  const Moment next = after(publishes_, pair_of(callback.node, topic), since);
  const bool replaced = after(kept_, own.callback, since) < next ||
                        (next.second != kNoRun && all_.runs[next.second].callback == own.callback);
  return replaced ? Held{kNoRun, true} : Held{next.second, false};
}

/// The first moment after `since`.
RunFlow::Moment RunFlow::after(
  const SortedList<PlacedMoment> & all, std::uint64_t of, const Moment & since)
{
  const std::size_t index = all.first_not(
    [&](const PlacedMoment & one) { return one.of != of ? one.of < of : one.moment() <= since; });
  return index < all.size() && all[index].of == of ? all[index].moment() : Moment{kNotYet, kNoRun};
}

RunNumber RunFlow::find(const SortedList<Named> & all, const Named & wanted)
{
  const std::size_t index =
    all.first_not([&](const Named & one) { return one.key() < wanted.key(); });
  if (index == all.size()) {
    return kNoRun;
  }
  const Named found = all[index];
  return found.key() == wanted.key() ? found.run : kNoRun;
}

RunNumber RunFlow::source(const FlowMessage & message) const
{
  return find(published_, {0, message, 0});
}

RunNumber RunFlow::taker(std::uint32_t callback, const FlowMessage & message) const
{
  return find(taken_, {callback, message, 0});
}

RunNumber RunFlow::next_taker(std::uint32_t callback, const FlowMessage & message) const
{
  const auto key = std::tuple(callback, message.publisher, message.sequence);
  const std::size_t index = taken_.first_not([&](const Named & one) { return one.key() <= key; });
  if (index == taken_.size()) {
    return kNoRun;
  }
  const Named found = taken_[index];
  return found.callback == callback && found.message.publisher == message.publisher ? found.run
                                                                                    : kNoRun;
}

bool RunFlow::publishes(std::uint32_t node, std::uint32_t topic) const
{
  const std::uint64_t of = pair_of(node, topic);
  const std::size_t index =
    publishes_.first_not([&](const PlacedMoment & one) { return one.of < of; });
  return index < publishes_.size() && publishes_[index].of == of;
}

}  // namespace takt_trace
