// Collects all faults and warnings of one file, with positions.
//
// A file can have millions of faults, whose text would take gigabytes: of each kind only the first
// kMostFindings are kept, and the others are counted.
#ifndef TAKT_SCHEDULE__READER__FINDINGS_HPP_
#define TAKT_SCHEDULE__READER__FINDINGS_HPP_

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "takt_rt/result.hpp"
#include "takt_schedule/reader/text.hpp"
#include "takt_schedule/source.hpp"

namespace takt_schedule
{

/// The findings of one file. Set-up only: allocates. One thread at a time.
class Findings
{
public:
  /// `file`: the name that the findings print.
  explicit Findings(std::string file) : file_(std::move(file)) {}

  static constexpr std::size_t kMostFindings = 500;

  /// Adds a fault or a warning at this position.
  void fault(const Source & at, takt_rt::Fault what) { faults_.add(at, std::move(what)); }
  void warn(const Source & at, takt_rt::Fault what) { warnings_.add(at, std::move(what)); }

  /// True if no fault was added.
  bool ok() const { return faults_.count == 0; }
  /// Number of all reported faults, including dropped and repeated ones.
  std::size_t fault_count() const { return faults_.count; }
  /// The name that the findings print.
  const std::string & file() const { return file_; }
  /// The remaining suggestions for this file.
  Guesses & guesses() { return guesses_; }

  /// Sorted by position, each once (an entry used twice by an alias is found twice); then the
  /// number of dropped ones.
  takt_rt::Faults faults() const { return sorted(faults_, "fault"); }
  /// As `faults`.
  takt_rt::Faults warnings() const { return sorted(warnings_, "warning"); }

private:
  struct List
  {
    void add(const Source & at, takt_rt::Fault what);

    takt_rt::Faults kept;
    std::unordered_set<std::string> known;  // the kept ones, with their position
    std::size_t count = 0;                  // of all added ones
    std::size_t left_out = 0;
  };
  takt_rt::Faults sorted(const List & list, std::string_view kind) const;

  std::string file_;
  List faults_;
  List warnings_;
  Guesses guesses_;
};

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__READER__FINDINGS_HPP_
