#include "models/crossing_model.hpp"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "models/close_releases.hpp"
#include "support/example.hpp"
#include "support/random_model.hpp"

namespace takt_plan::test
{
namespace
{

constexpr Ns kPeriods[] = {400, 500, 800, 1000};

class Crossing
{
public:
  Crossing(std::uint64_t seed, bool phases) : random_(seed), phases_(phases), example_(pick(2, 3))
  {
  }

  Model make()
  {
    add_threads();
    for (int chains = pick(2, 3); chains > 0; --chains) {
      add_chain();
    }
    scale();
    return std::move(example_.model);
  }

private:
  int pick(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

  void add_threads()
  {
    for (Index core = 0; core < example_.model.cores.size(); ++core) {
      const int count = pick(1, 2);
      const int lowest = pick(1, 8);
      for (int i = 0; i < count; ++i) {
        const Index thread = example_.thread(core, 10 * (lowest + i));
        if (pick(0, 4) == 0) {
          example_.model.threads[thread].order = takt_core::Order::fifo;
        }
      }
    }
  }

  Index any_thread()
  {
    return static_cast<Index>(pick(0, static_cast<int>(example_.model.threads.size()) - 1));
  }

  void add_chain()
  {
    const Ns period = kPeriods[pick(0, std::size(kPeriods) - 1)];
    const Index root = example_.timer(any_thread(), pick(0, 6), period, pick(1, 100));
    Task & timer = example_.model.tasks[root];
    timer.timer = true;
    if (phases_) {
      timer.release->offset = pick(0, static_cast<int>(period / 10) - 1) * 10;
    }
    timer.release->jitter = pick(0, 4) == 0 ? pick(1, 50) : 0;
    std::vector<Index> way{root};
    for (int more = pick(2, 5); more > 0; --more) {
      way.push_back(example_.sub(any_thread(), pick(0, 6), {way.back()}, pick(1, 100)));
      example_.model.tasks[way.back()].triggers.front().delay = pick(0, 4) == 0 ? pick(1, 60) : 0;
    }
    example_.chain(std::move(way));
  }

  /// Scales the times so that the busiest core has a load between 30 % and 85 %.
  void scale()
  {
    double most = 0;
    for (Index core = 0; core < example_.model.cores.size(); ++core) {
      most = std::max(most, utilization(example_.model, core));
    }
    const double factor = pick(30, 85) / 100.0 / most;
    for (Task & task : example_.model.tasks) {
      task.time = static_cast<Ns>(static_cast<double>(task.time) * factor);
    }
  }

  std::mt19937_64 random_;
  const bool phases_;
  Example example_;
};

}  // namespace

Model crossing_model(std::uint64_t seed, bool phases)
{
  return with_close_offsets(with_room(Crossing(seed, phases).make(), seed), seed);
}

}  // namespace takt_plan::test
