#include "analysis/jobs/job_sets.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <span>
#include <utility>

namespace takt_plan::detail
{
namespace
{

// Sets with useful windows have fewer than 40 states for each job of their topics.
constexpr std::size_t kMostStatesOfJob = 100;
constexpr std::size_t kMostStates = 20'000;
constexpr std::int64_t kNoMessage = std::numeric_limits<std::int64_t>::min();

/// For each topic: its next message, and the kept one; kNoMessage: none.
class SetState
{
public:
  explicit SetState(Index topics) : topics_(topics), row_(2 * topics, kNoMessage) {}

  std::int64_t & next(Index topic) { return row_[topic]; }
  std::int64_t next(Index topic) const { return row_[topic]; }
  std::int64_t & kept(Index topic) { return row_[topics_ + topic]; }
  std::int64_t kept(Index topic) const { return row_[topics_ + topic]; }
  bool keeps_all() const
  {
    return std::find(row_.begin() + static_cast<std::ptrdiff_t>(topics_), row_.end(), kNoMessage) ==
           row_.end();
  }
  std::span<const std::int64_t> row() const noexcept { return row_; }
  void set(std::span<const std::int64_t> row) { std::ranges::copy(row, row_.begin()); }

private:
  Index topics_;
  std::vector<std::int64_t> row_;
};

/// The seen states in the order in which they came, in a hash table. With a tree, states took most
/// of the time of an analysis where many orders are possible.
class SeenStates
{
public:
  explicit SeenStates(Index topics) : width_(2 * topics), slots_(64, kNone) {}

  Index size() const noexcept { return rows_.size() / width_; }
  std::span<const std::int64_t> row(Index state) const
  {
    return std::span(rows_).subspan(state * width_, width_);
  }

  /// The state's number.
  Index add(const SetState & state)
  {
    Index & slot = find(state.row());
    if (slot != kNone) {
      return slot;
    }
    const Index added = slot = size();
    rows_.insert(rows_.end(), state.row().begin(), state.row().end());
    if (2 * size() > slots_.size()) {
      slots_.assign(2 * slots_.size(), kNone);
      for (Index one = 0; one < size(); ++one) {
        find(row(one)) = one;
      }
    }
    return added;
  }

private:
  Index & find(std::span<const std::int64_t> row_of)
  {
    std::uint64_t hash = 0;
    for (const std::int64_t one : row_of) {
      constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
      hash = (hash ^ static_cast<std::uint64_t>(one)) * kOdd;
      hash ^= hash >> 32;
    }
    const Index mask = slots_.size() - 1;
    Index at = hash & mask;
    while (slots_[at] != kNone && !std::ranges::equal(row(slots_[at]), row_of)) {
      at = (at + 1) & mask;
    }
    return slots_[at];
  }

  const Index width_;
  std::vector<std::int64_t> rows_;
  std::vector<Index> slots_;  // a power of two; kNone: free
};

class Exploration
{
public:
  Exploration(const std::vector<const JobWindow *> & topics, Index slowest)
  : topics_(topics),
    slowest_(slowest),
    seen_(topics.size()),
    state_(topics.size()),
    then_(topics.size()),
    shifted_(topics.size())
  {
    const auto works = static_cast<std::size_t>(jobs(slowest));
    result_.by.assign(works, std::vector<Completion>(topics.size()));
    result_.may_miss.assign(works, false);
    std::size_t all = 0;
    for (Index topic = 0; topic < topics.size(); ++topic) {
      result_.works.emplace_back(static_cast<std::size_t>(jobs(topic)));
      all += result_.works.back().size();
    }
    most_ = std::min(kMostStates, kMostStatesOfJob * all);
  }

  /// From the start of the system. `periods`: the set may be in so many of the hyperperiod's.
  /// `any_start`: it may also begin with any messages.
  std::optional<JobSet> explore(std::int64_t periods, bool any_start)
  {
    for (std::int64_t first = 0; first < periods; ++first) {
      push_first(first);
    }
    if ((any_start && !push_starts()) || !visit([&](Index state) { follow(state); })) {
      return std::nullopt;
    }
    finish();
    return std::move(result_);
  }

