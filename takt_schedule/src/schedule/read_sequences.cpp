// `sequences:` of an executor: lists of callback ids.
#include <string>
#include <unordered_map>
#include <utility>

#include "ids/callback_id.hpp"
#include "schedule/read_executor.hpp"
#include "takt_core/sequence.hpp"
#include "takt_schedule/reader/text.hpp"

namespace takt_schedule::detail
{
namespace
{

constexpr const char * kExample =
  "a list of callback ids, such as [\"/a:timer(10ms)\", \"/b:sub(/x)\"], or {graph: [...]} with "
  "such a list";

/// Ids that a sequence of the executor has already, with their lines.
using Known = std::unordered_map<std::string, int>;

const char * word(const SequenceRule & sequence)
{
  return sequence.graph ? "graph" : "sequence";
}

void read_id(const YamlNode & node, Findings & findings, Known & known, SequenceRule & sequence)
{
  if (!node.is_scalar() || node.text.empty()) {
    findings.fault(node.at, std::string("a sequence is ") + kExample);
    return;
  }
  const auto exact = exact_id(node.text, "sequences");
  if (!exact) {
    findings.fault(node.at, exact.faults().front());
    return;
  }
  const std::string & id = exact.value();
  if (const auto [first, fresh] = known.emplace(id, node.at.line); !fresh) {
    findings.fault(
      node.at, quoted(id) + " is in a sequence already, on line " + std::to_string(first->second) +
                 "; a callback has one place in one sequence");
    return;
  }
  if (!sequence.graph && !sequence.path.empty() && kind_word(id) == "timer") {
    findings.fault(
      node.at, "time releases " + quoted(id) +
                 ", and no callback of the sequence does; a timer can only be the first");
    return;
  }
  sequence.path.push_back(id);
  sequence.path_sources.push_back(node.at);
}

/// The list of ids of one entry; null: a fault.
const YamlNode * list_of(const YamlNode & item, Findings & findings, SequenceRule & sequence)
{
  const YamlNode * list = &item;
  if (item.is_map()) {
    sequence.graph = true;
    const bool ok = findings.ok();
    const MapReader map(findings, item, "a sequence", {"graph"});
    list = map.find("graph");
    if (list == nullptr && ok && !findings.ok()) {
      return nullptr;  // a fault names the unknown key
    }
  }
  if (list == nullptr || !list->is_list()) {
    findings.fault(item.at, std::string("a sequence is ") + kExample);
    return nullptr;
  }
  return list;
}

}  // namespace

void read_sequences(MapReader & map, Findings & findings, ExecutorSchedule & executor)
{
  const YamlNode * const node = map.find("sequences");
  if (node == nullptr) {
    return;
  }
  if (!node->is_list()) {
    findings.fault(
      node->at, std::string("sequences must be a list of sequences, and each of them ") + kExample);
    return;
  }
  constexpr std::size_t kMost = takt_core::SequencePlace::kMaxSequences;
  constexpr std::size_t kLongest = takt_core::SequencePlace::kMaxLength;
  if (node->items.size() > kMost) {
    findings.fault(
      node->items[kMost]->at, "an executor has at most " + std::to_string(kMost) + " sequences");
  }
  Known known;
  for (const YamlPtr & item : node->items) {
    SequenceRule sequence;
    sequence.source = item->at;
    const YamlNode * const list = list_of(*item, findings, sequence);
    if (list == nullptr) {
      continue;
    }
    const bool ok = findings.ok();
    for (const YamlPtr & id : list->items) {
      read_id(*id, findings, known, sequence);
    }
    if (ok && findings.ok() && sequence.path.size() < 2) {
      findings.fault(
        item->at,
        std::string("a ") + word(sequence) +
          " of fewer than two callbacks has no effect; add those that follow, or omit it");
    }
    if (sequence.path.size() > kLongest) {
      findings.fault(
        sequence.path_sources[kLongest], std::string("a ") + word(sequence) + " has at most " +
                                           std::to_string(kLongest) + " callbacks");
    }
    executor.sequences.push_back(std::move(sequence));
  }
}

}  // namespace takt_schedule::detail
