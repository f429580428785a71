#include "model/time_percentile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "takt_rt/percentile.hpp"
#include "takt_rt/readable.hpp"

namespace takt_trace
{
namespace
{

using takt_rt::Duration;

constexpr double kAll = 100;

std::uint64_t times_of(const ObservedCallback & one)
{
  std::uint64_t count = 0;
  for (const auto & [edge, times] : one.histogram) {
    count += times;
  }
  return count;
}

/// True if the callback has enough runs.
bool shorten(ObservedCallback & one, double percentile)
{
  const std::uint64_t count = times_of(one);
  const auto rank = takt_rt::supported_rank(count, percentile / kAll);
  if (!rank) {
    one.caveats +=
      fmt::format("; time: the longest, since it ran too seldom for p{:g}", percentile);
    return false;
  }
  std::uint64_t below = 0;
  const auto last = std::find_if(one.histogram.begin(), one.histogram.end(), [&](const auto & bar) {
    below += bar.second;
    return below >= *rank;
  });
  const Duration longest = one.model.time.worst;
  one.model.time.worst = std::min(Duration{last->first}, longest);
  one.model.time.best = std::min(one.model.time.best, one.model.time.worst);
  one.caveats += fmt::format("; time: p{:g}", percentile);
  if (one.model.time.worst < longest) {
    one.caveats += fmt::format(
      "; {} of {} runs took longer, up to {}", count - below, count, takt_rt::human(longest));
  }
  return true;
}

}  // namespace

void use_percentile(
  std::vector<ObservedCallback> & callbacks, double percentile, std::vector<std::string> & notes)
{
  std::size_t kept = 0;
  for (ObservedCallback & one : callbacks) {
    if (one.runs > 0 && !shorten(one, percentile)) {
      ++kept;
    }
  }
  if (kept == callbacks.size()) {
    notes.push_back(fmt::format(
      "no callback ran often enough for p{:g} (ten runs beyond it): the model has the longest "
      "times; observe for longer, or ask for a lower percentile",
      percentile));
    return;
  }
  std::string note = fmt::format(
    "the worst times in the model are p{:g} of the measured ones: bounds hold as long as no run "
    "takes longer",
    percentile);
  if (kept > 0) {
    note += fmt::format(
      "; {} of {} callbacks ran too seldom for that (ten runs have to lie beyond it), and have "
      "their longest times",
      kept, callbacks.size());
  }
  notes.push_back(std::move(note));
}

}  // namespace takt_trace
