#include "takt_trace/run_flow.hpp"

#include <algorithm>

namespace takt_trace
{

std::size_t RunFlow::KeyHash::operator()(const Key & key) const noexcept
{
  std::uint64_t mixed = key.number * 0x9e3779b97f4a7c15ULL ^ key.message.publisher;
  mixed = (mixed ^ mixed >> 29U) * 0xbf58476d1ce4e5b9ULL ^ key.message.sequence;
  return static_cast<std::size_t>((mixed ^ mixed >> 31U) * 0x94d049bb133111ebULL);
}

RunFlow::RunFlow(std::vector<FlowCallback> callbacks, std::vector<FlowRun> runs)
: callbacks_(std::move(callbacks)),
  runs_(std::move(runs)),
  kept_(callbacks_.size())
{
  for (RunNumber i = 0; i < runs_.size(); ++i) {
    const FlowRun & run = runs_[i];
    for (const FlowPublish & publish : run.published) {
      published_.try_emplace({0, publish.message}, i);
      publishes_[pair_of(callbacks_[run.callback].node, publish.topic)].emplace_back(
        publish.time, i);
    }
    for (const FlowMessage & message : run.taken) {
      taken_.try_emplace({run.callback, message}, i);
      std::uint64_t & newest = newest_taken_[{run.callback, {message.publisher, 0}}];
      newest = std::max(newest, message.sequence);
    }
    if (callbacks_[run.callback].keeps && run.kept != kNotYet) {
      kept_[run.callback].emplace_back(run.kept, i);
    }
  }
  for (auto & [place, moments] : publishes_) {
    std::sort(moments.begin(), moments.end());
  }
  for (auto & moments : kept_) {
    std::sort(moments.begin(), moments.end());
  }
}

RunFlow::Held RunFlow::held(RunNumber run, std::uint32_t topic) const
{
  const FlowRun & own = runs_[run];
  const auto on_topic = [&](const FlowPublish & publish) { return publish.topic == topic; };
  if (std::any_of(own.published.begin(), own.published.end(), on_topic)) {
    return {run, false};
  }
  const FlowCallback & callback = callbacks_[own.callback];
  if (!callback.keeps || own.kept == kNotYet) {
    return {};
  }
  const Moment since{own.kept, run};
  const auto after = [&](const std::vector<Moment> & moments) {
    const auto found = std::upper_bound(moments.begin(), moments.end(), since);
    return found == moments.end() ? Moment{kNotYet, kNoRun} : *found;
  };
  const auto known = publishes_.find(pair_of(callback.node, topic));
  const Moment next = known == publishes_.end() ? Moment{kNotYet, kNoRun} : after(known->second);
  const bool replaced = after(kept_[own.callback]) < next ||
                        (next.second != kNoRun && runs_[next.second].callback == own.callback);
  return replaced ? Held{kNoRun, true} : Held{next.second, false};
}

RunNumber RunFlow::source(const FlowMessage & message) const
{
  const auto found = published_.find({0, message});
  return found == published_.end() ? kNoRun : found->second;
}

RunNumber RunFlow::taker(std::uint32_t callback, const FlowMessage & message) const
{
  const auto found = taken_.find({callback, message});
  return found == taken_.end() ? kNoRun : found->second;
}

bool RunFlow::overtaken(std::uint32_t callback, const FlowMessage & message) const
{
  const auto found = newest_taken_.find({callback, {message.publisher, 0}});
  return found != newest_taken_.end() && found->second > message.sequence;
}

bool RunFlow::publishes(std::uint32_t node, std::uint32_t topic) const
{
  return publishes_.contains(pair_of(node, topic));
}

}  // namespace takt_trace
