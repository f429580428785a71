// Which callbacks follow one another: sequences are known by their callbacks, since each file
// numbers them anew.
#ifndef TAKT_SCHEDULE__SRC__SCHEDULE__SEQUENCE_PATHS_HPP_
#define TAKT_SCHEDULE__SRC__SCHEDULE__SEQUENCE_PATHS_HPP_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "takt_core/sequence.hpp"

namespace takt_schedule::detail
{

/// The sequences of one source: a file, or a running executor. Set-up only.
class SequencePaths
{
public:
  using Place = std::optional<takt_core::SequencePlace>;
  /// Callbacks with the number of their rank: ids of one rank are in the same place. Says whether
  /// it is a graph, too.
  using Path = std::set<std::pair<std::size_t, std::string>>;

  void add(const Place & place, std::string id)
  {
    if (place) {
      sequences_[place->sequence][place->position].insert(std::move(id));
      if (place->graph) {
        graphs_.insert(place->sequence);
      }
    }
  }

  /// The whole sequence that has this place; empty without a place.
  Path of(const Place & place) const
  {
    Path path;
    if (const auto found = place ? sequences_.find(place->sequence) : sequences_.end();
        found != sequences_.end()) {
      std::size_t rank = 0;
      for (const auto & [position, ids] : found->second) {
        for (const std::string & id : ids) {
          path.emplace(rank, id);
        }
        ++rank;
      }
      if (graphs_.count(place->sequence) != 0) {
        path.emplace(rank, "graph");  // no id
      }
    }
    return path;
  }

private:
  std::map<std::uint32_t, std::map<std::uint32_t, std::set<std::string>>> sequences_;
  std::set<std::uint32_t> graphs_;
};

}  // namespace takt_schedule::detail

#endif  // TAKT_SCHEDULE__SRC__SCHEDULE__SEQUENCE_PATHS_HPP_
