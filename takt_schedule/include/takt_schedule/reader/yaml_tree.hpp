// A YAML document as a tree in which every node has its position.
//
// Set-up only: allocates, does not block. Never throws.
//
// Built from yaml-cpp's events, because its nodes hide duplicate keys and follow aliases without a
// limit. Anchors, aliases and merge keys (`<<: *defaults`) work. Bounded by `YamlLimits`.
#ifndef TAKT_SCHEDULE__READER__YAML_TREE_HPP_
#define TAKT_SCHEDULE__READER__YAML_TREE_HPP_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "takt_schedule/reader/findings.hpp"
#include "takt_schedule/source.hpp"

namespace takt_schedule
{

/// Bounds of a document. A document beyond them is one fault.
struct YamlLimits
{
  std::size_t text;       ///< bytes
  std::size_t nodes;      ///< with aliases expanded
  std::size_t depth;      ///< of nesting, with aliases expanded
  std::string_view what;  ///< "a schedule", for faults
};

/// Room for the output of `takt plan` for twenty thousand callbacks.
inline constexpr YamlLimits kScheduleLimits{16U << 20U, 1'000'000, 64, "a schedule"};
/// Room for a hundred thousand callbacks.
inline constexpr YamlLimits kSystemLimits{64U << 20U, 5'000'000, 64, "a system model"};
inline constexpr YamlLimits kGraphLimits{16U << 20U, 1'000'000, 64, "a graph"};

struct YamlNode;
using YamlPtr = std::shared_ptr<const YamlNode>;

/// One node. Immutable after parsing.
struct YamlNode
{
  /// The kind of node. A key without a value has a null node.
  enum class Type
  {
    null,
    scalar,
    list,
    map
  };
  /// One key of a map with its value.
  struct Entry
  {
    std::string key;
    Source at;
    YamlPtr value;
  };

  Type type = Type::null;
  Source at;
  std::string text;            ///< scalars
  std::vector<YamlPtr> items;  ///< lists
  std::vector<Entry> entries;  ///< maps: file order, each key once
  std::size_t nodes = 1;       ///< with aliases expanded
  std::size_t height = 1;
  bool plain = true;  ///< scalars: written without quotes, and not as a block

  bool is_null() const { return type == Type::null; }
  bool is_scalar() const { return type == Type::scalar; }
  bool is_list() const { return type == Type::list; }
  bool is_map() const { return type == Type::map; }

  /// The map's entry with that key, or nullptr.
  const Entry * entry(std::string_view key) const;
};

/// The document's root; null for an unreadable or empty document. Faults go to `findings`: syntax,
/// emptiness, duplicate keys, keys that are not plain words, a second document, the bounds above.
YamlPtr parse_yaml(std::string_view text, Findings & findings, const YamlLimits & limits);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__READER__YAML_TREE_HPP_
