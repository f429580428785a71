#include "takt_schedule/reader/map_reader.hpp"

#include <algorithm>
#include <array>

#include "takt_schedule/core_list.hpp"
#include "takt_schedule/duration.hpp"
#include "takt_schedule/number.hpp"
#include "takt_schedule/reader/text.hpp"
#include "takt_schedule/size.hpp"

namespace takt_schedule
{
namespace
{

// Far longer than any schedule needs; adding it to any time does not overflow.
constexpr takt_rt::Duration kLongest = std::chrono::hours(24 * 365);

std::string shown(const YamlNode & node)
{
  switch (node.type) {
    case YamlNode::Type::null:
      return "nothing";
    case YamlNode::Type::scalar:
      return quoted(node.text);
    case YamlNode::Type::list:
      return "a list";
    case YamlNode::Type::map:
      break;
  }
  return "a map";
}

/// "[0, 1]", shortened where there are many.
std::string flow(const std::vector<int> & numbers)
{
  constexpr std::size_t kMost = 8;
  std::string result;
  for (std::size_t i = 0; i < std::min(numbers.size(), kMost); ++i) {
    result += (i == 0 ? "[" : ", ") + std::to_string(numbers[i]);
  }
  return result + (numbers.size() > kMost ? ", ... and so on]" : "]");
}

}  // namespace

MapReader::MapReader(
  Findings & findings, const YamlNode & node, std::string what, std::vector<std::string> keys)
: findings_(findings),
  node_(node),
  what_(std::move(what))
{
  if (!node.is_map() && !node.is_null()) {
    findings.fault(
      node.at, what_ + " must be a map with " + listed(keys, "or") + ", not " + shown(node));
  }
  for (const auto & e : node.entries) {
    if (std::find(keys.begin(), keys.end(), e.key) == keys.end()) {
      findings.fault(
        e.at, "unknown key " + quoted(e.key) + " in " + what_ +
                findings.guesses().suggestion(e.key, keys, "known keys"));
    }
  }
}

const YamlNode * MapReader::find(std::string_view key) const
{
  const auto * const found = node_.entry(key);
  return found == nullptr ? nullptr : found->value.get();
}

Source MapReader::at(std::string_view key) const
{
  const auto * const found = node_.entry(key);
  return found == nullptr ? node_.at : found->at;
}

Source MapReader::value_at(std::string_view key) const
{
  const auto * const found = node_.entry(key);
  return found == nullptr ? node_.at : found->value->is_null() ? found->at : found->value->at;
}

bool MapReader::require(std::string_view key, std::string_view example)
{
  if (!node_.is_map() && !node_.is_null()) {
    return false;
  }
  if (!has(key)) {
    findings_.fault(
      node_.at, what_ + " has no '" + std::string(key) + "'; add " + std::string(key) + ": " +
                  std::string(example));
    return false;
  }
  return true;
}

std::optional<Word> MapReader::scalar(std::string_view key, std::string_view expected)
{
  const auto * const found = node_.entry(key);
  return found == nullptr ? std::nullopt : scalar_of(*found, expected);
}

std::optional<Word> MapReader::scalar_of(const YamlNode::Entry & entry, std::string_view expected)
{
  const YamlNode & value = *entry.value;
  if (!value.is_scalar()) {
    findings_.fault(
      value.is_null() ? entry.at : value.at,
      entry.key + " must be " + std::string(expected) + ", not " + shown(value));
    return std::nullopt;
  }
  return Word{value.text, value.at};
}

std::optional<std::int64_t> MapReader::integer_value(
  std::string_view key, const YamlNode & node, std::int64_t least, std::int64_t most)
{
  const auto value = node.is_scalar() ? parse_number(node.text, least, most) : std::nullopt;
  if (!value) {
    findings_.fault(
      node.is_null() ? at(key) : node.at,
      std::string(key) + " must be " + expected_number(least, most) + ", not " + shown(node));
  }
  return value;
}

void MapReader::integer(std::string_view key, std::int64_t least, std::int64_t most, int & field)
{
  if (const YamlNode * node = find(key)) {
    if (const auto value = integer_value(key, *node, least, most)) {
      field = static_cast<int>(*value);
    }
  }
}

void MapReader::integer(
  std::string_view key, std::int64_t least, std::int64_t most, std::optional<int> & field)
{
  if (const YamlNode * node = find(key)) {
    if (const auto value = integer_value(key, *node, least, most)) {
      field = static_cast<int>(*value);
    }
  }
}

void MapReader::number(
  std::string_view key, double least, double most, bool above, std::optional<double> & field)
{
  const YamlNode * const node = find(key);
  if (node == nullptr) {
    return;
  }
  const auto value = node->is_scalar() ? parse_number(node->text, least, most) : std::nullopt;
  if (value && !(above && *value == least)) {
    field = *value + 0.0;  // not -0
    return;
  }
  const std::string expected = above ? above_number(least, most) : expected_number(least, most);
  findings_.fault(
    node->is_null() ? at(key) : node->at,
    std::string(key) + " must be " + expected + ", not " + shown(*node));
}

void MapReader::boolean(std::string_view key, bool & field)
{
  constexpr std::array<std::pair<bool, std::string_view>, 2> kNames{{
    {true, "true"},
    {false, "false"},
  }};
  choice<bool>(key, kNames, field);
}

void MapReader::duration(std::string_view key, bool positive, takt_rt::Duration & field)
{
  std::optional<takt_rt::Duration> value;
  duration(key, positive, value);
  field = value.value_or(field);
}

void MapReader::duration(
  std::string_view key, bool positive, std::optional<takt_rt::Duration> & field)
{
  const auto word = scalar(key, "a duration such as 100ms");
  if (!word) {
    return;
  }
  const auto value = parse_duration(word->text);
  if (!value) {
    findings_.fault(word->at, std::string(key) + ": " + to_string(value.faults().front()));
  } else if (value.value() > kLongest) {
    findings_.fault(
      word->at, std::string(key) + ": " + quoted(word->text) + " is longer than 365 days");
  } else if (positive && value.value() == takt_rt::Duration::zero()) {
    findings_.fault(word->at, std::string(key) + " must be longer than zero");
  } else {
    field = value.value();
  }
}

void MapReader::size(std::string_view key, std::size_t & field)
{
  if (const auto word = scalar(key, "a size such as 256KiB")) {
    if (const auto value = parse_size(word->text)) {
      field = value.value();
    } else {
      findings_.fault(word->at, std::string(key) + ": " + to_string(value.faults().front()));
    }
  }
}

std::vector<Word> MapReader::words(std::string_view key, std::string_view example)
{
  std::vector<Word> result;
  const YamlNode * const node = find(key);
  if (node == nullptr) {
    return result;
  }
  const auto add = [&](const YamlNode & item) {
    if (item.is_scalar() && !item.text.empty()) {
      result.push_back({item.text, item.at});
    } else {
      findings_.fault(
        item.is_null() ? at(key) : item.at,
        std::string(key) + " must be " + std::string(example) + ", not " + shown(item));
    }
  };
  if (!node->is_list()) {
    add(*node);
    return result;
  }
  if (node->items.empty()) {
    findings_.fault(
      node->at, std::string(key) + " must be " + std::string(example) + ", not an empty list");
  }
  for (const YamlPtr & item : node->items) {
    add(*item);
  }
  return result;
}

std::vector<std::pair<int, Source>> MapReader::cores(std::string_view key)
{
  std::vector<std::pair<int, Source>> result;
  const YamlNode * const node = find(key);
  if (node == nullptr) {
    return result;
  }
  const auto add = [&](const YamlNode & item) {
    if (item.is_scalar() && item.text.find_first_of("-,") != std::string::npos) {
      if (const auto meant = parse_cores(item.text)) {
        findings_.fault(
          item.at,
          std::string(key) + " cannot be " + quoted(item.text) + "; write " + flow(*meant));
        return;
      }
    }
    if (const auto value = integer_value(key, item, 0, kLargestCore)) {
      result.emplace_back(static_cast<int>(*value), item.at);
    }
  };
  if (!node->is_list()) {
    add(*node);
    return result;
  }
  if (node->items.empty()) {
    findings_.fault(node->at, std::string(key) + " is an empty list; omit it");
  }
  for (const YamlPtr & item : node->items) {
    add(*item);
  }
  return result;
}

std::optional<std::size_t> MapReader::chosen_of(
  const YamlNode::Entry & entry, const std::vector<std::string> & known)
{
  const auto word = scalar_of(entry, listed(known, "or"));
  if (!word) {
    return std::nullopt;
  }
  const auto found = std::find(known.begin(), known.end(), word->text);
  if (found == known.end()) {
    findings_.fault(
      word->at, entry.key + " cannot be " + quoted(word->text) +
                  findings_.guesses().suggestion(word->text, known, "choices"));
    return std::nullopt;
  }
  return static_cast<std::size_t>(found - known.begin());
}

bool expect_list(Findings & findings, const YamlNode & node, std::string_view key)
{
  if (!node.is_list() && !node.is_null()) {
    findings.fault(node.at, std::string(key) + " must be a list, not " + shown(node));
    return false;
  }
  return true;
}

bool expect_map(Findings & findings, const YamlNode & node, std::string_view key)
{
  if (!node.is_map() && !node.is_null()) {
    findings.fault(node.at, std::string(key) + " must be a map, not " + shown(node));
    return false;
  }
  return true;
}

}  // namespace takt_schedule
