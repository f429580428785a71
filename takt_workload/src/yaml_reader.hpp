// Reading YAML maps while collecting every fault with its line. Set-up only.
#ifndef YAML_READER_HPP_
#define YAML_READER_HPP_

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "takt_core/result.hpp"
#include "takt_core/time.hpp"
#include "takt_workload/work_time.hpp"

namespace takt_workload
{

/// What is wrong with one file.
class FileFaults
{
public:
  explicit FileFaults(std::string file) : file_(std::move(file)) {}

  void add(int line, const std::string & what) { found_.emplace_back(line, what); }
  bool empty() const { return found_.empty(); }
  /// "FILE:LINE: what", by line.
  takt_core::Faults sorted() const;

private:
  std::string file_;
  std::vector<std::pair<int, std::string>> found_;
};

/// From 1; 0 for a node that is not there.
int line_of(const YAML::Node & node);

/// One map. Asking for a key marks it as known; `finish` reports the others.
class MapReader
{
public:
  MapReader(const YAML::Node & node, std::string what, FileFaults & faults);

  int line() const { return line_; }
  bool has(const std::string & key) { return get(key).IsDefined(); }
  /// Undefined (and never null) if absent.
  YAML::Node get(const std::string & key);

  std::optional<std::string> text(const std::string & key, bool required = false);
  std::optional<takt_core::Duration> duration(const std::string & key, bool required = false);
  std::optional<std::int64_t> integer(const std::string & key, std::int64_t low, std::int64_t high);
  std::optional<bool> boolean(const std::string & key);
  std::vector<std::pair<std::string, int>> texts(const std::string & key);
  std::optional<WorkTime> work(const std::string & key);
  YAML::Node sequence(const std::string & key);

  void fault(const std::string & what) { faults_.add(line_, what_ + ": " + what); }
  void fault_at(const std::string & key, const std::string & what);
  void finish();

private:
  std::optional<takt_core::Duration> to_duration(const YAML::Node & node, const std::string & key);

  YAML::Node node_;
  std::string what_;
  FileFaults & faults_;
  int line_ = 0;
  bool usable_ = false;
  std::set<std::string> known_;
};

}  // namespace takt_workload

#endif  // YAML_READER_HPP_
