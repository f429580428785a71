// Tells which callback of a graph starts when on several threads, by the rules of docs/schedule.md
// alone. A slow, plain simulation in whole milliseconds that shares no code with the scheduler.
#ifndef SUPPORT__GRAPH_ORACLE_HPP_
#define SUPPORT__GRAPH_ORACLE_HPP_

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>
#include <tuple>
#include <vector>

namespace takt_core::test
{

/// The graph from which a test makes the scheduler's side and the oracle's side. Times are in
/// milliseconds; callbacks begin, publish and end at even times.
struct GraphPath
{
  struct Callback
  {
    std::size_t group = 0;  ///< mutually exclusive
    int priority = 0;
    long cost = 2;
    long early = 0;   ///< time between the publish and the end
    long period = 0;  ///< of a timer; 0: a subscription
    long offset = 0;
    std::vector<std::size_t> readers;
    std::optional<std::pair<std::size_t, std::size_t>> place;  ///< graph and position
  };
  struct Message
  {
    long at = 0;  ///< an odd number
    std::size_t to = 0;
  };

  std::size_t threads = 1;
  std::vector<Callback> callbacks;
  std::vector<Message> messages;  ///< from outside, by time
};

/// One start of a callback.
struct GraphStart
{
  long at = 0;
  std::size_t callback = 0;
  long release = 0;

  friend auto operator<=>(const GraphStart &, const GraphStart &) = default;
};

/// The rule that a broken variant of the oracle leaves out. The comments say what the variant then
/// does.
enum class GraphLeftOut
{
  nothing,
  end,          ///< followers start when the message comes, before the run of its publisher ends
  list,         ///< callbacks of one iteration go in the order of their messages
  iteration,    ///< callbacks wait at the place of their own messages
  parallel,     ///< only the thread of the publisher starts its followers
  more_urgent,  ///< callbacks of an iteration go before more urgent ones
};

class GraphOracle
{
public:
  GraphOracle(const GraphPath & path, GraphLeftOut left_out)
  : path_(path),
    left_out_(left_out),
    states_(path.callbacks.size()),
    threads_(path.threads)
  {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      states_[i].due = of(i).offset;
    }
  }

  /// Returns the starts before `horizon`, sorted.
  std::vector<GraphStart> run(long horizon)
  {
    for (; now_ < horizon; ++now_) {
      while (next_message_ < path_.messages.size() && path_.messages[next_message_].at == now_) {
        announce(path_.messages[next_message_++].to, nullptr);
      }
      publish_and_end();
      // A thread that has ended a run looks before one that sleeps.
      for (Thread * const thread : by_callback()) {
        if (thread->ended) {
          look(*thread);
        }
      }
      for (Thread & thread : threads_) {
        if (!thread.running) {
          look(thread);
        }
      }
    }
    std::sort(starts_.begin(), starts_.end());
    return starts_;
  }

private:
  struct Place
  {
    long at = 0;
    unsigned long number = 0;
    std::size_t position = 0;
  };
  struct State
  {
    std::deque<Place> history;
    bool ready = false;
    std::optional<Place> place;  // absent: the place of its oldest message
    const void * kept_by = nullptr;
    bool in_iteration = false;
    bool runs = false;
    long due = 0;
  };
  struct Thread
  {
    std::optional<std::size_t> running;
    std::size_t last = 0;  // the callback that runs, or has run
    Place iteration;
    long publishes = 0;
    long ends = 0;
    bool ended = false;
  };

  const GraphPath::Callback & of(std::size_t i) const { return path_.callbacks[i]; }
  bool is_timer(std::size_t i) const { return of(i).period > 0; }

  // If runs end at the same time, the run of the callback with the lower number ends first, on
  // whichever threads they are.
  std::vector<Thread *> by_callback()
  {
    std::vector<Thread *> all;
    for (Thread & thread : threads_) {
      all.push_back(&thread);
    }
    std::sort(
      all.begin(), all.end(), [](const Thread * a, const Thread * b) { return a->last < b->last; });
    return all;
  }

  void publish_and_end()
  {
    for (Thread * const thread : by_callback()) {
      thread->ended = false;
      if (thread->running && thread->publishes == now_) {
        for (const std::size_t to : of(*thread->running).readers) {
          announce(to, thread);
        }
      }
      if (thread->running && thread->ends == now_) {
        end(*thread);
      }
    }
  }