  /// Over the states that remain after a while, of those in which a start of any process may leave
  /// the set. `from_first`: also over all states from the start of the system on.
  std::optional<JobSet> explore_settled(bool from_first)
  {
    counts_ = false;
    if (from_first) {
      push_first(0);
    }
    if (!push_starts()) {
      return std::nullopt;
    }
    std::vector<std::vector<Index>> next;
    std::vector<Index> before(0);
    const bool all = visit([&](Index state) {
      follow(state);
      next.resize(seen_.size());
      before.resize(seen_.size(), 0);
      next[state] = std::exchange(followed_by_, {});
      for (const Index one : next[state]) {
        ++before[one];
      }
    });
    if (!all) {
      return std::nullopt;
    }
    // A state does not come back if only states lead to it that do not come back.
    std::vector<Index> gone;
    for (Index state = 0; state < before.size(); ++state) {
      if (before[state] == 0) {
        gone.push_back(state);
      }
    }
    for (std::size_t i = 0; i < gone.size(); ++i) {
      for (const Index one : next[gone[i]]) {
        if (--before[one] == 0) {
          gone.push_back(one);
        }
      }
    }
    std::vector<char> stays(before.size());
    std::ranges::transform(before, stays.begin(), [](Index count) { return count > 0 ? 1 : 0; });
    if (from_first) {
      stay_from(0, next, stays);
    }
    counts_ = true;
    for (Index state = 0; state < stays.size(); ++state) {
      if (stays[state] != 0) {
        follow(state);
      }
    }
    finish();
    return std::move(result_);
  }

  Index states() const noexcept { return seen_.size(); }

private:
  /// Visits each pushed state, also those pushed meanwhile; false: too many.
  template <typename Visit>
  bool visit(const Visit & each)
  {
    for (Index state = 0; state < seen_.size(); ++state) {
      if (seen_.size() > most_) {
        return false;
      }
      each(state);
    }
    return true;
  }

  /// Pushes the state in which no message is kept, and the next message of each topic has this
  /// number.
  void push_first(std::int64_t number)
  {
    SetState state(topics_.size());
    for (Index topic = 0; topic < topics_.size(); ++topic) {
      state.next(topic) = number;
    }
    push(state);
  }

  /// Marks the state and all states that may follow it.
  static void stay_from(
    Index state, const std::vector<std::vector<Index>> & next, std::vector<char> & stays)
  {
    std::vector<char> seen(next.size());
    std::vector<Index> open{state};
    seen[state] = 1;
    while (!open.empty()) {
      const Index one = open.back();
      open.pop_back();
      stays[one] = 1;
      for (const Index after : next[one]) {
        if (std::exchange(seen[after], 1) == 0) {
          open.push_back(after);
        }
      }
    }
  }

  /// Pushes the states that may follow.
  void follow(Index index)
  {
    followed_by_.clear();
    state_.set(seen_.row(index));
    for (Index topic = 0; topic < topics_.size(); ++topic) {
      const std::int64_t message = state_.next(topic);
      // A message that does not come counts as gone at some moment of its window, in its place
      // among the others.
      if (topics_[topic]->from.at(message) > latest_of_others(topic, state_)) {
        continue;
      }
      arrive(topic);
      if (topics_[topic]->may_miss[within(topic, message)]) {
        then_.set(state_.row());
        ++then_.next(topic);
        push(then_);
        drop(topic, message);
      }
    }
  }

  /// Pushes for each moment of a hyperperiod the states in which each topic's newest message is
  /// kept, or has been used or lost; false: too many.
  bool push_starts()
  {
    std::set<Ns> moments;
    for (const JobWindow * const topic : topics_) {
      for (const JobTimes * const times : {&topic->from, &topic->to}) {
        for (const Ns time : times->all()) {
          const Ns moment = time - floor_div(time, times->hyperperiod()) * times->hyperperiod();
          moments.insert({moment, moment + 1});
        }
      }
    }
    for (const Ns moment : moments) {
      SetState state(topics_.size());
      if (!push_starts(moment, 0, state)) {
        return false;
      }
    }
    return true;
  }

  /// The same for the topics from `topic` on.
  bool push_starts(Ns moment, Index topic, SetState & state)
  {
    if (topic == topics_.size()) {
      if (!state.keeps_all()) {
        push(state);
      }
      return seen_.size() <= most_;
    }
    const std::int64_t most = topics_[topic]->from.before(moment);
    for (std::int64_t next = topics_[topic]->to.before(moment); next <= most; ++next) {
      std::vector<std::int64_t> kept{kNoMessage, next - 1};
      // The messages behind it may not have come.
      while (topics_[topic]->may_miss[within(topic, kept.back())] &&
             next - kept.back() < jobs(topic)) {
        kept.push_back(kept.back() - 1);
      }
      for (const std::int64_t message : kept) {
        state.next(topic) = next;
        state.kept(topic) = message;
        if (!push_starts(moment, topic + 1, state)) {
          return false;
        }
      }
    }
    return true;
  }

