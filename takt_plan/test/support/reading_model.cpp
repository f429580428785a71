#include "support/reading_model.hpp"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "support/random_model.hpp"
#include "takt_plan/end_to_end.hpp"

namespace takt_plan::test
{
namespace
{

constexpr int kMostChains = 12;
constexpr Index kLongest = 6;

class Generator
{
public:
  explicit Generator(std::uint64_t seed) : random_(seed ^ 0x5eed), model_(random_model(seed)) {}

  Model generate()
  {
    for (Task & task : model_.tasks) {
      if (task.release && pick(0, 7) == 0) {
        task.timer = false;
      }
    }
    for (Index task = 0; task < model_.tasks.size(); ++task) {
      const int topics = pick(0, 2);
      for (int topic = 0; topic < topics; ++topic) {
        add_read(task, static_cast<Index>(topic));
        if (pick(0, 5) == 0) {
          add_read(task, static_cast<Index>(topic));
        }
      }
    }
    model_.chains.clear();
    for (int i = 0; i < kMostChains; ++i) {
      add_chain();
    }
    return std::move(model_);
  }

private:
  int pick(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }
  Index any_task()
  {
    return static_cast<Index>(pick(0, static_cast<int>(model_.tasks.size()) - 1));
  }

  static bool has(const std::vector<Link> & links, Index from)
  {
    return std::any_of(
      links.begin(), links.end(), [&](const Link & link) { return link.from == from; });
  }

  void add_read(Index reader, Index topic)
  {
    Task & task = model_.tasks[reader];
    const Index from = any_task();
    if (from != reader && !has(task.reads, from)) {
      task.reads.push_back({from, pick(0, 2) == 0 ? pick(1, 300) : 0, topic});
    }
  }

  void add_chain()
  {
    Chain chain;
    chain.path = {any_task()};
    if (!model_.tasks[chain.path.front()].release) {
      return;
    }
    while (chain.path.size() < kLongest) {
      std::vector<Index> next;
      for (Index task = 0; task < model_.tasks.size(); ++task) {
        const bool starts = has(model_.tasks[task].triggers, chain.path.back());
        if (starts || has(model_.tasks[task].reads, chain.path.back())) {
          next.push_back(task);
        }
      }
      if (next.empty() || (reads(model_, chain) && pick(0, 2) == 0)) {
        break;
      }
      chain.path.push_back(next[static_cast<Index>(pick(0, static_cast<int>(next.size()) - 1))]);
    }
    if (reads(model_, chain)) {
      chain.name = "chain" + std::to_string(model_.chains.size());
      model_.chains.push_back(std::move(chain));
    }
  }

  std::mt19937_64 random_;
  Model model_;
};

}  // namespace

Model reading_model(std::uint64_t seed)
{
  return Generator(seed).generate();
}

}  // namespace takt_plan::test
