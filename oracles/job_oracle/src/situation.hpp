// What a system and its schedule leave open in one run, drawn from a seed.
#ifndef JOB_ORACLE__SITUATION_HPP_
#define JOB_ORACLE__SITUATION_HPP_

#include <vector>

#include "chance.hpp"
#include "model.hpp"

namespace job_oracle
{

class Situation
{
public:
  /// Run `number` of the model: the first one has worst times and nothing late, the second one
  /// everything else that analyses like to forget, all others anything.
  Situation(const Model & model, int number);

  /// From when on a process hears messages; its timers begin on their grid.
  Time start(int process) const { return starts_[static_cast<std::size_t>(process)]; }
  /// The first nominal release of a task with a source.
  Time first(int task) const { return firsts_[static_cast<std::size_t>(task)]; }
  Time first_of_other(int other) const { return others_[static_cast<std::size_t>(other)]; }
  /// How much later than nominal a release is.
  Time late(int task, bool is_first);
  Time execution(const Task & task);
  /// How much of an execution comes before its publishing.
  Time before_publishing(Time execution);
  Time under_way(const Link & link);
  /// Events of one instant come in any order; else ends come first, then releases, then threads
  /// look for work.
  bool any_order() const { return any_order_; }
  /// A thread that comes on a core takes any one that a less urgent thread has, and not the best.
  bool any_core() const { return any_core_; }
  Chance & chance() { return chance_; }

private:
  enum class Times
  {
    worst,
    any,
    worst_or_best,
    rarely_best,
    rarely_worst
  };
  enum class Late
  {
    never,
    always,
    at_first,
    any
  };
  enum class UnderWay
  {
    longest,
    never,
    any
  };

  void draw_firsts(const Model & model, bool together);

  Chance chance_;
  Times times_ = Times::worst;
  UnderWay under_way_ = UnderWay::longest;
  bool publish_any_time_ = false;
  bool any_order_ = false;
  bool any_core_ = false;
  std::vector<Time> starts_;
  std::vector<Time> firsts_;
  std::vector<Time> others_;
  std::vector<Time> jitters_;
  std::vector<Late> late_;
};

}  // namespace job_oracle

#endif  // JOB_ORACLE__SITUATION_HPP_
