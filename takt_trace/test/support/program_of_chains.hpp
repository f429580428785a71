// A random program as its processes record it: a chain through some threads, and other callbacks
// that delay it.
#ifndef SUPPORT__PROGRAM_OF_CHAINS_HPP_
#define SUPPORT__PROGRAM_OF_CHAINS_HPP_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "traces.hpp"

namespace takt_trace::test
{

class ProgramOfChains
{
public:
  explicit ProgramOfChains(std::mt19937 & random) : random_(random)
  {
    traces_.resize(1 + below(3));
    for (ProcessTrace & trace : traces_) {
      trace.host = "here";
      trace.to_realtime = 1'000'000 + static_cast<std::int64_t>(below(50));
      trace.threads.resize(1 + below(3));
      trace.topics = {"/t"};
      trace.callbacks = {{"/noise:timer(1s)", "timer", group(), "main"}};
    }
    const std::size_t length = 1 + below(4);
    std::vector<std::string> path;
    for (std::size_t i = 0; i < length; ++i) {
      const std::size_t process = below(traces_.size());
      path.push_back("/n" + std::to_string(i) + (i == 0 ? ":timer(1s)" : ":sub(/t)"));
      steps_.push_back(
        {process, below(traces_[process].threads.size()),
         static_cast<std::uint32_t>(traces_[process].callbacks.size())});
      traces_[process].callbacks.push_back({path.back(), "subscription", group(), "main"});
    }
    traces_[steps_.back().process].chains = {{"hot", 1, 0, path}};
    const bool measured = below(2) == 0;
    for (std::int64_t release = 1000; release < 3000; release += 400) {
      activate(release, measured);
    }
  }

  std::vector<ProcessTrace> traces() const { return traces_; }
  std::size_t activations() const { return activations_; }

private:
  struct Step
  {
    std::size_t process = 0;
    std::size_t thread = 0;
    std::uint32_t callback = 0;
  };

  std::size_t below(std::size_t end) { return random_() % end; }
  std::int64_t some(std::size_t most) { return static_cast<std::int64_t>(below(most + 1)); }
  std::string group() { return "/g" + std::to_string(below(2)); }

  void activate(std::int64_t release, bool measured)
  {
    std::int64_t now = release;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      disturb(now);
      const bool last = i + 1 == steps_.size();
      now = run(
        steps_[i], now, i == 0 ? 0 : sequence_, last ? 0 : sequence_ + 1, measured,
        last ? release : 0);
      sequence_ += last ? 0 : 1;
    }
    ++activations_;
  }

  /// Adds runs of the other callbacks on some threads.
  void disturb(std::int64_t now)
  {
    for (std::size_t process = 0; process < traces_.size(); ++process) {
      for (std::size_t thread = 0; thread < traces_[process].threads.size(); ++thread) {
        if (below(2) == 0) {
          run({process, thread, 0}, now + some(20), 0, 0, below(2) == 0, 0);
        }
      }
    }
  }

  /// A run that takes the message `taken`, publishes `published`, and ends the activation with the
  /// release `ended`, if these are not 0. Returns the time of the publish, else of the end.
  std::int64_t run(
    const Step & step, std::int64_t arrival, std::int64_t taken, std::int64_t published,
    bool measured, std::int64_t ended)
  {
    ProcessTrace & process = traces_[step.process];
    auto & records = process.threads[step.thread].records;
    const std::int64_t arrived = arrival + (taken != 0 ? some(10) : 0);
    const std::int64_t before = records.empty() ? 0 : records.back().time;
    const std::int64_t picked = std::max(arrived, before) + some(20);
    const std::int64_t start = picked + some(5);
    const std::int64_t told = start + some(30);
    const std::int64_t end = told + some(20);
    if (taken != 0) {
      records.push_back(take(picked, step.callback, {7, taken}));
    }
    records.push_back(
      run_start(start, step.callback, arrived, 0, 0, static_cast<int>(below(3)) - 1));
    if (published != 0) {
      records.push_back(publish(told, 0, {7, published}));
    }
    if (ended != 0 && !crosses()) {
      records.push_back(chain_end(end, 0, ended));  // if the chain crosses processes, only the
                                                    // messages show this end
    }
    if (measured) {
      records.push_back(kernel_wait(end, step.callback, some(40) - 1, some(60)));
    }
    records.push_back(
      run_end(end, step.callback, picked, measured ? some(70) : 0, measured ? some(7) : 0));
    return published != 0 ? told : end;
  }

  bool crosses() const
  {
    return std::any_of(steps_.begin(), steps_.end(), [this](const Step & one) {
      return one.process != steps_.front().process;
    });
  }

  std::mt19937 & random_;
  std::vector<ProcessTrace> traces_;
  std::vector<Step> steps_;
  std::int64_t sequence_ = 0;
  std::size_t activations_ = 0;
};

}  // namespace takt_trace::test

#endif  // SUPPORT__PROGRAM_OF_CHAINS_HPP_
