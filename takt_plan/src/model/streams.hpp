// Where a task's activations come from: one stream for each way from a release to the task.
//
// A stream has the period of its release. How late after the nominal release it may start the task
// is what analysis finds out. Set-up only: allocates, does not block.
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
  Index source = kNone;  ///< the task whose release it begins with
  Ns period = 0;
  /// The streams it continues, and the links it comes by (of the task's triggers). Empty: the task's
  /// own release. Several: a join of one release's ways, started by the last of them.
  struct From
  {
    Index stream = kNone;
    Index link = kNone;
  };
  std::vector<From> from;
  Index root = kNone;      ///< the stream of the source's own release
  Index executor = kNone;  ///< of all tasks on the way; kNone: they are of several
  Index set = kNone;   ///< the last stream on the way that begins with a complete set; none: no set
  bool timer = false;  ///< the source is one
  Ns offset = 0;       ///< of its first release, if known
  bool leaves_grid = false;  ///< if the source is late it begins a grid anew
  bool curved = false;       ///< after a set: SetCurves know more than the period says
};

/// True if one message of each of several topics starts the task.
bool joins(const Task & task);

/// Why a task with too many ways has no bound; `whom` begins the sentence.
std::string too_many_ways(const std::string & whom);

class Streams
{
public:
  /// A set that depends on more streams than this, through the sets before it, is not looked into.
  static constexpr std::size_t kMostInSight = 64;
  /// More ways than this to one task are too many to tell apart: its activations are as many.
  static constexpr std::size_t kMostPerTask = 64;

  /// `order`: in_trigger_order(model), complete.
  Streams(const Model & model, const std::vector<Index> & order);

  const std::vector<Stream> & all() const noexcept { return all_; }
  /// Those of a task: its own release first, then in order of its triggers.
  const std::vector<Index> & of(Index task) const noexcept { return of_[task]; }
  /// Those that go on after the task: the same, or for a task that waits for a set of newest messages one
  /// for each stream of its slowest topic. The latter begin with a complete set; they are not among
  /// the task's own, and what comes `from` the inputs comes from all of them.
  const std::vector<Index> & after(Index task) const noexcept
  {
    return set_of_[task] == kNone ? of_[task] : complete_[task];
  }
  /// Of a task that waits for a set of newest messages; nullptr: it does not.
  const MessageSet * set(Index task) const noexcept
  {
    return set_of_[task] == kNone ? nullptr : &sets_[set_of_[task]];
  }
  /// Of a stream that begins with a complete set: the stream of the slowest topic that it counts from.
  Index counted_from(Index complete) const
  {
    const MessageSet & of = *set(all_[complete].task);
    const std::vector<Index> & all = after(of.task);
    const auto at = std::find(all.begin(), all.end(), complete) - all.begin();
    return of.topics[of.slowest][static_cast<Index>(at)];
  }
  /// Whether each activation by `later` is the end of a way that goes on from the activation by `earlier` of the same
  /// release.
  bool comes_after(Index later, Index earlier) const;
  /// All of these, each behind those whose messages it waits for.
  const std::vector<MessageSet> & sets() const noexcept { return sets_; }
  Index tasks() const noexcept { return of_.size(); }
  /// How often the task runs in the long run, per ns: of several topics of which it waits for one
  /// message each, as often as the slowest comes.
  double rate(Index task) const noexcept { return runs_[task]; }
  /// What share of a core the task takes.
  double load(const Model & model, Index task) const;
  /// True if more than kMostPerTask ways lead to it; then it has no stream at all.
  bool too_many(Index task) const noexcept { return too_many_[task]; }
  /// True if the task waits for messages of sources that have nothing to do with each other. Its
  /// streams are those of every message, of which the last one starts it.
  bool waits(Index task) const noexcept { return waits_[task]; }
  /// True if it waits so because messages of one release come to it through several processes, or from another one. One of
  /// them that starts, or starts again, loses the message of one topic only; from then on messages of different releases meet,
  /// and one waits for periods.
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
  std::vector<double> works_;  // those that publish
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__STREAMS_HPP_
