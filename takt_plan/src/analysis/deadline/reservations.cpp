#include "analysis/deadline/reservations.hpp"

#include <algorithm>
#include <set>

#include "model/percent.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan::detail
{
namespace
{

using takt_schedule::quoted;

// A sum above the whole by less than this is rounding: a nanosecond in a hundred days.
constexpr long double kRounding = 1e-16L;

bool valid(const Reservation & asked)
{
  return asked.runtime > 0 && asked.runtime <= asked.deadline && asked.deadline <= asked.period &&
         asked.context_switch >= 0;
}

std::set<Index> cores_of(const Thread & thread)
{
  return {thread.cores.begin(), thread.cores.end()};
}

}  // namespace

bool share_a_core(const Thread & a, const Thread & b)
{
  return std::any_of(a.cores.begin(), a.cores.end(), [&](Index core) {
    return std::find(b.cores.begin(), b.cores.end(), core) != b.cores.end();
  });
}

Taken taken_by(const Reservation & asked)
{
  const Ns jitter = asked.deadline < asked.period ? asked.deadline : multiply(2, asked.period);
  return {asked.period, jitter, asked.runtime};
}

Ns switches_by(const Reservation & asked)
{
  return multiply(2, asked.context_switch);
}

std::string refuse_reservation(const Model & model, Index index)
{
  const Thread & own = model.threads[index];
  const std::set<Index> cores = cores_of(own);
  long double sum = 0;
  long double most = 0;
  for (Index i = 0; i < model.threads.size(); ++i) {
    const Thread & thread = model.threads[i];
    if (thread.kind != ThreadClass::deadline || (i != index && !share_a_core(own, thread))) {
      continue;
    }
    const std::string whose = i == index ? "its" : "thread " + quoted(thread.name) + ": its";
    if (!valid(thread.reservation)) {
      return whose +
             " policy is deadline, which needs a runtime within its deadline and a deadline "
             "within its period";
    }
    if (cores_of(thread) != cores) {
      return "thread " + quoted(thread.name) +
             ", also of policy deadline, has only some of the same cores; give both threads the "
             "same cores";
    }
    const long double density = static_cast<long double>(thread.reservation.runtime) /
                                static_cast<long double>(thread.reservation.deadline);
    sum += density;
    most = std::max(most, density);
  }
  const auto number = static_cast<long double>(cores.size());
  const long double limit = number - (number - 1) * most;
  if (sum > limit + kRounding * number) {
    return "the threads of policy deadline on its cores ask for " + percent(sum, Rounding::down) +
           " of a core, and the test for their admission grants " + percent(limit, Rounding::down);
  }
  return {};
}

}  // namespace takt_plan::detail
