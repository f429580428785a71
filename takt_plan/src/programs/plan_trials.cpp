#include "programs/plan_trials.hpp"

#include <fmt/format.h>

#include <utility>

namespace takt_plan::program
{

Trials::Trials(std::function<bool()> in_time, Tell tell, std::size_t most)
: in_time_(std::move(in_time)),
  tell_(std::move(tell)),
  most_(most)
{
}

bool Trials::may_go_on() const
{
  return tried_ < most_ && in_time_();
}

void Trials::count()
{
  ++tried_;
}

void Trials::tell(std::size_t tried, std::size_t of) const
{
  tell_(tried, of);
}

std::string Trials::why_ended(
  const std::string & candidates, std::size_t left, std::size_t of) const
{
  return tried_ >= most_
           ? fmt::format(
               "{} of {} {} were not tried: takt tries at most {} changes, which "
               "take a simulation each",
               left, of, candidates, most_)
           : fmt::format(
               "the time ended the search before {} of {} {} were tried", left, of, candidates);
}

}  // namespace takt_plan::program
