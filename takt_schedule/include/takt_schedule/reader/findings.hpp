// Collects everything that is wrong or doubtful in one file, with positions.
//
// Files can have millions of faults, in gigabytes of text that nobody reads: of each kind the first
// kMostFindings are kept, and of the others how many there are.
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

class Findings
{
public:
  explicit Findings(std::string file) : file_(std::move(file)) {}

  static constexpr std::size_t kMostFindings = 500;

  void fault(const Source & at, takt_rt::Fault what) { faults_.add(at, std::move(what)); }
  void warn(const Source & at, takt_rt::Fault what) { warnings_.add(at, std::move(what)); }

  bool ok() const { return faults_.count == 0; }
  /// Of all that were told, kept or not, also twice.
  std::size_t fault_count() const { return faults_.count; }
  const std::string & file() const { return file_; }
  Guesses & guesses() { return guesses_; }

  /// Sorted by position, each once (what is written once and used twice by an alias is found
  /// twice); at the end how many more there are.
  takt_rt::Faults faults() const { return sorted(faults_, "fault"); }
  takt_rt::Faults warnings() const { return sorted(warnings_, "warning"); }

private:
  struct List
  {
    void add(const Source & at, takt_rt::Fault what);

    takt_rt::Faults kept;
    std::unordered_set<std::string> known;  // those kept, with their position
    std::size_t count = 0;                  // of all that were added
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
