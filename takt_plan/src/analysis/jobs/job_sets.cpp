#include "analysis/jobs/job_sets.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace takt_plan::detail
{
namespace
{

// Sets of which windows say something have fewer than 40 states for each job of their topics.
constexpr std::size_t kMostStatesOfJob = 100;
constexpr std::size_t kMostStates = 20'000;
constexpr std::int64_t kNoMessage = std::numeric_limits<std::int64_t>::min();

/// Of each topic.
struct SetState
{
  std::vector<std::int64_t> next;  ///< the message that is to come
  std::vector<std::int64_t> kept;  ///< kNoMessage: none
  friend auto operator<=>(const SetState &, const SetState &) = default;
};

class Exploration
{
public:
  Exploration(const std::vector<const JobWindow *> & topics, Index slowest)
  : topics_(topics),
    slowest_(slowest)
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

  /// From the start of the system; `periods`: in how many of the hyperperiod's it may be; `any_start`: or with any
  /// messages.
  std::optional<JobSet> explore(std::int64_t periods, bool any_start)
  {
    for (std::int64_t first = 0; first < periods; ++first) {
      push(
        {std::vector<std::int64_t>(topics_.size(), first),
         std::vector<std::int64_t>(topics_.size(), kNoMessage)});
    }
    if ((any_start && !push_starts()) || !visit([&](Index state) { follow(state); })) {
      return std::nullopt;
    }
    finish();
    return std::move(result_);
  }

  /// Of all states in which a start of any process may leave the set: those that are left after a while.
  std::optional<JobSet> explore_settled()
  {
    counts_ = false;
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
    // A state that only states of no return lead to is one of them.
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
    counts_ = true;
    for (Index state = 0; state < before.size(); ++state) {
      if (before[state] > 0) {
        follow(state);
      }
    }
    finish();
    return std::move(result_);
  }

private:
  /// Each state that has been pushed, also meanwhile; false: too many.
  template <typename Visit>
  bool visit(const Visit & each)
  {
    for (Index state = 0; state < states_.size(); ++state) {
      if (states_.size() > most_) {
        return false;
      }
      each(state);
    }
    return true;
  }

  /// Pushes what may come next.
  void follow(Index index)
  {
    followed_by_.clear();
    const SetState state = *states_[index];
    for (Index topic = 0; topic < topics_.size(); ++topic) {
      const std::int64_t message = state.next[topic];
      // One that does not come is as if at some moment of its window, in its place among the others.
      if (topics_[topic]->from.at(message) > latest_of_others(topic, state)) {
        continue;
      }
      arrive(topic, state);
      if (topics_[topic]->may_miss[within(topic, message)]) {
        SetState next = state;
        ++next.next[topic];
        push(std::move(next));
        drop(topic, message);
      }
    }
  }

  /// At each moment of a hyperperiod, each topic's newest message is kept, or has been used or lost; false: too many.
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
      SetState state;
      if (!push_starts(moment, state)) {
        return false;
      }
    }
    return true;
  }

  bool push_starts(Ns moment, SetState & state)
  {
    const Index topic = state.next.size();
    if (topic == topics_.size()) {
      if (std::find(state.kept.begin(), state.kept.end(), kNoMessage) != state.kept.end()) {
        push(state);
      }
      return states_.size() <= most_;
    }
    const std::int64_t most = topics_[topic]->from.before(moment);
    for (std::int64_t next = topics_[topic]->to.before(moment); next <= most; ++next) {
      std::vector<std::int64_t> kept{kNoMessage, next - 1};
      // Those behind it may not have come.
      while (topics_[topic]->may_miss[within(topic, kept.back())] &&
             next - kept.back() < jobs(topic)) {
        kept.push_back(kept.back() - 1);
      }
      for (const std::int64_t message : kept) {
        state.next.push_back(next);
        state.kept.push_back(message);
        const bool few = push_starts(moment, state);
        state.next.pop_back();
        state.kept.pop_back();
        if (!few) {
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
      least = other == topic ? least : std::min(least, topics_[other]->to.at(state.next[other]));
    }
    return least;
  }

  void push(SetState state)
  {
    const std::int64_t turn = turn_of(slowest_, state.next[slowest_]);
    for (Index topic = 0; topic < topics_.size(); ++topic) {
      state.next[topic] -= turn * jobs(topic);
      state.kept[topic] -= state.kept[topic] == kNoMessage ? 0 : turn * jobs(topic);
    }
    const auto [found, fresh] = seen_.emplace(std::move(state), states_.size());
    if (fresh) {
      states_.push_back(&found->first);
    }
    followed_by_.push_back(found->second);
  }

  /// No set has this message; the work is numbered by those of the slowest topic.
  void drop(Index topic, std::int64_t message)
  {
    if (counts_ && topic == slowest_ && message != kNoMessage) {
      result_.may_miss[within(topic, message)] = true;
    }
  }

  void arrive(Index topic, const SetState & state)
  {
    SetState next = state;
    drop(topic, std::exchange(next.kept[topic], next.next[topic]));
    ++next.next[topic];
    if (std::find(next.kept.begin(), next.kept.end(), kNoMessage) == next.kept.end()) {
      if (counts_) {
        complete(topic, next.kept, latest_of_others(topic, state));
      }
      next.kept.assign(topics_.size(), kNoMessage);
    }
    push(std::move(next));
  }

  void complete(Index by, const std::vector<std::int64_t> & messages, Ns before)
  {
    const std::int64_t work = messages[slowest_];
    const std::int64_t turn = turn_of(slowest_, work);
    const Ns shift = turn * topics_[slowest_]->from.hyperperiod();
    Ns from = topics_[by]->from.at(messages[by]);
    const Ns to = std::min(topics_[by]->to.at(messages[by]), before);
    for (Index topic = 0; topic < topics_.size(); ++topic) {
      from = std::max(from, topics_[topic]->from.at(messages[topic]));
      note_work(topic, messages[topic], work);
    }
    Completion & found = result_.by[within(slowest_, work)][by];
    found.earliest = found.possible ? std::min(found.earliest, from - shift) : from - shift;
    found.latest = found.possible ? std::max(found.latest, to - shift) : to - shift;
    found.possible = true;
    const std::int64_t message = messages[by] - turn * jobs(by);
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
  std::size_t most_ = 0;            // states
  std::map<SetState, Index> seen_;  // and their numbers
  std::vector<const SetState *> states_;
  std::vector<Index> followed_by_;  // what was pushed
  bool counts_ = true;              // else states are only looked for
  JobSet result_;
};

}  // namespace

std::optional<JobSet> job_set(
  const std::vector<const JobWindow *> & topics, Index slowest, SetStart start, bool any_start)
{
  Exploration exploration(topics, slowest);
  if (start == SetStart::any && !any_start) {
    return exploration.explore_settled();
  }
  const std::int64_t jobs = topics[slowest]->from.jobs();
  return exploration.explore(start == SetStart::together ? jobs : 1, any_start);
}

}  // namespace takt_plan::detail
