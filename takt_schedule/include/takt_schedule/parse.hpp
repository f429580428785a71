// Reads a schedule file and reports all faults at once.
//
// Set-up only: allocates and may block (reads the file, asks the kernel for cores). Never throws,
// for any bytes, also hostile ones (nesting, aliases and size are bounded).
#ifndef TAKT_SCHEDULE__PARSE_HPP_
#define TAKT_SCHEDULE__PARSE_HPP_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "takt_rt/result.hpp"
#include "takt_schedule/deadline_share.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_schedule
{

/// The machine against which a schedule is checked. The defaults are this process on this machine.
struct Machine
{
  /// Cores that `cores:` may name. Default: those this process may use.
  std::optional<std::vector<int>> cores;
  /// Checks only this executor's cores, because the others run on other machines. Empty: all.
  std::string executor;
  /// Whether nice levels have an effect only within a session. Default: asks the kernel.
  std::optional<bool> autogroup;
  /// Whether real-time policies are granted, so that fallbacks are not used. Default: asks the
  /// kernel.
  std::optional<bool> realtime;
  /// The share of each core that SCHED_DEADLINE threads may have together. Default: asks the
  /// kernel.
  std::optional<AdmittedShare> deadline_share;
};

/// Faults and warnings read "FILE:LINE:COL: what; suggestion" and are sorted by line. `file_name`
/// serves only for these. `readable`: if there are faults, gets the readable parts; only for
/// `check_names`.
takt_rt::Result<Schedule> parse_schedule(
  std::string_view text, std::string file_name, const Machine & machine = {},
  Schedule * readable = nullptr);

/// Reads the file first. An unreadable file is one fault, "PATH: reason".
takt_rt::Result<Schedule> load_schedule(
  const std::string & path, const Machine & machine = {}, Schedule * readable = nullptr);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__PARSE_HPP_
