#include "yaml_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "takt_schedule/duration.hpp"

namespace takt_workload
{

takt_core::Faults FileFaults::sorted() const
{
  auto found = found_;
  std::stable_sort(
    found.begin(), found.end(), [](const auto & a, const auto & b) { return a.first < b.first; });
  takt_core::Faults faults;
  for (const auto & [line, what] : found) {
    faults.push_back(
      line > 0 ? fmt::format("{}:{}: {}", file_, line, what) : fmt::format("{}: {}", file_, what));
  }
  return faults;
}

int line_of(const YAML::Node & node)
{
  return node.IsDefined() ? node.Mark().line + 1 : 0;
}

MapReader::MapReader(const YAML::Node & node, std::string what, FileFaults & faults)
: node_(node),
  what_(std::move(what)),
  faults_(faults),
  line_(line_of(node))
{
  usable_ = node_.IsDefined() && node_.IsMap();
  if (!usable_) {
    fault("a map is needed here");
    return;
  }
  std::set<std::string> seen;
  for (const auto & entry : node_) {
    if (entry.first.IsScalar() && !seen.insert(entry.first.Scalar()).second) {
      faults_.add(
        line_of(entry.first), fmt::format("{}: '{}' is there twice", what_, entry.first.Scalar()));
    }
  }
}

YAML::Node MapReader::get(const std::string & key)
{
  known_.insert(key);
  if (usable_) {
    for (const auto & entry : node_) {
      if (entry.first.IsScalar() && entry.first.Scalar() == key && !entry.second.IsNull()) {
        return entry.second;
      }
    }
  }
  return YAML::Node(YAML::NodeType::Undefined);
}

void MapReader::fault_at(const std::string & key, const std::string & what)
{
  const YAML::Node node = get(key);
  faults_.add(node.IsDefined() ? line_of(node) : line_, fmt::format("{}: {}", what_, what));
}

std::optional<std::string> MapReader::text(const std::string & key, bool required)
{
  const YAML::Node node = get(key);
  if (!node.IsDefined()) {
    if (required && usable_) {
      fault(fmt::format("'{}' is missing", key));
    }
    return std::nullopt;
  }
  if (!node.IsScalar() || node.Scalar().empty()) {
    fault_at(key, fmt::format("'{}' must be a word", key));
    return std::nullopt;
  }
  return node.Scalar();
}

std::optional<takt_core::Duration> MapReader::to_duration(
  const YAML::Node & node, const std::string & key)
{
  if (!node.IsScalar()) {
    faults_.add(line_of(node), fmt::format("{}: '{}' must be a duration like 100ms", what_, key));
    return std::nullopt;
  }
  auto parsed = takt_schedule::parse_duration(node.Scalar());
  if (!parsed) {
    faults_.add(line_of(node), fmt::format("{}: '{}': {}", what_, key, parsed.faults().front()));
    return std::nullopt;
  }
  return *parsed;
}

std::optional<takt_core::Duration> MapReader::duration(const std::string & key, bool required)
{
  if (const auto written = text(key, required)) {
    return to_duration(get(key), key);
  }
  return std::nullopt;
}

std::optional<std::int64_t> MapReader::integer(
  const std::string & key, std::int64_t low, std::int64_t high)
{
  const auto written = text(key);
  if (!written) {
    return std::nullopt;
  }
  std::int64_t value = 0;
  const char * const end = written->data() + written->size();
  const auto result = std::from_chars(written->data(), end, value);
  if (result.ec != std::errc{} || result.ptr != end || value < low || value > high) {
    fault_at(
      key,
      fmt::format("'{}' must be a whole number from {} to {}, not '{}'", key, low, high, *written));
    return std::nullopt;
  }
  return value;
}

std::optional<bool> MapReader::boolean(const std::string & key)
{
  const auto written = text(key);
  if (!written) {
    return std::nullopt;
  }
  if (*written != "true" && *written != "false") {
    fault_at(key, fmt::format("'{}' must be true or false", key));
    return std::nullopt;
  }
  return *written == "true";
}

YAML::Node MapReader::sequence(const std::string & key)
{
  const YAML::Node node = get(key);
  if (node.IsDefined() && !node.IsSequence()) {
    fault_at(key, fmt::format("'{}' must be a list", key));
    return YAML::Node(YAML::NodeType::Undefined);
  }
  return node;
}

std::vector<std::pair<std::string, int>> MapReader::texts(const std::string & key)
{
  std::vector<std::pair<std::string, int>> found;
  for (const auto & entry : sequence(key)) {
    if (!entry.IsScalar() || entry.Scalar().empty()) {
      faults_.add(line_of(entry), fmt::format("{}: '{}' must be a list of words", what_, key));
    } else {
      found.emplace_back(entry.Scalar(), line_of(entry));
    }
  }
  return found;
}

std::optional<WorkTime> MapReader::work(const std::string & key)
{
  const YAML::Node node = get(key);
  if (!node.IsDefined()) {
    return std::nullopt;
  }
  if (node.IsScalar()) {
    const auto value = to_duration(node, key);
    return value ? std::optional(WorkTime::constant(*value)) : std::nullopt;
  }
  MapReader reader(node, what_ + ": " + key, faults_);
  const auto shortest = reader.duration("min", true);
  const auto longest = reader.duration("max", true);
  const auto mean = reader.duration("mean");
  const auto deviation = reader.duration("deviation", mean.has_value());
  reader.finish();
  if (!shortest || !longest) {
    return std::nullopt;
  }
  if (*shortest > *longest || (mean && (*mean < *shortest || *mean > *longest))) {
    reader.fault("it must be min <= mean <= max");
    return std::nullopt;
  }
  if (mean && deviation) {
    return WorkTime::normal(*mean, *deviation, *shortest, *longest);
  }
  return mean ? std::nullopt : std::optional(WorkTime::uniform(*shortest, *longest));
}

void MapReader::finish()
{
  if (!usable_) {
    return;
  }
  for (const auto & entry : node_) {
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "?";
    if (!known_.contains(key)) {
      std::string known;
      for (const std::string & one : known_) {
        known += (known.empty() ? "" : ", ") + one;
      }
      faults_.add(
        line_of(entry.first),
        fmt::format("{}: '{}' is not known here; there are: {}", what_, key, known));
    }
  }
}

}  // namespace takt_workload
