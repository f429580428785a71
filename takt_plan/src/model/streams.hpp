// The sources of a task's activations: one stream for each way from a release to the task.
//
// A stream has the period of its release. The analysis finds how late after the nominal release it
// may start the task. Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__STREAMS_HPP_
#define TAKT_PLAN__SRC__STREAMS_HPP_

#include <algorithm>
#include <string>
#include <vector>

#include "model/message_set.hpp"
#include "takt_plan/model.hpp"

namespace takt_plan::detail
{

struct Stream
{
  Index task = kNone;
  Index source = kNone;  ///< the task with the release at its beginning
  Ns period = 0;
  /// The streams that it continues, and the links by which it comes (positions among the task's
  /// triggers). Empty: it is the task's own release. Several: a join of the ways of one release;
  /// the last of them starts the task.
  struct From
  {
    Index stream = kNone;
    Index link = kNone;
  };
  std::vector<From> from;
  Index root = kNone;      ///< the stream of the source's own release
  Index executor = kNone;  ///< of all tasks on the way; kNone: of several executors
  Index set = kNone;   ///< the last stream on the way that begins with a complete set; kNone: no
                       ///< set
  bool timer = false;  ///< the source is a timer
  Ns first = 0;  ///< the longest time until its first release, if known to be more than a period
  bool leaves_grid = false;  ///< a late source begins a new grid
  bool curved = false;       ///< after a set: SetCurves has closer counts than the period
};

/// True if one message of each of several topics starts the task.
bool joins(const Task & task);

/// The reason why a task with too many ways has no bound. `whom` begins the sentence.
std::string too_many_ways(const std::string & whom);

class Streams
{
public:
  /// A set that depends on more streams, through the sets before it, has no curves
  /// (Stream::curved).
  static constexpr std::size_t kMostInSight = 64;
  /// Limit of ways to one task. With more, a task has no streams.
  static constexpr std::size_t kMostPerTask = 64;

  /// `order`: all tasks in the order of in_trigger_order(model).
  Streams(const Model & model, const std::vector<Index> & order);

  const std::vector<Stream> & all() const noexcept { return all_; }
  /// The streams of a task: its own release first, then in the order of its triggers.
  const std::vector<Index> & of(Index task) const noexcept { return of_[task]; }
  /// The streams that continue after the task. They are its own streams, except for a task that
  /// waits for a set of newest messages: there they are one for each stream of the set's slowest
  /// topic, and begin with a complete set. Those are not among the task's own streams, and their
  /// messages come from all inputs.
  const std::vector<Index> & after(Index task) const noexcept
  {
    return set_of_[task] == kNone ? of_[task] : complete_[task];
  }
  /// The set of a task that waits for newest messages; nullptr: it does not wait for a set.
  const MessageSet * set(Index task) const noexcept
  {
    return set_of_[task] == kNone ? nullptr : &sets_[set_of_[task]];
  }
  /// For a stream that begins with a complete set: the stream of the slowest topic from which it
  /// counts.
  Index counted_from(Index complete) const
  {
    const MessageSet & of = *set(all_[complete].task);
    const std::vector<Index> & all = after(of.task);
    const auto at = std::find(all.begin(), all.end(), complete) - all.begin();
    return of.topics[of.slowest][static_cast<Index>(at)];
  }
  /// True if each activation by `later` is caused by the activation by `earlier` of the same
  /// release.
  bool comes_after(Index later, Index earlier) const;
  /// All sets, each behind the sets whose messages it waits for.
  const std::vector<MessageSet> & sets() const noexcept { return sets_; }
  Index tasks() const noexcept { return of_.size(); }
  /// The average number of runs per ns. A task that waits for one message of each of several topics
  /// runs as often as the slowest topic has messages.
  double rate(Index task) const noexcept { return runs_[task]; }
  /// The share of a core that the task uses.
  double load(const Model & model, Index task) const;
  /// True if more than kMostPerTask ways lead to the task. It then has no stream.
  bool too_many(Index task) const noexcept { return too_many_[task]; }
  /// True if the task waits for messages of unrelated sources. Its streams are those of all
  /// messages; the last message starts it.
  bool waits(Index task) const noexcept { return waits_[task]; }
  /// True if it waits because messages of one release come to it through several processes, or from
  /// another process. If one of these processes starts, or starts again, it loses the message of
  /// one topic only. From then on messages of different releases meet, and one of them waits for
  /// periods.
  bool may_part(Index task) const noexcept { return may_part_[task]; }

private:
  Index add(Stream stream);
  bool add_joined(const Model & model, Index task);
  bool meet_in_one_process(const Model & model, const Stream & joined) const;
  std::vector<Index> in_process(Index stream, Index executor, const Model & model) const;
  void add_set(const Model & model, Index task);
  SetStart start_of(const Model & model, const MessageSet & set) const;
  void compare_periods(const Model & model, MessageSet & set) const;
  void count_runs(const Model & model, Index task);

  std::vector<Stream> all_;
  std::vector<std::vector<Index>> of_;
  std::vector<std::vector<Index>> complete_;
  std::vector<MessageSet> sets_;
  std::vector<Index> set_of_;
  std::vector<std::size_t> in_sight_;  // per set
  std::vector<char> too_many_;
  std::vector<char> waits_;
  std::vector<char> may_part_;
  std::vector<double> runs_;   // per task, per ns
  std::vector<double> works_;  // runs that publish, per task
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__STREAMS_HPP_
