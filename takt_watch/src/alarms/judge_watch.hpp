// Watches the process that applies the guard's ignore list for this one (GuardAccount::is_judged).
//
// That process may end before this one, or get no processor time. Then nobody tells which events
// the list ignores, and alarms count all events. One thread at a time; `line` allocates.
#ifndef TAKT_WATCH__SRC__JUDGE_WATCH_HPP_
#define TAKT_WATCH__SRC__JUDGE_WATCH_HPP_

#include <cstdint>
#include <optional>
#include <string>

#include "takt_rt/time.hpp"

namespace takt_watch
{

class JudgeWatch
{
public:
  /// `looks`: how often that process has looked so far; absent: there is no ignore list. Call it
  /// once for each look of the watch, with rising times.
  void look(std::optional<std::uint32_t> looks, takt_rt::Time now);

  /// True if that process has not looked for ten seconds. Each time between two looks of the watch
  /// counts as one second at most, because both processes may have been stopped meanwhile.
  bool is_late() const noexcept { return is_late_; }

  /// True if the last `look` began this.
  bool has_become_late() const noexcept { return is_late_ && has_changed_; }

  /// A line for the user if the last `look` changed `is_late`; else empty.
  std::string line() const;

private:
  std::optional<std::uint32_t> looks_{};
  takt_rt::Time looked_{};            // the watch's own last look
  takt_rt::Duration without_look_{};  // since that process looked
  bool is_late_ = false;
  bool has_changed_ = false;
};

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__JUDGE_WATCH_HPP_
