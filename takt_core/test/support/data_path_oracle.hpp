// Tells which callback starts when on one thread, by the rules of the documentation alone:
// triggers, inputs, conditions, sequences, logical execution time. A slow, plain simulation in
// whole milliseconds that shares no code with the scheduler.
#ifndef SUPPORT__DATA_PATH_ORACLE_HPP_
#define SUPPORT__DATA_PATH_ORACLE_HPP_

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace takt_core::test
{

/// A graph of callbacks, from which a test makes the scheduler's side and the oracle's side. Times
/// in milliseconds.
struct DataPath
{
  struct Callback
  {
    std::size_t group = 0;
    int priority = 0;
    long cost = 1;
    long period = 0;  ///< of a timer; 0: a subscription
    long offset = 0;
    std::size_t depth = 1;
    std::vector<std::size_t> readers;  ///< get a message at the end of each run
    long lag = 0;                      ///< its messages' stamps are so much before their publish

    bool triggers = true;
    std::vector<std::size_t> takers;  ///< callbacks that take its messages if it does not trigger
    std::size_t keep = 0;
    std::optional<long> max_age;
    bool by_release = false;

    std::optional<std::pair<std::size_t, std::size_t>> place;  ///< sequence and position
  };
  struct Condition
  {
    std::size_t count = 1;  ///< 0: all
    std::optional<long> fresh;
    std::optional<long> spread;  ///< then all subscriptions of the group trigger
  };
  struct Message
  {
    long at = 0;
    std::size_t to = 0;
    long stamp = 0;
  };

  bool fifo = false;
  /// Messages have the stamp of the timer's release, or of the message from outside, that led to
  /// them, instead of `lag`.
  bool stamps_of_sources = false;
  std::vector<Callback> callbacks;
  std::map<std::size_t, Condition> conditions;  ///< by group
  /// By group: present if the group has logical execution time; true if late outputs are dropped.
  /// Such a group has one timer, and its inputs are `by_release`. Only with order `priority`.
  std::map<std::size_t, bool> logical;
  std::vector<Message> messages;  ///< from outside, by time
};

/// One start of a callback.
struct DataPathStart
{
  std::size_t callback = 0;
  long at = 0;
  long release = 0;

  friend bool operator==(const DataPathStart &, const DataPathStart &) = default;
};

/// The rule that a broken variant of the oracle leaves out. The comments say what the variant then
/// does.
enum class LeftOut
{
  nothing,
  condition,       ///< each message triggers
  fresh,           ///< a condition does not look at ages
  spread,          ///< a condition does not look at stamps
  stale,           ///< a message that is too old for each set waits on
  anew,            ///< stamps that go back are like others
  far_back,        ///< stamps that go back by less than a second begin anew, too
  before_anew,     ///< messages that came before the stamps began anew are like others
  order_of_set,    ///< a set runs callback by callback
  max_age,         ///< takers take stale inputs
  keep,            ///< takers take all inputs
  input_order,     ///< inputs are taken callback by callback
  by_release,      ///< inputs that came after the release are taken
  sequence,        ///< followers use the ready queue
  more_urgent,     ///< followers go before more urgent callbacks
  sequence_order,  ///< followers go in the order of their messages
  border,          ///< outputs of logical execution time come at once
  late,            ///< late outputs of logical execution time come at the next border
  place_of_lost    ///< a callback whose oldest message was lost goes behind others
};

class DataPathOracle
{
public:
  DataPathOracle(const DataPath & path, LeftOut left_out) : path_(path), left_out_(left_out)
  {
    states_.resize(path.callbacks.size());
    for (std::size_t i = 0; i < path.callbacks.size(); ++i) {
      states_[i].due = path.callbacks[i].offset;
    }
  }

  std::vector<DataPathStart> run(long horizon)
  {
    while (now_ < horizon) {
      arrive();
      if (due()) {  // more urgent than what is left of a sequence, which then waits as all others
                    // do
        followers_.clear();
        find_places();
        publish_due(now_);
      } else if (const auto next = choose()) {
        start(*next);
      } else if (!sleep(horizon)) {
        break;
      }
    }
    return starts_;
  }

private:
  static constexpr unsigned long kTimers = 1UL << 60;
  static constexpr long kFarBack = 1000;  // stamps begin anew if they go back by more

  struct Waiting
  {
    long at;
    unsigned long number;
    // after the timers of that time: the look before the publishing released them
    bool of_border = false;
    long stamp = 0;

    unsigned long rank() const { return of_border ? 2 * kTimers + number : number; }
  };
  struct Output
  {
    long due;
    std::size_t timer;  ///< of its group
    std::size_t from;
    long stamp;
  };
  struct State
  {
    std::deque<Waiting> history;  // the oldest first
    std::size_t released = 0;     // the number that the condition released, from the oldest on
    std::optional<long> newest;
    std::optional<Waiting> kept;  // taken, and waits for its set
    std::optional<long> stamp;    // of the message that was kept last
    bool ready = false;
    std::optional<Waiting> place;  // empty: the thread's next look sets it
    long due = 0;                  // of a timer
  };

  const DataPath::Callback & of(std::size_t i) const { return path_.callbacks[i]; }
  bool is_timer(std::size_t i) const { return of(i).period > 0; }
  bool under_condition(std::size_t i) const
  {
    return !is_timer(i) && left_out_ != LeftOut::condition &&
           path_.conditions.count(of(i).group) != 0;
  }
  long urgency(std::size_t i) const { return path_.fifo ? 0 : of(i).priority; }

  // Publishing at a border is more urgent than all callbacks.
  bool due() const
  {
    return std::any_of(waiting_outputs_.begin(), waiting_outputs_.end(), [&](const Output & one) {
      return one.due <= now_;
    });
  }

  void publish_due(long until)
  {
    std::stable_sort(
      waiting_outputs_.begin(), waiting_outputs_.end(), [](const Output & a, const Output & b) {
        return std::tie(a.due, a.timer) < std::tie(b.due, b.timer);
      });
    while (!waiting_outputs_.empty() && waiting_outputs_.front().due <= until) {
      const Output one = waiting_outputs_.front();
      waiting_outputs_.pop_front();
      for (const std::size_t to : of(one.from).readers) {
        announce(to, one.due, stamp(one.from, one.due, one.stamp), std::nullopt, true);
      }
    }
  }

  bool is_logical(std::size_t taker) const
  {
    return is_timer(taker) && path_.logical.count(of(taker).group) != 0 &&
           left_out_ != LeftOut::border;
  }

  void arrive()
  {
    while (next_message_ < path_.messages.size() && path_.messages[next_message_].at <= now_) {
      const DataPath::Message & message = path_.messages[next_message_++];
      announce(message.to, message.at, message.stamp, std::nullopt);
    }
  }

  // `by`: the callback whose run sends the message.
  void announce(
    std::size_t to, long at, long stamp, std::optional<std::size_t> by, bool of_border = false)
  {
    State & state = states_[to];
    state.history.push_back({at, ++number_, of_border, stamp});
    if (state.history.size() > of(to).depth) {
      state.history.pop_front();
      state.released -= state.released > 0 ? 1 : 0;
      if (state.ready && left_out_ == LeftOut::place_of_lost) {
        state.place = state.history.front();
      }
    }
    // A border's message may come behind one that arrived after the border.
    state.newest = std::max(state.newest.value_or(at), at);
    if (!of(to).triggers) {
      return;
    }
    if (!under_condition(to)) {
      make_ready(to, by);
    } else if (spread(of(to).group)) {
      ask(of(to).group, by);
    } else if (holds(of(to).group, at)) {
      release(of(to).group, by);
    }
  }

  std::optional<long> spread(std::size_t group) const
  {
    const auto rule = path_.conditions.find(group);
    return rule == path_.conditions.end() ? std::nullopt : rule->second.spread;
  }

  // With a spread each input takes one message, as soon as it keeps none.
  void ask(std::size_t group, std::optional<std::size_t> by)
  {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (of(i).group == group && !is_timer(i) && !states_[i].kept && !states_[i].history.empty()) {
        make_ready(i, by);
      }
    }
  }

  std::vector<std::size_t> inputs(std::size_t group) const
  {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (of(i).group == group && !is_timer(i)) {
        found.push_back(i);
      }
    }
    return found;
  }

  // Keeps the message that `i` took, and runs the set that it completes.
  void keep(std::size_t i, const Waiting & message)
  {
    const std::size_t group = of(i).group;
    const long most = *spread(group);
    const std::vector<std::size_t> all = inputs(group);
    State & state = states_[i];
    const long far = left_out_ == LeftOut::far_back ? most : std::max(most, kFarBack);
    const std::optional<long> before = std::exchange(state.stamp, message.stamp);
    if (before && *before - message.stamp > far && left_out_ != LeftOut::anew) {
      for (const std::size_t other : all) {
        states_[other].kept.reset();
      }
      anew_[group] = std::max(anew_[group], message.number);
    } else if (message.number < anew_[group] && left_out_ != LeftOut::before_anew) {
      ask(group, std::nullopt);
      return;
    }
    state.kept = message;
    long newest = message.stamp;
    for (const std::size_t one : all) {
      newest = states_[one].kept ? std::max(newest, states_[one].kept->stamp) : newest;
    }
    bool complete = true;
    bool close = true;
    for (const std::size_t one : all) {
      std::optional<Waiting> & kept = states_[one].kept;
      if (kept && newest - kept->stamp > most && left_out_ != LeftOut::spread) {
        close = false;
        if (left_out_ != LeftOut::stale) {
          kept.reset();
        }
      }
      complete = complete && kept;
    }
    std::vector<std::size_t> set = complete && close ? all : std::vector<std::size_t>();
    if (left_out_ != LeftOut::order_of_set) {
      std::sort(set.begin(), set.end(), [&](std::size_t a, std::size_t b) {
        return states_[a].kept->number < states_[b].kept->number;
      });
    }
    for (const std::size_t one : set) {
      const Waiting own = *std::exchange(states_[one].kept, std::nullopt);
      end_other_sequence(one);
      const long began = now_;
      take_inputs(one, began, own.at);
      starts_.push_back({one, began, own.at});
      work(one, own.stamp);
    }
    ask(group, std::nullopt);
  }

  // A thread has the followers of one sequence. In a set several sequences may go on.
  void end_other_sequence(std::size_t next)
  {
    if (
      !followers_.empty() && of(next).place &&
      of(followers_.front()).place->first != of(next).place->first) {
      followers_.clear();
      find_places();
    }
  }

  bool holds(std::size_t group, long at) const
  {
    const DataPath::Condition & rule = path_.conditions.at(group);
    std::size_t inputs = 0;
    std::size_t have = 0;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (of(i).group != group || is_timer(i)) {
        continue;
      }
      ++inputs;
      have += states_[i].history.size() > states_[i].released ? 1 : 0;
      if (
        rule.fresh && left_out_ != LeftOut::fresh &&
        (!states_[i].newest || at - *states_[i].newest >= *rule.fresh)) {
        return false;
      }
    }
    return have >= (rule.count == 0 ? inputs : rule.count);
  }

  void release(std::size_t group, std::optional<std::size_t> by)
  {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (of(i).group == group && !is_timer(i)) {
        states_[i].released = states_[i].history.size();
        if (of(i).triggers && !states_[i].history.empty()) {
          make_ready(i, by);
        }
      }
    }
  }

  void make_ready(std::size_t i, std::optional<std::size_t> by)
  {
    State & state = states_[i];
    if (state.ready) {
      return;
    }
    state.ready = true;
    state.place.reset();
    if (state.history.size() == 1 || under_condition(i)) {
      state.place = state.history.front();
    }
    if (
      by && of(i).place && of(*by).place && of(i).place->first == of(*by).place->first &&
      of(i).place->second > of(*by).place->second && left_out_ != LeftOut::sequence) {
      const auto taken = std::any_of(followers_.begin(), followers_.end(), [&](std::size_t other) {
        return of(other).place == of(i).place;
      });
      if (!taken) {
        followers_.push_back(i);
      }
    }
  }

  bool follows(std::size_t i) const
  {
    return std::find(followers_.begin(), followers_.end(), i) != followers_.end();
  }

  std::optional<Waiting> place(std::size_t i) const
  {
    if (is_timer(i)) {
      // A thread releases due timers when it looks for work. So a timer comes after the messages of
      // that time, and after timers that were made earlier.
      return states_[i].due <= now_ ? std::optional<Waiting>({states_[i].due, kTimers + i})
                                    : std::nullopt;
    }
    return states_[i].ready ? states_[i].place : std::nullopt;
  }

  std::optional<std::size_t> best() const
  {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const auto own = place(i);
      if (!own || follows(i)) {
        continue;
      }
      if (!found || before(i, *own, *found, *place(*found))) {
        found = i;
      }
    }
    return found;
  }
  bool before(std::size_t i, const Waiting & own, std::size_t j, const Waiting & other) const
  {
    return std::make_tuple(-urgency(i), own.at, own.rank()) <
           std::make_tuple(-urgency(j), other.at, other.rank());
  }

  void find_places()
  {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      State & state = states_[i];
      if (state.ready && !state.place && !follows(i)) {
        state.place = state.history.front();
      }
    }
  }

  std::optional<std::size_t> choose()
  {
    find_places();
    const auto first = best();
    if (followers_.empty()) {
      return first;
    }
    if (left_out_ != LeftOut::sequence_order) {
      std::sort(followers_.begin(), followers_.end(), [&](std::size_t a, std::size_t b) {
        return of(a).place->second < of(b).place->second;
      });
    }
    const std::size_t next = followers_.front();
    if (first && urgency(*first) > urgency(next) && left_out_ != LeftOut::more_urgent) {
      followers_.clear();  // they now wait as all other callbacks do
      find_places();
      return best();
    }
    followers_.erase(followers_.begin());
    return next;
  }

  void start(std::size_t i)
  {
    State & state = states_[i];
    long release = 0;
    long source = 0;
    if (is_timer(i)) {
      release = source = state.due;
      state.due += of(i).period;
      while (state.due <= now_) {
        state.due += of(i).period;
      }
    } else {
      const Waiting message = state.history.front();
      release = message.at;
      source = message.stamp;
      state.ready = false;  // a message that comes meanwhile makes it ready again
      state.history.pop_front();
      state.released -= state.released > 0 ? 1 : 0;
      if (under_condition(i) && spread(of(i).group)) {
        keep(i, message);
        return;
      }
    }
    const long began = now_;
    if (is_logical(i)) {
      publish_due(release);
      logical_ = i;
    }
    take_inputs(i, began, release);
    starts_.push_back({i, began, release});
    work(i, source);
    if (logical_) {
      end_period(release + of(i).period);
    }
    if (!is_timer(i) && (under_condition(i) ? state.released > 0 : !state.history.empty())) {
      make_ready(i, std::nullopt);
    }
  }

  void take_inputs(std::size_t taker, long began, long release)
  {
    std::map<std::size_t, std::size_t> left;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const auto & takers = of(i).takers;
      if (std::find(takers.begin(), takers.end(), taker) != takers.end()) {
        left[i] = by_release(i) ? announced_by(i, release) : states_[i].history.size();
      }
    }
    for (;;) {
      std::optional<std::size_t> next;
      for (auto & [i, count] : left) {
        const bool late =
          by_release(i) && !states_[i].history.empty() && states_[i].history.front().at > release;
        count = late || states_[i].history.empty() ? 0 : count;
        if (count == 0) {
          continue;
        }
        if (
          !next || (left_out_ != LeftOut::input_order &&
                    states_[i].history.front().number < states_[*next].history.front().number)) {
          next = i;
        }
      }
      if (!next) {
        return;
      }
      State & input = states_[*next];
      const Waiting message = input.history.front();
      input.history.pop_front();
      input.released -= input.released > 0 ? 1 : 0;
      const std::size_t newer = std::min(--left[*next], input.history.size());
      const bool old = of(*next).max_age && left_out_ != LeftOut::max_age &&
                       (by_release(*next) ? release : began) - message.at > *of(*next).max_age;
      const bool more = of(*next).keep > 0 && left_out_ != LeftOut::keep && newer >= of(*next).keep;
      if (!old && !more) {
        starts_.push_back({*next, now_, message.at});
        work(*next, message.stamp);
      }
    }
  }

  bool by_release(std::size_t i) const
  {
    return of(i).by_release && left_out_ != LeftOut::by_release;
  }
  std::size_t announced_by(std::size_t i, long time) const
  {
    const auto & history = states_[i].history;
    const auto later = std::find_if(
      history.begin(), history.end(), [time](const Waiting & one) { return one.at > time; });
    return static_cast<std::size_t>(later - history.begin());
  }

  // Of a message that `from` publishes at `at`.
  long stamp(std::size_t from, long at, long source) const
  {
    return path_.stamps_of_sources ? source : at - of(from).lag;
  }

  void work(std::size_t i, long source)
  {
    now_ += of(i).cost;
    arrive();
    if (logical_) {
      held_.emplace_back(i, source);
      return;
    }
    for (const std::size_t to : of(i).readers) {
      announce(to, now_, stamp(i, now_, source), i);
    }
  }

  void end_period(long border)
  {
    const bool late = now_ >= border && left_out_ != LeftOut::late;
    const bool drops = path_.logical.at(of(*logical_).group);
    const std::size_t timer = *logical_;
    logical_.reset();
    for (const auto & [from, own_source] : held_) {
      // Data that a border lets out is as old as the border.
      const long source = path_.stamps_of_sources ? border : own_source;
      if (!late) {
        waiting_outputs_.push_back({border, timer, from, source});
        continue;
      }
      for (const std::size_t to : drops ? std::vector<std::size_t>() : of(from).readers) {
        announce(to, now_, stamp(from, now_, source), std::nullopt);
      }
    }
    held_.clear();
  }

  bool sleep(long horizon)
  {
    long next = horizon;
    for (const Output & one : waiting_outputs_) {
      next = std::min(next, one.due);
    }
    for (std::size_t i = 0; i < states_.size(); ++i) {
      next = is_timer(i) ? std::min(next, states_[i].due) : next;
    }
    if (next_message_ < path_.messages.size()) {
      next = std::min(next, path_.messages[next_message_].at);
    }
    now_ = std::max(now_, next);
    return next < horizon;
  }

  const DataPath & path_;
  const LeftOut left_out_;
  std::vector<State> states_;
  std::map<std::size_t, unsigned long> anew_;  // by group: the message whose stamp began anew
  std::vector<std::size_t> followers_;
  std::vector<DataPathStart> starts_;
  std::optional<std::size_t> logical_;  // the timer with logical execution time that runs
  // Published by its run: the callback, and the stamp of its source.
  std::vector<std::pair<std::size_t, long>> held_;
  std::deque<Output> waiting_outputs_;  // for their borders
  std::size_t next_message_ = 0;
  unsigned long number_ = 0;
  long now_ = 0;
};

}  // namespace takt_core::test

#endif  // SUPPORT__DATA_PATH_ORACLE_HPP_
