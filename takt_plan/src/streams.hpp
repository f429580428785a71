// Where a task's activations come from: one stream for each way from a release to the task.
//
// A stream has the period of its release. How late after the nominal release it may start the task
// is what analysis finds out. Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__STREAMS_HPP_
#define TAKT_PLAN__SRC__STREAMS_HPP_

#include <string>
#include <vector>

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
};

/// True if one message of each of several topics starts the task.
bool joins(const Task & task);

/// Why a task with too many ways has no bound; `whom` begins the sentence.
std::string too_many_ways(const std::string & whom);

class Streams
{
public:
  /// More ways than this to one task are too many to tell apart: its activations are as many.
  static constexpr std::size_t kMostPerTask = 64;

  /// `order`: in_trigger_order(model), complete.
  Streams(const Model & model, const std::vector<Index> & order);

  const std::vector<Stream> & all() const noexcept { return all_; }
  /// Those of a task: its own release first, then in order of its triggers.
  const std::vector<Index> & of(Index task) const noexcept { return of_[task]; }
  /// How often something starts the task, per ns.
  double rate(Index task) const;
  /// True if more than kMostPerTask ways lead to it; then it has no stream at all.
  bool too_many(Index task) const noexcept { return too_many_[task]; }
  /// True if the task waits for messages of sources that have nothing to do with each other. Its
  /// streams are those of every message, of which the last one starts it.
  bool waits(Index task) const noexcept { return waits_[task]; }

private:
  Index add(Stream stream);
  bool add_joined(const Model & model, Index task);

  std::vector<Stream> all_;
  std::vector<std::vector<Index>> of_;
  std::vector<char> too_many_;
  std::vector<char> waits_;
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__STREAMS_HPP_