  void end(Thread & thread)
  {
    const std::size_t i = *thread.running;
    thread.running.reset();
    thread.ended = true;
    states_[i].runs = false;
    if (!is_timer(i) && !states_[i].history.empty()) {
      make_ready(i, nullptr);
    }
  }

  void announce(std::size_t to, const Thread * by)
  {
    states_[to].history.push_back({now_, ++number_, 0});
    make_ready(to, by);
  }

  bool follows(std::size_t i, const Thread & by) const
  {
    const auto & running = of(*by.running);
    return of(i).place && running.place && of(i).place->first == running.place->first &&
           of(i).place->second > running.place->second &&
           (path_.threads == 1 || of(i).priority <= running.priority);
  }

  void make_ready(std::size_t i, const Thread * by)
  {
    State & state = states_[i];
    if (state.ready) {
      return;
    }
    state.ready = true;
    state.place.reset();
    state.kept_by = nullptr;
    state.in_iteration = false;
    if (by == nullptr || !follows(i, *by)) {
      return;
    }
    state.in_iteration = true;
    if (left_out_ != GraphLeftOut::end) {
      state.kept_by = by;
    }
    if (left_out_ != GraphLeftOut::iteration) {
      state.place = by->iteration;
      state.place->position = of(i).place->second;
    }
  }

  bool group_is_busy(std::size_t i) const
  {
    for (std::size_t other = 0; other < states_.size(); ++other) {
      if (states_[other].runs && of(other).group == of(i).group) {
        return true;
      }
    }
    return false;
  }

  std::optional<Place> place(std::size_t i) const
  {
    if (is_timer(i)) {
      // A timer comes after messages of the same time, and after timers that were made earlier.
      return states_[i].due <= now_ ? std::optional<Place>({states_[i].due, kTimers + i, 0})
                                    : std::nullopt;
    }
    if (!states_[i].ready) {
      return std::nullopt;
    }
    Place own = states_[i].place.value_or(states_[i].history.front());
    if (left_out_ == GraphLeftOut::list && states_[i].place) {
      own.position = states_[i].history.front().number;
    }
    return own;
  }

  std::optional<std::size_t> best() const
  {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (place(i) && states_[i].kept_by == nullptr && !group_is_busy(i)) {
        found = !found || key(i) < key(*found) ? i : *found;
      }
    }
    return found;
  }

  std::tuple<bool, int, long, unsigned long, std::size_t> key(std::size_t i) const
  {
    const Place own = *place(i);
    const bool first = left_out_ == GraphLeftOut::more_urgent && states_[i].in_iteration;
    return {!first, first ? 0 : -of(i).priority, own.at, own.number, own.position};
  }

  void look(Thread & thread)
  {
    for (State & state : states_) {
      if (state.kept_by == &thread && left_out_ != GraphLeftOut::parallel) {
        state.kept_by = nullptr;
      }
    }
    if (left_out_ == GraphLeftOut::parallel) {
      give_one(thread);
    }
    const auto next = best();
    if (next) {
      start(*next, thread);
    }
  }

  // For the broken variant: releases only the first of the thread's followers.
  void give_one(const Thread & thread)
  {
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (
        states_[i].kept_by == &thread &&
        (!first || of(i).place->second < of(*first).place->second)) {
        first = i;
      }
    }
    if (first) {
      states_[*first].kept_by = nullptr;
    }
  }

  void start(std::size_t i, Thread & thread)
  {
    State & state = states_[i];
    thread.iteration = *place(i);
    long release = state.due;
    if (is_timer(i)) {
      do {
        state.due += of(i).period;
      } while (state.due <= now_);
    } else {
      release = state.history.front().at;
      state.history.pop_front();
      state.ready = false;  // a message that comes meanwhile makes it ready again
    }
    state.runs = true;
    thread.running = i;
    thread.last = i;
    thread.ends = now_ + of(i).cost;
    thread.publishes = thread.ends - of(i).early;
    starts_.push_back({now_, i, release});
  }

  static constexpr unsigned long kTimers = 1UL << 60;

  const GraphPath & path_;
  const GraphLeftOut left_out_;
  std::vector<State> states_;
  std::vector<Thread> threads_;
  std::vector<GraphStart> starts_;
  std::size_t next_message_ = 0;
  unsigned long number_ = 0;
  long now_ = 0;
};

}  // namespace takt_core::test

#endif  // SUPPORT__GRAPH_ORACLE_HPP_
