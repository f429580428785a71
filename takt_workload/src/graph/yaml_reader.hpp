// Reading YAML maps while collecting every fault with its line. Set-up only.
#ifndef YAML_READER_HPP_
#define YAML_READER_HPP_

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "takt_core/result.hpp"
#include "takt_core/time.hpp"
#include "takt_workload/graph.hpp"
#include "takt_workload/work_time.hpp"

namespace takt_workload
{

/// What is wrong with one file.
class FileFaults
{
public:
  explicit FileFaults(std::string file) : file_(std::move(file)) {}

  void add(Place place, std::string what);
  bool empty() const { return found_.empty(); }
  std::size_t count() const { return found_.size(); }
  /// "FILE:LINE:COLUMN: what", in the file's order.
  takt_core::Faults sorted() const;

private:
  std::string file_;
  std::vector<std::pair<Place, std::string>> found_;
};

/// Zeros for a node that is not there.
Place place_of(const YAML::Node & node);

/// "; did you mean 'x'?" for the known word that is closest, if one is close; otherwise the known
/// words, if there are at most `listed` of them.
std::string did_you_mean(
  const std::string & word, const std::set<std::string> & known, std::size_t listed = 20);
template <typename Value>
std::string did_you_mean(const std::string & word, const std::map<std::string, Value> & known)
{
  std::set<std::string> words;
  for (const auto & one : known) {
    words.insert(one.first);
  }
  return did_you_mean(word, words, 0);
}

/// One map. Asking for a key marks it as known; `finish` reports the others.
class MapReader
{
public:
  MapReader(const YAML::Node & node, std::string what, FileFaults & faults);

  Place place() const { return place_; }
  bool has(const std::string & key) { return get(key).IsDefined(); }
  /// Undefined (and never null) if absent.
  YAML::Node get(const std::string & key);

  std::optional<std::string> text(const std::string & key, bool required = false);
  std::optional<takt_core::Duration> duration(const std::string & key, bool required = false);
  std::optional<std::int64_t> integer(const std::string & key, std::int64_t low, std::int64_t high);
  std::optional<bool> boolean(const std::string & key);
  std::vector<std::pair<std::string, Place>> texts(const std::string & key);
  std::optional<WorkTime> work(const std::string & key);
  YAML::Node sequence(const std::string & key);

  void fault(const std::string & what) { faults_.add(place_, what_ + ": " + what); }
  void fault_at(const std::string & key, const std::string & what);
  void finish();

private:
  std::optional<takt_core::Duration> to_duration(const YAML::Node & node, const std::string & key);

  YAML::Node node_;
  std::string what_;
  FileFaults & faults_;
  Place place_;
  bool usable_ = false;
  std::set<std::string> known_;
};

}  // namespace takt_workload

#endif  // YAML_READER_HPP_
