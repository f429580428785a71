// Reads the entries of one map into typed fields; every mismatch becomes a fault at its position.
//
// An absent key or a fault leaves the field unchanged, and reading goes on to find further faults.
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

/// A word of the file and its position.
struct Word
{
  std::string text;
  Source at;
};

/// Reads one map. Set-up only: allocates. The findings and the node must outlive it.
class MapReader
{
public:
  /// `what` names the map in faults ("thread 'hot'"). Immediate faults: `node` is not a map (null
  /// counts as an empty one), keys that are not among `keys`.
  MapReader(
    Findings & findings, const YamlNode & node, std::string what, std::vector<std::string> keys);

  /// The value, or nullptr if the key is absent.
  const YamlNode * find(std::string_view key) const;
  /// True if the map has the key.
  bool has(std::string_view key) const { return node_.entry(key) != nullptr; }
  /// The position of the key, or of the map if the key is absent.
  Source at(std::string_view key) const;
  /// The position of the map.
  const Source & at() const { return node_.at; }
  /// The position of the value, of the key if it has no value, or of the map if the key is absent.
  Source value_at(std::string_view key) const;

  /// Whether the map has the key; if not, adds a fault with advice, as in "add KEY: `example`".
  bool require(std::string_view key, std::string_view example);

  /// A whole number from `least` to `most`.
  void integer(std::string_view key, std::int64_t least, std::int64_t most, int & field);
  void integer(
    std::string_view key, std::int64_t least, std::int64_t most, std::optional<int> & field);
  /// A number from `least` to `most`; `above`: `least` itself is a fault.
  void number(
    std::string_view key, double least, double most, bool above, std::optional<double> & field);
  /// `true` or `false`.
  void boolean(std::string_view key, bool & field);
  /// `positive`: zero is a fault.
  void duration(std::string_view key, bool positive, takt_rt::Duration & field);
  void duration(std::string_view key, bool positive, std::optional<takt_rt::Duration> & field);
  /// A size in bytes, with a unit.
  void size(std::string_view key, std::size_t & field);

  /// A non-empty word or list of words. `example` shows a correct one.
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

  /// `choice` for an entry of any map, also one whose keys are names and too many to search.
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

  /// The text of a scalar. Empty, with a fault, if it is absent or not a scalar.
  std::optional<Word> scalar(std::string_view key, std::string_view expected);
  /// A whole number from `least` to `most`; empty, with a fault, for another `node`.
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
