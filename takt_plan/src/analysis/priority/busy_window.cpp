#include "analysis/priority/busy_window.hpp"

#include <algorithm>
#include <optional>

#include "analysis/fixed_point.hpp"
#include "model/message_set.hpp"

namespace takt_plan::detail
{
namespace
{

Ns constant(const BusyWindow & window, std::optional<Ns> begin)
{
  const Blocking blocked = blocking(window, begin);
  return add(add(blocked.time, blocked.started), add(window.ceiling, window.once));
}

/// `value` / `by`, rounded up. `by` > 0.
Ns divided(Ns value, Ns by)
{
  return value >= 0 ? (value - (value > 0 ? 1 : 0)) / by + (value > 0 ? 1 : 0) : -(-value / by);
}

/// The number of activations d, up to `last`, with d periods + jitter >= begin and d periods < end.
/// For d above zero the first condition does not count: an activation may come later than that,
/// because the period of messages from outside is only their least distance.
Ns activations(Ns begin, Ns end, Ns period, Ns jitter, Ns last)
{
  const Ns first = std::min<Ns>(divided(begin - jitter, period), 1);
  return std::max<Ns>(0, std::min(divided(end, period) - 1, last) - first + 1);
}

/// Counts the releases that enter one window.
class Count
{
public:
  Count(const BusyWindow & window, std::optional<Ns> begin) : window_(window), begin_(begin) {}

  /// `begun`: the segment's last run has begun, so it may have started work that comes after it.
  Ns of(const Entry & entry, Ns length, const std::vector<Ns> & complete, bool begun) const
  {
    const Ns last = !entry.comes_after ? kUnbounded : begun ? 0 : -1;
    Ns all = entry.related && begin_ && entry.jitter != kUnbounded
               ? activations(
                   *begin_, add(*begin_, std::max<Ns>(length, 1)), entry.period, entry.jitter, last)
               : arrivals(length, entry.period, entry.jitter);
    if (entry.curves != nullptr) {
      all = std::min(all, entry.curves->releases(entry.stream, length));
    }
    return entry.set == kNone ? all : std::min(all, complete[entry.set]);
  }

  /// The segment's own releases. `number` of them come up to the analysed activation.
  Ns own(Ns length, Ns number) const
  {
    if (!begin_) {
      return std::max(number, window_.releases(length));
    }
    const Ns later = divided(add(*begin_, std::max<Ns>(length, 1)), window_.period) - 1;
    return add(number, std::max<Ns>(0, later));
  }

private:
  const BusyWindow & window_;
  const std::optional<Ns> begin_;
};

/// Finds when activations end.
class Lengths
{
public:
  Lengths(const BusyWindow & window, Ns horizon, Steps & steps)
  : window_(window),
    horizon_(horizon),
    steps_(steps)
  {
  }

  /// `start`: a value that is not above the time until the last run begins. If there is no end, the
  /// result's `length` is kUnbounded.
  Moment find(Ns number, std::optional<Ns> begin, Ns start)
  {
    Moment moment = find_last(number, begin, start);
    if (moment.last != kUnbounded) {
      moment.length = find_end(moment);
    }
    return moment;
  }

  /// The same activation, up to its message.
  Moment find_message(Moment moment)
  {
    moment.leaving = true;
    moment.length = find_end(moment);
    return moment;
  }

private:
  Moment find_last(Ns number, std::optional<Ns> begin, Ns start)
  {
    const Count count(window_, begin);
    const Ns fixed = add(
      constant(window_, begin),
      add(multiply(number, window_.after), multiply(number - 1, window_.forked)));
    const Ns less = add(window_.spared, window_.last);
    Moment moment{begin, number, kUnbounded, kUnbounded, false};
    // Work that arrives at this very moment goes before the last run.
    moment.last = fixed_point(start, horizon_, steps_, [&](Ns length) {
      const Ns releases = count.own(length + 1, number);
      const Ns all =
        add(fixed, add(multiply(releases, window_.before), entering(count, length + 1)));
      return all == kUnbounded ? all : all - less;
    });
    return moment;
  }

