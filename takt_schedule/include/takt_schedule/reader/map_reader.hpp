// Reads the entries of one map into typed fields; every mismatch becomes a fault at its position.
//
// Absent keys leave the field as it is. A fault leaves it as it is, too, so that reading goes on
// and finds the rest.
#ifndef TAKT_SCHEDULE__READER__MAP_READER_HPP_
#define TAKT_SCHEDULE__READER__MAP_READER_HPP_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "takt_core/names.hpp"
#include "takt_rt/time.hpp"
#include "takt_schedule/reader/findings.hpp"
#include "takt_schedule/reader/yaml_tree.hpp"

namespace takt_schedule
{

/// A word of the file and where it stands.
struct Word
{
  std::string text;
  Source at;
};

class MapReader
{
public:
  /// `what` names the map in faults ("thread 'hot'"). Faults at once: `node` is not a map (null counts
  /// as an empty one), keys that are not among `keys`.
  MapReader(
    Findings & findings, const YamlNode & node, std::string what, std::vector<std::string> keys);

  /// The value, or nullptr if the key is absent.
  const YamlNode * find(std::string_view key) const;
  bool has(std::string_view key) const { return node_.entry(key) != nullptr; }
  /// Where the key stands, or the map if it is absent.
  Source at(std::string_view key) const;
  const Source & at() const { return node_.at; }
  /// Where the value stands, or the key if it has none, or the map if the key is absent.
  Source value_at(std::string_view key) const;

  /// Whether the key is there; a fault that says what to add, as in "add KEY: `example`", if the map
  /// lacks it.
  bool require(std::string_view key, std::string_view example);

  void integer(std::string_view key, std::int64_t least, std::int64_t most, int & field);
  void integer(
    std::string_view key, std::int64_t least, std::int64_t most, std::optional<int> & field);
  /// A number from `least` to `most`; `above`: `least` itself is a fault.
  void number(
    std::string_view key, double least, double most, bool above, std::optional<double> & field);
  void boolean(std::string_view key, bool & field);
  /// `positive`: zero is a fault.
  void duration(std::string_view key, bool positive, takt_rt::Duration & field);
  void duration(std::string_view key, bool positive, std::optional<takt_rt::Duration> & field);
  void size(std::string_view key, std::size_t & field);

  /// A word or a list of words; must not be empty. `example` shows what to write.
  std::vector<Word> words(std::string_view key, std::string_view example);
  /// The number of a core or a list of them, with positions.
  std::vector<std::pair<int, Source>> cores(std::string_view key);

  /// One of `names`.
  template <typename Enum>
  void choice(
    std::string_view key, std::span<const std::pair<Enum, std::string_view>> names, Enum & field)
  {
    if (const YamlNode::Entry * const found = node_.entry(key)) {
      choice<Enum>(*found, names, field);
    }
  }

  /// The same for an entry of any map: of one whose keys are names, which may be too many to look for.
  template <typename Enum>
  void choice(
    const YamlNode::Entry & entry, std::span<const std::pair<Enum, std::string_view>> names,
    Enum & field)
  {
    std::vector<std::string> known;
    for (const auto & [value, name] : names) {
      known.emplace_back(name);
    }
    if (const auto chosen = chosen_of(entry, known)) {
      field = names[*chosen].first;
    }
  }

  /// `choice` for an enumeration whose words are the core's.
  template <typename Enum>
  void choice(std::string_view key, Enum & field)
  {
    choice<Enum>(key, takt_core::names<Enum>(), field);
  }

  /// The text of a scalar; a fault, and nothing, if it is absent or something else.
  std::optional<Word> scalar(std::string_view key, std::string_view expected);
  std::optional<std::int64_t> integer_value(
    std::string_view key, const YamlNode & node, std::int64_t least, std::int64_t most);

private:
  std::optional<Word> scalar_of(const YamlNode::Entry & entry, std::string_view expected);
  std::optional<std::size_t> chosen_of(
    const YamlNode::Entry & entry, const std::vector<std::string> & known);

  Findings & findings_;
  const YamlNode & node_;
  std::string what_;
};

/// Faults unless `node` is a list, or null, which counts as an empty one.
bool expect_list(Findings & findings, const YamlNode & node, std::string_view key);
/// The same for maps.
bool expect_map(Findings & findings, const YamlNode & node, std::string_view key);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__READER__MAP_READER_HPP_
