#include "graph/yaml_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <numeric>

#include "takt_schedule/duration.hpp"

namespace takt_workload
{

void FileFaults::add(Place place, std::string what)
{
  // What the file holds is quoted as it is, line feeds too.
  std::replace_if(
    what.begin(), what.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  found_.emplace_back(place, std::move(what));
}

takt_core::Faults FileFaults::sorted() const
{
  auto found = found_;
  std::stable_sort(found.begin(), found.end(), [](const auto & a, const auto & b) {
    return std::pair(a.first.line, a.first.column) < std::pair(b.first.line, b.first.column);
  });
  takt_core::Faults faults;
  for (const auto & [place, what] : found) {
    faults.push_back(
      place.line > 0 ? fmt::format("{}:{}:{}: {}", file_, place.line, place.column, what)
                     : fmt::format("{}: {}", file_, what));
  }
  return faults;
}

Place place_of(const YAML::Node & node)
{
  return node.IsDefined() && !node.Mark().is_null()
           ? Place{node.Mark().line + 1, node.Mark().column + 1}
           : Place{};
}

namespace
{

// Letters to change, add or leave out (Levenshtein).
std::size_t distance(const std::string & a, const std::string & b)
{
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

// "a, b and c"
std::string in_words(const std::set<std::string> & words)
{
  std::string text;
  for (auto word = words.begin(); word != words.end(); ++word) {
    text += word == words.begin() ? "" : std::next(word) == words.end() ? " and " : ", ";
    text += *word;
  }
  return text;
}

std::string shown(const YAML::Node & node)
{
  constexpr std::size_t kMost = 60;
  if (node.IsScalar()) {
    const std::string & text = node.Scalar();
    return fmt::format("'{}{}'", text.substr(0, kMost), text.size() > kMost ? "..." : "");
  }
  return node.IsMap() ? "a map" : node.IsSequence() ? "a list" : "nothing";
}

// How to write what is missing.
std::string example_of(const std::string & key)
{
  static const std::map<std::string, std::string> examples{
    {"version", "1"}, {"name", "some_name"},  {"kind", "sensor"},   {"period", "100ms"},
    {"input", "A"},   {"output", "B"},        {"payload", "64KiB"}, {"min", "1ms"},
    {"max", "3ms"},   {"deviation", "500us"}, {"sink", "A"},        {"node", "A"}};
  const auto found = examples.find(key);
  return found == examples.end() ? "" : fmt::format("; add {}: {}", key, found->second);
}

}  // namespace

std::string did_you_mean(
  const std::string & word, const std::set<std::string> & known, std::size_t listed)
{
  std::string best;
  std::size_t nearest = word.size() / 3 + 1;
  for (const std::string & one : known) {
    // Long words are not worth the time: they come from nobody's keyboard.
    if (word.size() > 200 || one.size() > 400) {
      continue;
    }
    if (const std::size_t far = distance(word, one); far < nearest) {
      nearest = far;
      best = one;
    }
  }
  if (!best.empty()) {
    return fmt::format("; did you mean '{}'?", best);
  }
  return known.empty() || known.size() > listed ? ""
                                                : fmt::format("; there are {}", in_words(known));
}

MapReader::MapReader(const YAML::Node & node, std::string what, FileFaults & faults)
: node_(node),
  what_(std::move(what)),
  faults_(faults),
  place_(place_of(node))
{
  usable_ = node_.IsDefined() && node_.IsMap();
  if (!usable_) {
    faults_.add(place_, fmt::format("{} must be a map, not {}", what_, shown(node_)));
    return;
  }
  std::map<std::string, int> seen;  // on which line
  for (const auto & entry : node_) {
    if (!entry.first.IsScalar()) {
      continue;
    }
    const auto [first, fresh] = seen.emplace(entry.first.Scalar(), place_of(entry.first).line);
    if (!fresh) {
      faults_.add(
        place_of(entry.first), fmt::format(
                                 "{}: duplicate key {}; it is on line {} already", what_,
                                 shown(entry.first), first->second));
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
  faults_.add(node.IsDefined() ? place_of(node) : place_, fmt::format("{}: {}", what_, what));
}

std::optional<std::string> MapReader::text(const std::string & key, bool required)
{
  const YAML::Node node = get(key);
  if (!node.IsDefined()) {
    if (required && usable_) {
      fault(fmt::format("'{}' is missing{}", key, example_of(key)));
    }
    return std::nullopt;
  }
  if (!node.IsScalar() || node.Scalar().empty()) {
    fault_at(key, fmt::format("'{}' must be a word, not {}", key, shown(node)));
    return std::nullopt;
  }
  return node.Scalar();
}

std::optional<takt_core::Duration> MapReader::to_duration(
  const YAML::Node & node, const std::string & key)
{
  if (!node.IsScalar()) {
    faults_.add(
      place_of(node),
      fmt::format("{}: '{}' must be a duration such as 100ms, not {}", what_, key, shown(node)));
    return std::nullopt;
  }
  auto parsed = takt_schedule::parse_duration(node.Scalar());
  if (!parsed) {
    faults_.add(
      place_of(node), fmt::format("{}: '{}': {}", what_, key, to_string(parsed.faults().front())));
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
    const std::string what =
      low == high ? fmt::format("{}", low) : fmt::format("a whole number from {} to {}", low, high);
    fault_at(key, fmt::format("'{}' must be {}, not '{}'", key, what, *written));
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
    fault_at(key, fmt::format("'{}' must be true or false, not '{}'", key, *written));
    return std::nullopt;
  }
  return *written == "true";
}

YAML::Node MapReader::sequence(const std::string & key)
{
  const YAML::Node node = get(key);
  if (node.IsDefined() && !node.IsSequence()) {
    fault_at(key, fmt::format("'{0}' must be a list, not {1}; write {0}: [...]", key, shown(node)));
    return YAML::Node(YAML::NodeType::Undefined);
  }
  return node;
}

std::vector<std::pair<std::string, Place>> MapReader::texts(const std::string & key)
{
  std::vector<std::pair<std::string, Place>> found;
  for (const auto & entry : sequence(key)) {
    if (!entry.IsScalar() || entry.Scalar().empty()) {
      faults_.add(
        place_of(entry),
        fmt::format("{}: '{}' must be a list of words, not of {}", what_, key, shown(entry)));
    } else {
      found.emplace_back(entry.Scalar(), place_of(entry));
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
  if (deviation && !reader.has("mean")) {
    reader.fault_at("deviation", "'deviation' needs 'mean'; without both the work is uniform");
    return std::nullopt;
  }
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
    if (!entry.first.IsScalar()) {
      faults_.add(
        place_of(entry.first),
        fmt::format("{}: a key must be a word, not {}", what_, shown(entry.first)));
    } else if (const std::string & key = entry.first.Scalar(); !known_.contains(key)) {
      faults_.add(
        place_of(entry.first),
        fmt::format(
          "unknown key {} in {}{}", shown(entry.first), what_, did_you_mean(key, known_)));
    }
  }
}

}  // namespace takt_workload
