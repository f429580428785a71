// The cost of watching for each run: without an observer, with one that is off, and with one that
// is on.
//
//     takt_watch_observer_cost [RUNS]
//
// A callback on one thread makes itself ready again. The program measures the three kinds in turn,
// and prints the shortest of nine rounds for each. The difference from the first line is the cost
// of watching.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>

#include "takt_core/executor.hpp"
#include "takt_watch/watch.hpp"

namespace
{

using std::chrono::milliseconds;
using std::chrono::seconds;
using takt_schedule::WatchRule;

class Again final : public takt_core::Callback
{
public:
  explicit Again(std::function<void(Again &)> function)
  : Callback([] {
      takt_core::CallbackOptions options;
      options.id = "/a:sub(/x)";
      options.kind = takt_core::Kind::subscription;
      options.depth = 4;
      return options;
    }()),
    function_(std::move(function))
  {
  }
  void run(const takt_core::Run &) override { function_(*this); }

private:
  const std::function<void(Again &)> function_;
};

enum class Watched
{
  no,
  off,
  off_with_schedule,
  on,
  on_with_all_rules,
};

WatchRule rule_for(Watched how)
{
  WatchRule rule;
  if (how == Watched::on) {
    rule.budget = seconds(1);
  } else if (how == Watched::on_with_all_rules) {
    rule.budget = seconds(1);
    rule.stall = seconds(1);
    rule.misses = takt_schedule::MissRule{1, 20};
    rule.backlog.emplace();
    rule.backlog->messages = 3;
    rule.backlog->age = seconds(1);
  }
  return rule;
}

/// The time of one run in a round of `runs` runs, in ns.
double round_of(Watched how, std::uint64_t runs)
{
  auto executor = std::move(takt_core::Executor::create({})).value();
  std::unique_ptr<takt_watch::Watching> watching;
  if (how != Watched::no) {
    takt_watch::WatchedExecutor facts;
    facts.name = "main";
    facts.executor = executor.get();
    if (how != Watched::off) {
      facts.rule = [how](const takt_core::Callback &) { return rule_for(how); };
    }
    watching = std::move(takt_watch::watch(facts)).value();
  }
  std::uint64_t left = runs;
  const auto callback = std::make_shared<Again>([&](Again & self) {
    if (--left == 0) {
      executor->cancel();
    } else {
      executor->ready(self, 1);
    }
  });
  takt_core::Binding binding;
  binding.deadline = seconds(1);
  if (!executor->add(callback, binding).ok()) {
    std::abort();
  }
  if (how == Watched::on_with_all_rules) {
    takt_core::ChainOptions chain;
    chain.name = "hot";
    chain.path = {callback->id()};
    chain.deadline = seconds(1);
    if (!executor->reconfigure({.more_chains = {chain}}).ok()) {
      std::abort();
    }
  }
  executor->ready(*callback, 1);
  const auto begin = std::chrono::steady_clock::now();
  static_cast<void>(executor->spin());
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
  watching.reset();
  return took.count() / static_cast<double>(runs);
}

}  // namespace

int main(int argc, char ** argv)
{
  const std::uint64_t runs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 300'000;
  struct Line
  {
    Watched how;
    const char * words;
    double best = 1e18;
  };
  std::array lines{
    Line{Watched::no, "no observer"}, Line{Watched::off, "off, no schedule"},
    Line{Watched::off_with_schedule, "off, with a schedule"}, Line{Watched::on, "on, budget only"},
    Line{Watched::on_with_all_rules, "on, all rules and a chain"}};
  for (int round = 0; round < 9; ++round) {
    for (Line & line : lines) {
      line.best = std::min(line.best, round_of(line.how, std::max<std::uint64_t>(runs, 1)));
    }
  }
  for (const Line & line : lines) {
    std::printf(
      "%-42s %8.1f ns for a run  %+8.1f\n", line.words, line.best, line.best - lines[0].best);
  }
  return 0;
}
