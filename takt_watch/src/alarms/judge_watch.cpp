#include "alarms/judge_watch.hpp"

#include <algorithm>

namespace takt_watch
{
namespace
{

// The process reads the symbols of a large library within a look, which takes some seconds.
constexpr takt_rt::Duration kPatience = std::chrono::seconds(10);
constexpr takt_rt::Duration kMostAtOnce = std::chrono::seconds(1);

}  // namespace

void JudgeWatch::look(std::optional<std::uint32_t> looks, takt_rt::Time now)
{
  const bool was_late = is_late_;
  if (looks != looks_ || !looks) {
    without_look_ = takt_rt::Duration::zero();
  } else {
    without_look_ += std::min(now - looked_, kMostAtOnce);
  }
  looks_ = looks;
  looked_ = now;
  is_late_ = without_look_ >= kPatience;
  has_changed_ = is_late_ != was_late;
}

std::string JudgeWatch::line() const
{
  if (!has_changed_) {
    return "";
  }
  return is_late_ ? "the process of takt that applies the ignore list has not done so for 10 s; it "
                    "has ended, or gets no processor time. Until it does, alarms count the list's "
                    "events, too"
                  : "the ignore list applies to alarms again";
}

}  // namespace takt_watch
