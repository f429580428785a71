// How often sets of newest messages are complete in a window of some length (message_set.hpp), and
// how often the work after them is released: counted through the sets before them, and remembered.
//
// A count is a staircase over the length. With a count the class remembers the first and the last
// length for which all of its inputs have the same steps. Between these two lengths the count is
// the same, so each set is counted only once for each of its stairs, until a stream on which it
// depends is released later. Otherwise sets that continue sets would be counted anew for each
// length, each time through all sets before them.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__SET_CURVES_HPP_
#define TAKT_PLAN__SRC__SET_CURVES_HPP_

#include <cstdint>
#include <vector>

#include "analysis/priority/busy_window.hpp"
#include "model/message_set.hpp"
#include "model/streams.hpp"

namespace takt_plan::detail
{

class SetCurves final : public Curves
{
public:
  /// Keeps a reference to `streams`.
  SetCurves(const Streams & streams, TimesOf times);

  /// The largest number of the stream's releases in a window of `length`.
  Ns releases(Index stream, Ns length) const override;

  /// Call it after the stream's `released` or `since` has changed.
  void moved(Index stream, int round);
  /// The last round that moved a stream on which the count of this stream's set depends. 0: no such
  /// stream moved, or the stream comes after no set that is counted.
  int moved_round(Index stream) const;

  /// The number of times that a set was counted: the measure of the effort.
  std::uint64_t counted() const noexcept { return counted_; }

private:
  /// A range of lengths with the same count.
  struct Stair
  {
    Ns from = 0, until = kUnbounded;
    Ns count = 0;
    void narrow(const Stair & other);
    Stair earlier(Ns by) const;
  };
  /// Rising, without overlap.
  using Stairs = std::vector<Stair>;
  static constexpr std::size_t kMostStairs = 256;

  static Stair arrivals_at(Ns length, Ns period, Ns jitter);
  Stair releases_at(Index stream, Ns length) const;
  Stair complete_at(Index task, Ns length) const;
  Stair count(Index task, Ns length) const;

  const Streams & streams_;
  const TimesOf times_;
  std::vector<std::vector<Index>>
    after_;                 // per task with a set: itself, and all tasks that count through it
  std::vector<int> moved_;  // per task
  mutable std::vector<Stairs> known_;  // per task
  mutable std::uint64_t counted_ = 0;
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__SET_CURVES_HPP_
