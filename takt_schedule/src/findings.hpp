// Collects everything that is wrong or doubtful in one file, with positions.
#ifndef TAKT_SCHEDULE__SRC__FINDINGS_HPP_
#define TAKT_SCHEDULE__SRC__FINDINGS_HPP_

#include <string>
#include <vector>

#include "takt_core/result.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_schedule::detail
{

class Findings
{
public:
  explicit Findings(std::string file) : file_(std::move(file)) {}

  void fault(const Source & at, std::string what) { faults_.push_back({at, std::move(what)}); }
  void warn(const Source & at, std::string what) { warnings_.push_back({at, std::move(what)}); }

  bool ok() const { return faults_.empty(); }
  std::size_t fault_count() const { return faults_.size(); }
  const std::string & file() const { return file_; }

  /// Sorted by position, each once (what is written once and used twice by an alias is found
  /// twice).
  takt_core::Faults faults() const { return sorted(faults_); }
  std::vector<std::string> warnings() const { return sorted(warnings_); }

private:
  struct Finding
  {
    Source at;
    std::string what;
  };
  std::vector<std::string> sorted(const std::vector<Finding> & findings) const;

  std::string file_;
  std::vector<Finding> faults_;
  std::vector<Finding> warnings_;
};

}  // namespace takt_schedule::detail

#endif  // TAKT_SCHEDULE__SRC__FINDINGS_HPP_
