#include "analysis/priority/busy_window.hpp"

#include <algorithm>

#include "analysis/fixed_point.hpp"
#include "model/message_set.hpp"

namespace takt_plan::detail
{
namespace
{

Ns constant(const BusyWindow & window)
{
  return add(window.blocking, add(window.ceiling, window.once));
}

Ns releases_of(const Entry & entry, Ns length, const std::vector<Ns> & complete)
{
  Ns all = arrivals(length, entry.period, entry.jitter);
  if (entry.curves != nullptr) {
    all = std::min(all, entry.curves->releases(entry.stream, length));
  }
  return entry.set == kNone ? all : std::min(all, complete[entry.set]);
}

Ns entering(const BusyWindow & window, Ns length)
{
  Ns sum = 0;
  const std::vector<Ns> complete = window.complete(length);
  for (const Entry & entry : window.entries) {
    sum = add(sum, multiply(releases_of(entry, length, complete), entry.cost));
  }
  return sum;
}

/// From the beginning to the end of activation `number`. `start`: some value not above it.
Ns length_to(const BusyWindow & window, Ns number, Ns start, Ns horizon, Steps & steps)
{
  const Ns fixed =
    add(constant(window), add(multiply(number, window.after), multiply(number - 1, window.forked)));
  return fixed_point(start, horizon, steps, [&](Ns length) {
    const Ns releases = std::max(number, window.releases(length));
    const Ns all = add(fixed, add(multiply(releases, window.before), entering(window, length)));
    return all == kUnbounded ? all : all - window.spared;
  });
}

/// Until nothing is pending any more.
Ns whole_length(const BusyWindow & window, Ns horizon, Steps & steps)
{
  const Ns own = add(window.before, add(window.after, window.forked));
  return fixed_point(0, horizon, steps, [&](Ns length) {
    return add(
      add(constant(window), entering(window, length)), multiply(window.releases(length), own));
  });
}

/// How long after the first activation of a window the activation `number` is, at least; as far as it is
/// less than `most`.
Ns apart(const BusyWindow & window, Ns number, Ns most)
{
  Ns least = std::max<Ns>(0, multiply(number - 1, window.period) - window.jitter);
  if (window.curves == nullptr || number == 1) {
    return std::min(least, most);
  }
  // The longest window that has fewer releases.
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

Ns BusyWindow::releases(const Entry & entry, Ns length) const
{
  return releases_of(entry, length, complete(length));
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

Worst worst_activation(const BusyWindow & window, Ns horizon, bool queued, Steps & steps)
{
  // An overloaded window has no end; knowing it saves the steps to the horizon.
  const Ns whole = overloaded(window) ? kUnbounded : whole_length(window, horizon, steps);
  if (whole == kUnbounded) {
    return {};
  }
  const Ns most = queued ? window.releases(whole) : 1;
  Worst worst{-1, 0, 0, 0, 0, 1};
  Ns length = 0;
  for (Ns number = 1; number <= most; ++number) {
    length = length_to(window, number, length, horizon, steps);
    if (length == kUnbounded) {
      return {};
    }
    const Ns response = length - multiply(number - 1, window.period);
    if (response > worst.response) {
      worst.response = response;
      worst.length = length;
      worst.number = number;
    }
    const Ns from_activation = length - apart(window, number, length);
    if (from_activation > worst.from_activation) {
      worst.from_activation = from_activation;
      worst.activation_length = length;
      worst.activation_number = number;
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
