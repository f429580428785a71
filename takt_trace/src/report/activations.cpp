#include "report/activations.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace takt_trace::detail
{
namespace
{

/// Limit for clocks that count from the boot or from 1970. Sums of a few such times fit.
constexpr std::int64_t kLatest = std::int64_t{1} << 61;

bool is_time(std::int64_t time)
{
  return -kLatest < time && time < kLatest;
}

class Finder
{
public:
  explicit Finder(const RunIndex & index) : index_(index) {}

  std::vector<ChainActivations> find()
  {
    const auto & processes = index_.processes();
    for (std::size_t process = 0; process < processes.size(); ++process) {
      for (const TracedChain & chain : processes[process].chains) {
        if (ends_in(processes[process], chain)) {
          of(chain);
        }
      }
    }
    for (const TracedEnd end : index_.chain_ends()) {
      const auto & chains = processes[end.place.process].chains;
      const Record told = index_.at(end.place);
      if (told.id < chains.size()) {
        add(chains[told.id], end, told);
      }
    }
    for (ChainActivations & chain : all_) {
      chain.activations.sort([](const auto & a, const auto & b) { return a.release < b.release; });
    }
    return std::move(all_);
  }

private:
  static bool ends_in(const LongTrace & process, const TracedChain & chain)
  {
    const auto is_last = [&](const TracedCallback & one) { return one.id == chain.path.back(); };
    return !chain.path.empty() &&
           std::any_of(process.callbacks.begin(), process.callbacks.end(), is_last);
  }

  ChainActivations & of(const TracedChain & chain)
  {
    const auto [known, is_new] = numbers_.try_emplace({chain.name, chain.path}, all_.size());
    if (is_new) {
      all_.emplace_back().chain = chain;
    }
    return all_[known->second];
  }

  void add(const TracedChain & chain, const TracedEnd & end, const Record & told)
  {
    ChainActivation activation;
    activation.release = index_.shared(end.place.process, told.a);
    activation.end = index_.shared(end.place.process, told.time);
    const bool good = told.a != 0 && is_time(activation.release) && is_time(activation.end) &&
                      activation.release <= activation.end;
    if (!good) {
      return;
    }
    ChainActivations & all = of(chain);
    if (end.run != kNoRecord) {
      add_steps(chain.path, end.run, activation, all.steps);
    }
    all.activations.push_back(activation);
  }

  // Adds steps from the last one backwards. Adds none if a step is not in the trace, or if the root
  // has another release.
  void add_steps(
    const std::vector<std::string> & path, std::size_t last, ChainActivation & activation,
    LongVector<ActivationStep> & all) const
  {
    const TracedCallback * const callback = index_.callback_of(index_.runs()[last]);
    if (path.empty() || callback == nullptr || callback->id != path.back()) {
      return;
    }
    std::vector<ActivationStep> steps(path.size());
    steps.back().run = last;
    steps.back().until = activation.end;
    for (std::size_t place = path.size() - 1; place > 0; --place) {
      const auto before = index_.before(path[place - 1], steps[place].run);
      if (!before) {
        return;
      }
      ActivationStep & step = steps[place - 1];
      step.run = before->run;
      step.until = index_.shared(before->publish.process, index_.at(before->publish).time);
      if (before->publisher != before->run) {
        step.publisher = before->publisher;
      }
    }
    const TracedRun root = index_.runs()[steps.front().run];
    if (index_.shared(root.process, index_.start_of(root).a) != activation.release) {
      return;
    }
    std::int64_t from = activation.release;
    for (ActivationStep & step : steps) {
      put_in_order(step, from, activation.end);
      from = step.until;
    }
    activation.first_step = all.size();
    activation.has_steps = true;
    for (const ActivationStep & step : steps) {
      all.push_back(step);
    }
  }

  // Makes each time at least the previous one: clocks of hosts differ, and a publish is recorded
  // before its message leaves.
  void put_in_order(ActivationStep & step, std::int64_t from, std::int64_t last) const
  {
    const TracedRun run = index_.runs()[step.run];
    const Record start = index_.start_of(run);
    const Record end = index_.end_of(run);
    const auto next = [&](std::int64_t time, std::int64_t earliest) {
      return std::clamp(index_.shared(run.process, time), earliest, step.until);
    };
    step.from = from;
    step.until = std::clamp(step.until, from, last);
    step.released = next(start.a != 0 ? start.a : start.time, from);
    step.picked = next(end.a != 0 ? end.a : start.time, step.released);
    step.start = next(start.time, step.picked);
    step.end = next(end.time, step.start);
  }

  const RunIndex & index_;
  std::vector<ChainActivations> all_;
  std::map<std::pair<std::string, std::vector<std::string>>, std::size_t> numbers_;
};

}  // namespace

std::vector<ChainActivations> find_activations(const RunIndex & index)
{
  return Finder(index).find();
}

LongVector<ToldActivation> told_of(const ChainActivations & chain)
{
  LongVector<ToldActivation> all;
  for (const ChainActivation & one : chain.activations) {
    all.push_back({one.release, one.end});
  }
  return all;
}

}  // namespace takt_trace::detail