  Ns find_end(const Moment & moment)
  {
    const Count count(window_, moment.begin);
    const Ns number = moment.number;
    const std::vector<Ns> before = entered(count, moment.last + 1);
    const Ns own = count.own(moment.last + 1, number);
    const Ns begun = add(moment.last, window_.last);
    return fixed_point(begun, horizon_, steps_, [&](Ns length) {
      const std::vector<Ns> complete = window_.complete(length);
      const Ns own_late = std::max<Ns>(0, count.own(length, number) - own);
      Ns sum = add(begun, multiply(own_late, window_.before_late));
      for (std::size_t i = 0; i < before.size(); ++i) {
        const Entry & entry = window_.entries[i];
        if (entry.late > 0) {
          const Ns late =
            std::max<Ns>(0, count.of(entry, length, complete, !moment.leaving) - before[i]);
          sum = add(sum, multiply(late, entry.late));
        }
      }
      return sum;
    });
  }

  std::vector<Ns> entered(const Count & count, Ns length) const
  {
    std::vector<Ns> counts;
    const std::vector<Ns> complete = window_.complete(length);
    for (const Entry & entry : window_.entries) {
      counts.push_back(count.of(entry, length, complete, false));
    }
    return counts;
  }

  Ns entering(const Count & count, Ns length) const
  {
    Ns sum = 0;
    const std::vector<Ns> complete = window_.complete(length);
    for (const Entry & entry : window_.entries) {
      sum = add(sum, multiply(count.of(entry, length, complete, false), entry.cost));
    }
    return sum;
  }

  const BusyWindow & window_;
  const Ns horizon_;
  Steps & steps_;
};

/// The time until no work is pending any more.
Ns whole_length(const BusyWindow & window, Ns horizon, Steps & steps)
{
  const Ns own = add(window.before, add(window.after, window.forked));
  const Count count(window, std::nullopt);
  const Ns fixed = constant(window, std::nullopt);
  return fixed_point(0, horizon, steps, [&](Ns length) {
    Ns sum = add(fixed, multiply(window.releases(length), own));
    const std::vector<Ns> complete = window.complete(length);
    for (const Entry & entry : window.entries) {
      sum = add(sum, multiply(count.of(entry, length, complete, false), entry.cost));
    }
    return sum;
  });
}

/// The possible beginnings of windows, after the nominal release of an activation. Each is the
/// latest one for which a certain related activation still enters the window, or has begun before
/// it. The latest beginning comes first.
class Begins
{
public:
  explicit Begins(const BusyWindow & window)
  {
    add_next({window.jitter, window.period});
    for (const Entry & entry : window.entries) {
      if (entry.related && entry.cost > 0 && entry.jitter != kUnbounded) {
        add_below(entry.jitter, entry.period, entry.comes_after, window.jitter);
      }
    }
    for (const RelatedBlocker & blocker : window.blockers) {
      for (const RelatedBlocker::From & from : blocker.from) {
        if (from.bound != kUnbounded) {
          add_below(from.bound - blocker.cost, blocker.period, from.comes_after, window.jitter);
        }
      }
    }
  }

  /// The next beginning; it is below all earlier ones.
  Ns next()
  {
    const Ns latest = heap_.front().at;
    while (heap_.front().at == latest) {
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.back().at -= heap_.back().period;
      std::push_heap(heap_.begin(), heap_.end());
    }
    return latest;
  }

private:
  struct Next
  {
    Ns at = 0;
    Ns period = 0;
    bool operator<(const Next & other) const { return at < other.at; }
  };
  void add_below(Ns at, Ns period, bool comes_after, Ns most)
  {
    const Ns first = std::max<Ns>(divided(std::max<Ns>(0, at - most), period), comes_after ? 1 : 0);
    add_next({at - first * period, period});
  }

  void add_next(const Next & next)
  {
    heap_.push_back(next);
    std::push_heap(heap_.begin(), heap_.end());
  }