  std::int64_t jobs(Index topic) const { return topics_[topic]->from.jobs(); }
  std::int64_t turn_of(Index topic, std::int64_t message) const
  {
    return floor_div(message, jobs(topic));
  }
  std::size_t within(Index topic, std::int64_t message) const
  {
    return detail::within(message, jobs(topic));
  }

  Ns latest_of_others(Index topic, const SetState & state) const
  {
    Ns least = kUnbounded;
    for (Index other = 0; other < topics_.size(); ++other) {
      least = other == topic ? least : std::min(least, topics_[other]->to.at(state.next(other)));
    }
    return least;
  }

  void push(const SetState & state)
  {
    const std::int64_t turn = turn_of(slowest_, state.next(slowest_));
    for (Index topic = 0; topic < topics_.size(); ++topic) {
      const std::int64_t kept = state.kept(topic);
      shifted_.next(topic) = state.next(topic) - turn * jobs(topic);
      shifted_.kept(topic) = kept == kNoMessage ? kNoMessage : kept - turn * jobs(topic);
    }
    followed_by_.push_back(seen_.add(shifted_));
  }

  /// No set has this message. The work has the numbers of the slowest topic's messages.
  void drop(Index topic, std::int64_t message)
  {
    if (counts_ && topic == slowest_ && message != kNoMessage) {
      result_.may_miss[within(topic, message)] = true;
    }
  }

  /// The topic's next message arrives in `state_`.
  void arrive(Index topic)
  {
    then_.set(state_.row());
    drop(topic, std::exchange(then_.kept(topic), then_.next(topic)));
    ++then_.next(topic);
    if (then_.keeps_all()) {
      if (counts_) {
        complete(topic, then_, latest_of_others(topic, state_));
      }
      for (Index one = 0; one < topics_.size(); ++one) {
        then_.kept(one) = kNoMessage;
      }
    }
    push(then_);
  }

  void complete(Index by, const SetState & with, Ns before)
  {
    const std::int64_t work = with.kept(slowest_);
    const std::int64_t turn = turn_of(slowest_, work);
    const Ns shift = turn * topics_[slowest_]->from.hyperperiod();
    Ns from = topics_[by]->from.at(with.kept(by));
    const Ns to = std::min(topics_[by]->to.at(with.kept(by)), before);
    for (Index topic = 0; topic < topics_.size(); ++topic) {
      from = std::max(from, topics_[topic]->from.at(with.kept(topic)));
      note_work(topic, with.kept(topic), work);
    }
    Completion & found = result_.by[within(slowest_, work)][by];
    found.earliest = found.possible ? std::min(found.earliest, from - shift) : from - shift;
    found.latest = found.possible ? std::max(found.latest, to - shift) : to - shift;
    found.possible = true;
    const std::int64_t message = with.kept(by) - turn * jobs(by);
    found.several = found.several || found.message.value_or(message) != message;
    found.message = message;
  }

  void note_work(Index topic, std::int64_t message, std::int64_t work)
  {
    auto & works = result_.works[topic][within(topic, message)];
    const std::int64_t shifted = work - turn_of(topic, message) * jobs(slowest_);
    if (std::find(works.begin(), works.end(), shifted) == works.end()) {
      works.push_back(shifted);
    }
  }

  void finish()
  {
    for (std::size_t work = 0; work < result_.by.size(); ++work) {
      bool any = false;
      for (Completion & completion : result_.by[work]) {
        any = any || completion.possible;
        if (completion.several) {
          completion.message.reset();
        }
      }
      result_.may_miss[work] = result_.may_miss[work] || !any;
    }
  }

  const std::vector<const JobWindow *> & topics_;
  const Index slowest_;
  std::size_t most_ = 0;  // states
  SeenStates seen_;
  std::vector<Index> followed_by_;  // the states that were pushed
  SetState state_, then_,
    shifted_;           // the state that is followed, the one that may follow it, and that one in
                        // the first hyperperiod
  bool counts_ = true;  // false: the search only finds states
  JobSet result_;
};

}  // namespace

std::optional<JobSet> job_set(
  const std::vector<const JobWindow *> & topics, Index slowest, SetStart start, bool any_start,
  bool from_first, std::int64_t * states)
{
  Exploration exploration(topics, slowest);
  const std::int64_t jobs = topics[slowest]->from.jobs();
  std::optional<JobSet> set =
    start == SetStart::any && !any_start
      ? exploration.explore_settled(from_first)
      : exploration.explore(start == SetStart::together ? jobs : 1, any_start);
  if (states != nullptr) {
    *states += static_cast<std::int64_t>(exploration.states());
  }
  return set;
}

}  // namespace takt_plan::detail
