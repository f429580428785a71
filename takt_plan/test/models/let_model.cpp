#include "models/let_model.hpp"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "models/close_releases.hpp"
#include "support/random_model.hpp"
#include "takt_plan/end_to_end.hpp"

namespace takt_plan::test
{
namespace
{

constexpr Index kLongest = 6;
constexpr int kMostChains = 12;

bool hears(const std::vector<Link> & links, Index from)
{
  return std::any_of(
    links.begin(), links.end(), [&](const Link & link) { return link.from == from; });
}

class Generator
{
public:
  explicit Generator(std::uint64_t seed) : random_(seed ^ 0x1e7), model_(random_model(seed)) {}

  Model generate()
  {
    choose_timers();
    add_other_executor();
    add_inputs();
    add_reads();
    add_phases();
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

  bool starts_others(Index task) const
  {
    return std::any_of(model_.tasks.begin(), model_.tasks.end(), [&](const Task & other) {
      return hears(other.triggers, task) || hears(other.reads, task);
    });
  }

  void choose_timers()
  {
    const std::vector<Index> threads = model_.tasks.front().threads;
    for (Index index = 0; index < model_.tasks.size(); ++index) {
      Task & task = model_.tasks[index];
      task.time = (task.time + 1) / 2;
      task.middleware = pick(0, 3);
      if (!task.timer || !task.triggers.empty() || (index > 0 && pick(0, 3) == 0)) {
        continue;
      }
      task.threads = threads;
      task.release->jitter = std::min(task.release->jitter, task.release->period / 4);
      task.group = model_.groups.size();
      model_.groups.push_back({"let" + std::to_string(index), true});
      model_.groups.back().logical_time = takt_core::LateOutputs::publish;
      timers_.push_back(index);
    }
  }

  /// A timer of another executor, on a core that has room.
  void add_other_executor()
  {
    Thread thread = model_.threads.front();
    thread.name = "other";
    thread.executor = model_.executors.size();
    thread.priority = pick(1, 99);
    model_.executors.emplace_back("other");
    Task task;
    task.id = "/other";
    task.executor = thread.executor;
    task.threads = {model_.threads.size()};
    task.time = pick(1, 10);
    task.timer = true;
    task.release = Release{pick(4, 20) * 100, 0, {}};
    model_.threads.push_back(thread);
    other_ = model_.tasks.size();
    model_.tasks.push_back(task);
  }

  /// Some inputs have a second publisher: another timer of a group, or a callback whose messages
  /// come at once, perhaps of another executor.
  void add_publisher(Task & input)
  {
    const Index from = pick(0, 1) == 0 ? any_timer() : pick(0, 1) == 0 ? any_task() : other_;
    if (pick(0, 1) == 0 && from != input.triggers.front().from && !model_.tasks[from].input) {
      input.triggers.push_back({from, pick(0, 3) == 0 ? pick(1, 200) : 0, 0});
    }
  }

  void add_inputs()
  {
    for (Index index = 0; index < model_.tasks.size(); ++index) {
      Task & task = model_.tasks[index];
      if (task.release || task.triggers.size() != 1 || starts_others(index) || pick(0, 1) == 0) {
        continue;
      }
      if (pick(0, 1) == 0) {
        task.triggers.front() = {any_timer(), 0, 0};
      }
      const Index timer = any_timer();
      WaitingInput input;
      input.takers = {timer};
      input.by_release = true;
      input.keep = static_cast<std::uint32_t>(pick(0, 2));
      task.input = input;
      task.depth = static_cast<std::uint32_t>(pick(1, 6));
      task.threads = model_.tasks[timer].threads;
      task.group = model_.tasks[timer].group;
      add_publisher(task);
    }
  }

  void add_reads()
  {
    for (const Index timer : timers_) {
      const Index from = any_task();
      if (pick(0, 2) != 0 && from != timer && !model_.tasks[from].input) {
        model_.tasks[timer].reads.push_back({from, pick(0, 2) == 0 ? pick(1, 200) : 0, 0});
      }
      const Index other = any_timer();
      if (pick(0, 1) == 0 && other != timer) {
        model_.tasks[timer].reads.push_back({other, 0, 1});
      }
    }
  }

  void add_phases()
  {
    if (pick(0, 1) == 0) {
      return;
    }
    const bool in_step = pick(0, 1) == 0;
    for (const Index timer : timers_) {
      Release & release = *model_.tasks[timer].release;
      release.period = in_step ? 2000 : release.period;
      release.offset = in_step ? 0 : pick(0, static_cast<int>(release.period) - 1);
    }
  }

  Index any_timer()
  {
    return timers_[static_cast<Index>(pick(0, static_cast<int>(timers_.size()) - 1))];
  }

  void add_chain()
  {
    Chain chain;
    chain.path = {pick(0, 1) == 0 ? any_timer() : any_task()};
    if (!model_.tasks[chain.path.front()].release) {
      return;
    }
    while (chain.path.size() < kLongest) {
      std::vector<Index> next;
      for (Index task = 0; task < model_.tasks.size(); ++task) {
        const bool heard = hears(model_.tasks[task].triggers, chain.path.back()) ||
                           hears(model_.tasks[task].reads, chain.path.back());
        const bool again =
          std::find(chain.path.begin(), chain.path.end(), task) != chain.path.end();
        if (heard && !again) {
          next.push_back(task);
        }
      }
      if (next.empty() || pick(0, 4) == 0) {
        break;
      }
      chain.path.push_back(next[static_cast<Index>(pick(0, static_cast<int>(next.size()) - 1))]);
    }
    chain.name = "chain" + std::to_string(model_.chains.size());
    model_.chains.push_back(std::move(chain));
  }

  std::mt19937_64 random_;
  Model model_;
  std::vector<Index> timers_;
  Index other_ = kNone;
};

}  // namespace

Model let_model(std::uint64_t seed)
{
  return with_close_offsets(Generator(seed).generate(), seed);
}

}  // namespace takt_plan::test