  std::vector<Next> heap_;
};

/// The least time from the first activation of a window to the activation `number`, but at most
/// `most`.
Ns apart(const BusyWindow & window, Ns number, Ns most)
{
  Ns least = std::max<Ns>(0, multiply(number - 1, window.period) - window.jitter);
  if (window.curves == nullptr || number == 1) {
    return std::min(least, most);
  }
  // Search the longest window with fewer than `number` releases.
  while (least < most) {
    const Ns middle = least + (most - least + 1) / 2;
    if (window.releases(middle) < number) {
      least = middle;
    } else {
      most = middle - 1;
    }
  }
  return std::min(least, most);
}

}  // namespace

Ns BusyWindow::releases(Ns length) const
{
  const Ns all = arrivals(length, period, jitter);
  return curves == nullptr ? all : std::min(all, curves->releases(stream, length));
}

std::vector<Ns> BusyWindow::complete(Ns length) const
{
  std::vector<Ns> counts;
  for (const WindowSet & set : sets) {
    CompleteSets complete;
    for (const auto & topic : set.topics) {
      Ns messages = 0;
      for (const WindowSet::Input & input : topic) {
        const Ns from_input = input.set != kNone      ? counts[input.set]
                              : input.stream != kNone ? set_curves->releases(input.stream, length)
                                                      : 1;
        messages = add(messages, from_input);
      }
      complete.add_topic(messages);
    }
    counts.push_back(complete.most());
  }
  return counts;
}

Blocking blocking(const BusyWindow & window, std::optional<Ns> begin)
{
  Blocking longest{window.blocking, window.started, window.blocker};
  for (const RelatedBlocker & blocker : window.blockers) {
    for (const RelatedBlocker::From & from : blocker.from) {
      Ns time = blocker.cost;
      if (begin && from.bound != kUnbounded) {
        // Of the blocker's runs that may have begun, the last one ends last.
        const Ns last =
          std::min<Ns>(divided(*begin + 1, blocker.period) - 1, from.comes_after ? -1 : kUnbounded);
        const Ns left = from.bound + last * blocker.period - *begin;
        if (last <= 0 && left < 0) {
          continue;
        }
        time = last > 0 ? time : std::min(time, left);
      }
      if (add(time, blocker.started) > add(longest.time, longest.started)) {
        longest = {time, blocker.started, blocker.task};
      }
    }
  }
  return longest;
}

Shares own_shares(const BusyWindow & window, const Moment & moment)
{
  const Count count(window, moment.begin);
  const Ns whole = count.own(moment.last + 1, moment.number);
  return {whole, std::max<Ns>(0, count.own(moment.length, moment.number) - whole)};
}

Shares shares(const BusyWindow & window, const Entry & entry, const Moment & moment)
{
  const Count count(window, moment.begin);
  const Ns whole = count.of(entry, moment.last + 1, window.complete(moment.last + 1), false);
  const Ns all = count.of(entry, moment.length, window.complete(moment.length), !moment.leaving);
  return {whole, std::max<Ns>(0, all - whole)};
}

Worst worst_activation(
  const BusyWindow & window, Ns horizon, bool queued, bool from_activation, Steps & steps)
{
  // An overloaded window has no end. The check saves the steps to the horizon.
  const Ns whole = overloaded(window) ? kUnbounded : whole_length(window, horizon, steps);
  if (whole == kUnbounded) {
    return {};
  }
  const Ns most = queued ? window.releases(whole) : 1;
  Lengths lengths(window, horizon, steps);
  Worst worst;
  worst.response = worst.leaves = -1;
  Begins begins(window);
  // No window is longer than `whole`. So windows that begin earlier end before the end that is
  // known already.
  for (Ns begin = begins.next(); begin + whole > window.jitter + worst.response;
       begin = begins.next()) {
    const Ns number = std::min(most, (window.jitter - begin) / window.period + 1);
    const Moment moment = lengths.find(number, begin, 0);
    if (moment.length == kUnbounded) {
      return {};
    }
    const Ns response = begin + moment.length - window.jitter;
    if (response > worst.response) {
      worst.response = response;
      worst.moment = moment;
    }
    const Moment message = lengths.find_message(moment);
    const Ns leaves = begin + message.length - window.jitter;
    if (leaves > worst.leaves) {
      worst.leaves = leaves;
      worst.leaving = message;
    }
  }
  worst.from_activation = from_activation ? 0 : kUnbounded;
  Ns start = 0;
  for (Ns number = 1; from_activation && number <= most; ++number) {
    const Moment moment = lengths.find(number, std::nullopt, start);
    if (moment.length == kUnbounded) {
      return {};
    }
    start = moment.last;
    const Ns own = moment.length - apart(window, number, moment.length);
    if (number == 1 || own > worst.from_activation) {
      worst.from_activation = own;
      worst.activation = moment;
    }
  }
  return worst;
}

double utilization(const BusyWindow & window)
{
  const Ns own = add(window.before, add(window.after, window.forked));
  double sum = static_cast<double>(own) / static_cast<double>(window.period);
  for (const Entry & entry : window.entries) {
    sum += static_cast<double>(entry.cost) / static_cast<double>(entry.period);
  }
  return sum;
}

bool overloaded(const BusyWindow & window)
{
  return utilization(window) > 1.0 + 1e-9;
}

}  // namespace takt_plan::detail
